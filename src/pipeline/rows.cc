#include "pipeline/rows.h"

#include <algorithm>
#include <vector>

#include "io/output.h"

namespace nearkin {
namespace {

void append_similarity_tsv(std::string& out, const Match& match, Verify verify) {
  if (match.total == 0) {
    out += '?';
    return;
  }
  if (verify == Verify::estimate) out += '~';
  out += similarity_text(match);
}

// Below this many bytes a line is gathered before it is written.
constexpr std::size_t kFlush = 1 << 16;

template <typename AppendRow>
void write_rows(std::size_t count, const std::string& path, AppendRow&& append_row_at) {
  OutputFile file(path);
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    append_row_at(i, text);
    if (text.size() < kFlush) continue;
    file.write(text);
    text.clear();
  }
  file.write(text);
  file.commit();
}

std::vector<std::uint32_t> cluster_sizes(const Clusters& clusters) {
  std::vector<std::uint32_t> sizes(clusters.size());
  for (const std::uint32_t cluster : clusters.cluster) ++sizes[cluster];
  return sizes;
}

bool less_similar(const Match& x, const Match& y) { return std::uint64_t{x.shared} * y.total < std::uint64_t{y.shared} * x.total; }

}  // namespace

std::string similarity_text(const Match& match) {
  if (match.total == 0) return "0";
  constexpr std::uint64_t kMillion = 1'000'000;
  const std::uint64_t millionths = match.shared * kMillion / match.total;
  if (millionths >= kMillion) return "1";
  std::string digits = std::to_string(kMillion + millionths);  // "1dddddd"
  digits.replace(0, 1, "0.");
  digits.erase(digits.find_last_not_of('0') + 1);
  return digits == "0." ? "0" : digits;
}

void append_similarity_json(std::string& out, const Match& match, Verify verify) {
  if (match.total == 0) return;
  out += verify == Verify::estimate ? ",\"estimate\":" : ",\"similarity\":";
  out += similarity_text(match);
}

void append_row(std::string& out, std::string_view first, std::string_view second, const Match& match, Verify verify, RowStyle style,
                std::pair<const char*, const char*> names) {
  if (style == RowStyle::tsv) {
    append_tsv_field(out, first);
    out += '\t';
    append_tsv_field(out, second);
    out += '\t';
    append_similarity_tsv(out, match, verify);
    out += '\n';
    return;
  }
  out.append("{\"").append(names.first).append("\":");
  append_json_string(out, first);
  out.append(",\"").append(names.second).append("\":");
  append_json_string(out, second);
  append_similarity_json(out, match, verify);
  out += "}\n";
}

void write_pairs(const PairsResult& result, const std::string& path, RowStyle style) {
  write_rows(result.matches.size(), path, [&](std::size_t i, std::string& text) {
    const Match& match = result.matches[i];
    append_row(text, result.ids[match.a], result.ids[match.b], match, result.verify, style, {"a", "b"});
  });
}

void write_clusters(const ClusterResult& result, const std::string& path, RowStyle style, std::uint32_t least) {
  const std::vector<std::uint32_t> sizes = cluster_sizes(result.clusters);
  write_rows(result.ids.size(), path, [&](std::size_t i, std::string& text) {
    const std::uint32_t cluster = result.clusters.cluster[i];
    if (sizes[cluster] < least) return;
    if (style == RowStyle::tsv) {
      append_tsv_field(text, result.ids[i]);
      text += '\t' + std::to_string(cluster) + '\n';
      return;
    }
    text += "{\"id\":";
    append_json_string(text, result.ids[i]);
    text += ",\"cluster\":" + std::to_string(cluster) + ",\"keeper\":";
    append_json_string(text, result.ids[result.clusters.keeper[cluster]]);
    append_similarity_json(text, result.to_keeper[i], result.verify);
    text += "}\n";
  });
}

void write_cluster_summary(const ClusterResult& result, const std::string& path, RowStyle style, std::uint32_t least) {
  const std::vector<std::uint32_t> sizes = cluster_sizes(result.clusters);
  std::vector<Match> smallest(result.clusters.size(), Match{0, 0, 1, 1});
  for (std::size_t i = 0; i < result.ids.size(); ++i) {
    Match& known = smallest[result.clusters.cluster[i]];
    // Where nothing was verified (total 0) the smallest is not known either.
    if (result.to_keeper[i].total == 0 || less_similar(result.to_keeper[i], known)) known = result.to_keeper[i];
  }
  write_rows(result.clusters.size(), path, [&](std::size_t cluster, std::string& text) {
    if (sizes[cluster] < least) return;
    const std::string_view keeper = result.ids[result.clusters.keeper[cluster]];
    if (style == RowStyle::tsv) {
      text += std::to_string(cluster) + '\t' + std::to_string(sizes[cluster]) + '\t';
      append_tsv_field(text, keeper);
      text += '\t';
      append_similarity_tsv(text, smallest[cluster], result.verify);
      text += '\n';
      return;
    }
    text += "{\"cluster\":" + std::to_string(cluster) + ",\"size\":" + std::to_string(sizes[cluster]) + ",\"keeper\":";
    append_json_string(text, keeper);
    append_similarity_json(text, smallest[cluster], result.verify);
    text += "}\n";
  });
}

void check_output(const std::string& path) { OutputFile file(path); }

void write_text(const std::string& text, const std::string& path) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace nearkin

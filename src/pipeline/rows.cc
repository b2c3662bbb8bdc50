#include "pipeline/rows.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "io/output.h"

namespace nearkin {
namespace {

// Copies are known to be the same even where nothing was verified.
bool is_known(const Match& match, const Shown& shown) { return shown.verify != Verify::none || match.total != 0; }

void append_measured_tsv(std::string& out, const Match& match, const Shown& shown) {
  if (!is_known(match, shown)) {
    out += '?';
    return;
  }
  if (shown.verify == Verify::estimate) out += '~';
  out += measured_text(match, shown.measure);
}

// Millionths as a decimal number without zeros at its end.
std::string decimal(std::uint64_t millionths) {
  constexpr std::uint64_t kMillion = 1'000'000;
  std::string text = std::to_string(millionths / kMillion);
  if (millionths % kMillion == 0) return text;
  text += '.' + std::to_string(kMillion + millionths % kMillion).substr(1);  // "1dddddd"
  return text.substr(0, text.find_last_not_of('0') + 1);
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

}  // namespace

std::string similarity_text(const Match& match) {
  return match.total == 0 ? "0" : decimal(std::min<std::uint64_t>(match.shared * std::uint64_t{1'000'000} / match.total, 1'000'000));
}

std::string measured_text(const Match& match, Measure measure) {
  if (match.total != 0 && !is_distance(measure)) return similarity_text(match);
  const double value = measured(match, measure);
  if (value < 0) return "-" + measured_text({.a = 0, .b = 0, .shared = 0, .total = 0, .value = -value}, Measure::euclidean);
  constexpr double kLargest = 1e12;  // beyond it doubles have no millionths
  if (value > kLargest) return std::to_string(value);
  // Sums are good to about 1e-12 of their size, which must not make the next millionth of a whole number.
  const double millionths = value * 1e6, slack = 1e-6 + millionths * 1e-12;
  const double cut = is_distance(measure) ? std::ceil(millionths - slack) : std::floor(millionths + slack);
  return decimal(static_cast<std::uint64_t>(cut));
}

bool nearer(const Match& x, const Match& y, Measure measure) {
  if (is_distance(measure)) return measured(x, measure) < measured(y, measure);
  if (x.total == 0 || y.total == 0) return x.similarity() > y.similarity();
  return std::uint64_t{x.shared} * y.total > std::uint64_t{y.shared} * x.total;
}

void append_measured_json(std::string& out, const Match& match, const Shown& shown) {
  if (!is_known(match, shown)) return;
  out += shown.verify == Verify::estimate ? ",\"estimate\":" : is_distance(shown.measure) ? ",\"distance\":" : ",\"similarity\":";
  out += measured_text(match, shown.measure);
}

void append_row(std::string& out, std::string_view first, std::string_view second, const Match& match, const Shown& shown, RowStyle style,
                std::pair<const char*, const char*> names) {
  if (style == RowStyle::tsv) {
    append_tsv_field(out, first);
    out += '\t';
    append_tsv_field(out, second);
    out += '\t';
    append_measured_tsv(out, match, shown);
    out += '\n';
    return;
  }
  out.append("{\"").append(names.first).append("\":");
  append_json_string(out, first);
  out.append(",\"").append(names.second).append("\":");
  append_json_string(out, second);
  append_measured_json(out, match, shown);
  out += "}\n";
}

void write_pairs(const PairsResult& result, const std::string& path, RowStyle style) {
  write_rows(result.matches.size(), path, [&](std::size_t i, std::string& text) {
    const Match& match = result.matches[i];
    append_row(text, result.ids[match.a], result.ids[match.b], match, {result.verify, result.measure}, style, {"a", "b"});
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
    append_measured_json(text, result.to_keeper[i], {result.verify, result.measure});
    text += "}\n";
  });
}

void write_cluster_summary(const ClusterResult& result, const std::string& path, RowStyle style, std::uint32_t least) {
  const std::vector<std::uint32_t> sizes = cluster_sizes(result.clusters);
  std::vector<Match> smallest(result.clusters.size(), Match{0, 0, 1, 1});
  for (std::size_t i = 0; i < result.ids.size(); ++i) {
    Match& known = smallest[result.clusters.cluster[i]];
    const Match& match = result.to_keeper[i];
    // Where nothing was verified the farthest is not known either.
    if (!is_known(match, {result.verify, result.measure}) || nearer(known, match, result.measure)) known = match;
  }
  write_rows(result.clusters.size(), path, [&](std::size_t cluster, std::string& text) {
    if (sizes[cluster] < least) return;
    const std::string_view keeper = result.ids[result.clusters.keeper[cluster]];
    if (style == RowStyle::tsv) {
      text += std::to_string(cluster) + '\t' + std::to_string(sizes[cluster]) + '\t';
      append_tsv_field(text, keeper);
      text += '\t';
      append_measured_tsv(text, smallest[cluster], {result.verify, result.measure});
      text += '\n';
      return;
    }
    text += "{\"cluster\":" + std::to_string(cluster) + ",\"size\":" + std::to_string(sizes[cluster]) + ",\"keeper\":";
    append_json_string(text, keeper);
    append_measured_json(text, smallest[cluster], {result.verify, result.measure});
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

#include "runs/write_results.h"

#include <algorithm>
#include <optional>

#include <nearkin/tools/lists.h>

#include "group/copy_groups.h"
#include "search/file_search.h"

namespace nearkin {
namespace {

constexpr std::size_t kFlush = std::size_t{1} << 16;  // lines are gathered up to so many bytes

class PairLister {
 public:
  PairLister(const SearchResult& found, bool across, bool directed)
      : found_(found), across_(across), directed_(directed), copies_(found.representative) {}

  /// In parts, by their first rows, each with no more than about `most` pairs.
  void list(std::uint64_t count, std::uint64_t most, const std::function<void(const Match&)>& use) const {
    const std::vector<Row> cuts = cuts_of(count, most);
    Matches part;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      part.clear();
      part.reserve(std::min(count, most));
      for_each([&](const Match& match) {
        if (match.a >= cuts[i] && match.a < cuts[i + 1]) part.push_back(match);
      });
      sort_by_rows(part);
      for (const Match& match : part) use(match);
    }
  }

 private:
  template <typename Use>
  void for_each(Use&& use) const {
    for (Row row = 0; !across_ && row < found_.items(); ++row) list_copies(copies_[row], use);
    found_.matches.for_each([&](const Match& match) {
      for (const Row a : copies_[match.a]) {
        for (const Row b : copies_[match.b]) {
          const bool turn = !directed_ && b < a;
          use(Match{turn ? b : a, turn ? a : b, match.shared, match.total, match.value});
        }
      }
    });
  }

  template <typename Use>
  void list_copies(std::span<const Row> copies, Use&& use) const {
    for (std::size_t i = 0; i < copies.size(); ++i) {
      for (std::size_t j = directed_ ? 0 : i + 1; j < copies.size(); ++j) {
        if (i != j) use(Match{copies[i], copies[j], 1, 1});
      }
    }
  }

  std::vector<Row> cuts_of(std::uint64_t count, std::uint64_t most) const {
    if (count <= most) return {0, UINT32_MAX};
    const std::uint64_t width = found_.items() / 65536 + 1;
    std::vector<std::uint64_t> counts(65536);
    for_each([&](const Match& match) { ++counts[match.a / width]; });
    return cut_rows(counts, width, most);
  }

  const SearchResult& found_;
  bool across_, directed_;
  CopyGroups copies_;
};

}  // namespace

std::string& LineWriter::text() {
  if (text_.size() >= kFlush) flush();
  return text_;
}

void LineWriter::flush() {
  file_.write(text_);
  text_.clear();
}

void for_each_pair(const Rows& rows, const Stage& stage, const SearchResult& found, std::uint64_t count,
                   const std::function<void(const Match&)>& use) {
  const std::uint64_t most = std::max<std::uint64_t>(1024, share_of(rows, stage, 25) / (4 * sizeof(Match)));
  PairLister(found, rows.across(), stage.plan.measure == Measure::containment).list(count, most, use);
}

void write_clusters(const Rows& rows, std::span<const Row> keepers, const NumberedClusters& numbered, const KeeperMatches* similarity,
                    const Shown& shown, const ClustersOutput& output, OutputFile& file) {
  LineWriter lines(file);
  RowReader ids(rows), keeper_ids(rows);
  for (Row row = 0; row < keepers.size(); ++row) {
    const std::uint32_t cluster = numbered.number[keepers[row]];
    if (numbered.sizes[cluster] < output.least) continue;
    const bool json = output.style == RowStyle::json;
    append_cluster_row(lines.text(), ids.id(row), cluster, json ? keeper_ids.id(keepers[row]) : std::string_view(),
                       json ? (*similarity)(row) : Match{row, row, 1, 1}, shown, output.style);
  }
  lines.flush();
}

void write_summary(const Rows& rows, std::span<const Row> keepers, const NumberedClusters& numbered, const KeeperMatches& similarity,
                   const Shown& shown, const ClustersOutput& output, OutputFile& file) {
  std::vector<Match> smallest(numbered.sizes.size(), Match{0, 0, 1, 1});
  for (Row row = 0; row < keepers.size(); ++row) note_smallest(smallest[numbered.number[keepers[row]]], similarity(row), shown);
  LineWriter lines(file);
  RowReader ids(rows);
  for (std::uint32_t cluster = 0; cluster < numbered.sizes.size(); ++cluster) {
    if (numbered.sizes[cluster] < std::max(output.least, 2u)) continue;
    append_summary_row(lines.text(), cluster, numbered.sizes[cluster], ids.id(numbered.keepers[cluster]), smallest[cluster], shown,
                       output.style);
  }
  lines.flush();
}

void write_removed(const Rows& rows, std::span<const Row> keepers, std::span<const Row> beside, const KeeperMatches& similarity,
                   const Shown& shown, RowStyle style, OutputFile& file, const std::function<void(Row row, std::string& lines)>& then) {
  LineWriter lines(file);
  RowReader ids(rows), keeper_ids(rows);
  for (Row row = 0; row < keepers.size(); ++row) {
    const Row member = keepers[row] == row ? beside[row] : row;
    if (beside[row] != kNoRow)
      append_row(lines.text(), ids.id(row), keeper_ids.id(beside[row]), similarity(member), shown, style, {"id", "keeper"});
    then(row, lines.text());
  }
  lines.flush();
}

}  // namespace nearkin

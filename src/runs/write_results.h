// What was found about rows → lines of text, for rows and matches wherever they are.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <nearkin/run.h>
#include <nearkin/tools/lists.h>

#include "group/group.h"
#include "io/bytes/output.h"
#include "io/formats/result_rows.h"
#include "search/search.h"

namespace nearkin {

/// Lines gathered before they are written.
class LineWriter {
 public:
  explicit LineWriter(OutputFile& file) : file_(file) {}
  ~LineWriter() = default;
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;
  /// Where the next line is appended.
  std::string& text();
  /// After the last line.
  void flush();

 private:
  OutputFile& file_;
  std::string text_;
};

/// Calls use(match) for every pair of items within the border, copies included, ascending. A containment comes in each direction apart.
/// `count`: how many there are (count_pairs).
void for_each_pair(const Rows& rows, const Stage& stage, const SearchResult& found, std::uint64_t count,
                   const std::function<void(const Match&)>& use);

void write_clusters(const Rows& rows, std::span<const Row> keepers, const NumberedClusters& numbered, const KeeperMatches* similarity,
                    const Shown& shown, const ClustersOutput& output, OutputFile& file);
void write_summary(const Rows& rows, std::span<const Row> keepers, const NumberedClusters& numbered, const KeeperMatches& similarity,
                   const Shown& shown, const ClustersOutput& output, OutputFile& file);
/// `beside`: of each row that goes, its keeper, or a row that it is the keeper of itself; kNoRow for those that stay.
void write_removed(const Rows& rows, std::span<const Row> keepers, std::span<const Row> beside, const KeeperMatches& similarity,
                   const Shown& shown, RowStyle style, OutputFile& file);

}  // namespace nearkin

// Writes results as lines of text, for rows and matches in memory or in files.
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

/// Buffers lines.
class LineWriter {
 public:
  explicit LineWriter(OutputFile& file) : file_(file) {}
  ~LineWriter() = default;
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;
  /// Append the next line to this.
  std::string& text();
  /// Call after the last line.
  void flush();

 private:
  OutputFile& file_;
  std::string text_;
};

/// Calls use(match) for every pair of items within the border, copies included, ascending. A containment comes separately in each
/// direction. `count`: how many there are (count_pairs).
void for_each_pair(const Rows& rows, const Stage& stage, const SearchResult& found, std::uint64_t count,
                   const std::function<void(const Match&)>& use);

void write_clusters(const Rows& rows, std::span<const Row> keepers, const NumberedClusters& numbered, const KeeperMatches* similarity,
                    const Shown& shown, const ClustersOutput& output, OutputFile& file);
void write_summary(const Rows& rows, std::span<const Row> keepers, const NumberedClusters& numbered, const KeeperMatches& similarity,
                   const Shown& shown, const ClustersOutput& output, OutputFile& file);
/// `beside`: for each removed row, its keeper or a row whose keeper it is itself; kNoRow for others. `then` may add lines after those of a
/// row, listed or not.
void write_removed(const Rows& rows, std::span<const Row> keepers, std::span<const Row> beside, const KeeperMatches& similarity,
                   const Shown& shown, RowStyle style, OutputFile& file, const std::function<void(Row row, std::string& lines)>& then);

}  // namespace nearkin

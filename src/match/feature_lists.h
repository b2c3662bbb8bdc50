// Feature lists: which sets of a collection have a feature, and how many features each shares with a query.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <nearkin/stages.h>

#include "match/bucket_tables.h"

namespace nearkin {

/// The rows that have a feature, for each feature. Features are known by keys of 32 bits. Different features may share a key, so counts
/// are never too low. Frequent features are bit strings of one bit per row, where these take no more memory than a list of rows.
class FeatureLists {
 public:
  explicit FeatureLists(const Features& sets);

  std::size_t rows() const { return rows_; }
  /// Features of the smallest set that has any; 0 where there is none.
  std::uint64_t smallest() const { return smallest_; }

 private:
  friend class SharedCounts;
  static constexpr std::size_t kNone = SIZE_MAX;
  /// Moves the frequent features out of `records`, which are ascending.
  void keep_frequent(std::vector<std::uint64_t>& records);
  /// Place of its bit string; kNone for features that are not frequent.
  std::size_t frequent(std::uint32_t key) const;

  std::size_t rows_;
  std::uint64_t smallest_ = 0;
  std::size_t words_ = 0;              // of a bit string: whole blocks
  std::vector<std::uint32_t> common_;  // keys of the frequent features, ascending
  std::vector<std::uint64_t> bits_;    // words_ for each of them
  BucketTables others_;                // one band
};

/// Counts what the sets share with one query after another. One per thread.
class SharedCounts {
 public:
  explicit SharedCounts(const FeatureLists& lists) : lists_(lists) {}

  /// Told a row and an upper bound of the features that it shares with the query. Returns how many the rows behind it must share for the
  /// visit to go on to them.
  using Visit = std::function<std::uint64_t(Row row, std::uint64_t shared)>;
  /// Visits rows, ascending: those that share `least` features or more, later those that share as many as the last visit asked for. Ends
  /// when that is more than the query has. False: rows that share nothing were left out, although `least` may have been 0.
  bool visit(std::span<const std::uint64_t> query, std::uint64_t least, const Visit& visit);
  /// After a visit that returned false: the rows that share something, ascending.
  const std::vector<Row>& met() const { return met_; }

 private:
  void find_lists(std::span<const std::uint64_t> query);
  bool few() const;
  void visit_met(std::uint64_t least, const Visit& visit);
  void visit_blocks(std::uint64_t least, const Visit& visit);
  void count_block(std::size_t block);
  std::uint64_t visit_block(std::size_t block, std::uint64_t least, const Visit& visit);

  const FeatureLists& lists_;
  std::size_t features_ = 0;                   // of the query
  std::vector<std::span<const Row>> rest_;     // of each list, the rows that are not counted yet
  std::vector<const std::uint64_t*> strings_;  // of its frequent features
  std::vector<const std::uint64_t*> here_;     // their words for one block
  std::size_t listed_ = 0;                     // rows in the lists
  std::vector<std::uint16_t> counts_;          // of one block
  std::vector<std::uint32_t> met_counts_;  // of all rows; all 0 between two queries
  std::vector<Row> met_;
};

}  // namespace nearkin

// Feature lists: which sets of a collection have a feature, and how many features each shares with a query.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <nearkin/stages.h>

#include "match/bucket_tables.h"

namespace nearkin {

/// What a set must share with a query: it is near enough if factor · shared > constant + size_factor · size. The default lets all pass.
struct SharedBound {
  std::int64_t factor = 1, constant = -1, size_factor = 0;

  bool passes(std::uint64_t shared, std::uint64_t size) const {
    return factor * static_cast<std::int64_t>(shared) > constant + size_factor * static_cast<std::int64_t>(size);
  }
  /// Sets that share fewer features do not pass if they have `smallest` or more; UINT64_MAX: none passes.
  std::uint64_t fewest(std::uint64_t smallest) const;
};

/// The rows that have a feature, for each feature. Features are known by keys of 32 bits. Different features may share a key, so counts
/// are never too low. Frequent features are bit strings of one bit per row, where these take no more memory than a list of rows.
class FeatureLists {
 public:
  explicit FeatureLists(const Features& sets);

  std::size_t rows() const { return rows_; }

 private:
  friend class SharedCounts;
  /// Moves the frequent features out of `records`, which are ascending.
  void keep_frequent(std::vector<std::uint64_t>& records);
  void place_frequent();
  /// The bit string of a feature; null if it is not frequent.
  const std::uint64_t* string_of(std::uint32_t key) const;

  std::size_t rows_;
  std::vector<std::uint32_t> sizes_;   // of the sets
  std::uint64_t smallest_ = 0;         // of those that are not EMPTY
  std::size_t words_;                  // of a bit string
  std::vector<std::uint32_t> common_;  // keys of the frequent features
  std::vector<std::uint64_t> bits_;    // words_ for each of them
  std::vector<std::uint32_t> places_;  // a hash table of them: 0, or a place in common_ + 1
  BucketTables others_;                // one band
};

/// Counts what the sets share with one query after another. One per thread.
class SharedCounts {
 public:
  explicit SharedCounts(const FeatureLists& lists) : lists_(lists) {}

  /// Told a row and an upper bound of the features that it shares with the query. False ends the visit.
  using Visit = std::function<bool(Row row, std::uint64_t shared)>;
  /// Visits the rows that pass `bound` and are not EMPTY, ascending. `visit` may raise the bound. False: rows that share nothing were left
  /// out, whether they pass or not.
  bool visit(std::span<const std::uint64_t> query, const SharedBound& bound, const Visit& visit);
  /// After a visit that returned false: the rows that share something, ascending.
  const std::vector<Row>& met() const { return met_; }

 private:
  void find_lists(std::span<const std::uint64_t> query);
  bool few() const;
  void visit_met(const SharedBound& bound, const Visit& visit);
  void visit_blocks(const SharedBound& bound, const Visit& visit);
  void count_block(std::size_t begin, std::size_t words);
  bool visit_block(std::size_t begin, std::size_t count, const SharedBound& bound, const Visit& visit);
  bool visit_marked(std::size_t begin, std::size_t first, std::uint64_t marks, const SharedBound& bound, const Visit& visit);

  const FeatureLists& lists_;
  std::size_t features_ = 0;                   // of the query
  std::vector<std::span<const Row>> rest_;     // of each list, the rows that are not counted yet
  std::vector<const std::uint64_t*> strings_;  // of its frequent features
  std::vector<const std::uint64_t*> here_;     // their words for one block
  std::size_t listed_ = 0;                     // rows in the lists
  std::vector<std::uint16_t> counts_;          // of one block
  std::vector<std::uint32_t> met_counts_;      // of all rows; all 0 between two queries
  std::vector<Row> met_;
};

}  // namespace nearkin

// Meter: how near one query is to the items of a collection.
#pragma once

#include <nearkin/query.h>

#include "match/feature_lists.h"
#include "match/space.h"

namespace nearkin {

std::size_t size_of(const Points& points);
bool is_empty(const Points& points, std::size_t i, Measure measure);
/// 1 for EMPTY items.
std::vector<std::uint8_t> empty_of(const Points& points, Measure measure);

/// Throws Error(data) if the queries differ in kind or dimensions from the collection, unless that is empty.
void require_same_kind(const Points& collection, const Points& queries);
/// Throws Error(plan) for a measure that does not compare such points.
void require_compared(const Points& points, Measure measure);

/// Items that a query is measured against, and what is known of them.
struct HeldItems {
  const Points* points = nullptr;
  const Norms* norms = nullptr;  ///< norms_of(points) for vectors
  std::size_t count = 0;         ///< for how many of the requested rows items are held
  bool by_row = false;           ///< `points` is the whole collection; else its item i belongs to the i-th requested row
  Verify verify = Verify::exact;
  const Sketches* sketches = nullptr;  ///< for Verify::estimate
};

/// Compares one query after another. Exact: sets in integers, vectors by Space. The caller owns plan, items and queries.
class Meter {
 public:
  static constexpr std::uint64_t kAnyNumber = UINT64_MAX;

  /// The query must not be EMPTY. Throws as require_compared and require_same_kind do.
  void aim(const Points& queries, Row row, const HeldItems& items, const Plan& plan, ShareOf share_of = ShareOf::query);

  /// The item's match with the query (a: query, b: item).
  Match match(Row item) const;
  /// The same for many vectors, faster than one by one: values[i] is that of rows[i], as Match::value.
  void values(std::span<const Row> rows, std::span<double> values) const { space_->values(row_, rows, values); }
  bool compares_vectors() const { return sets_ == nullptr; }
  /// The same; absent if it is outside the plan's threshold or radius. `most_shared`: a known upper bound for sets.
  std::optional<Match> inside(Row item, std::uint64_t most_shared = kAnyNumber) const;
  /// The same; absent if it is certainly farther than `bar`, the `measured` value of another match.
  std::optional<Match> nearer_than(Row item, double bar, std::uint64_t most_shared = kAnyNumber) const;
  /// Sets: the match if they share so many features, or all of the smaller one if that has fewer.
  Match with_shared(Row item, std::uint64_t shared) const;
  /// Sets: what an item must share to be inside the plan's threshold or radius, and to be nearer than `last`.
  SharedBound bound_inside() const;
  SharedBound bound_nearer(const Match& last) const;
  /// The share of equal slots of two sketches, as a match.
  Match estimated(Row item, std::span<const std::uint32_t> query, std::span<const std::uint32_t> slots) const;
  Match unverified(Row item) const { return {row_, item, 0, 0}; }

 private:
  std::span<const std::uint64_t> set(Row item) const { return (*sets_)[item]; }
  std::optional<Match> with_at_least(Row item, std::uint64_t least, std::uint64_t most_shared) const;
  Match match_of(Row item, std::uint64_t shared) const;
  std::uint64_t least_shared_inside(std::uint64_t size) const;
  std::uint64_t least_shared_nearer(std::uint64_t size, double bar) const;

  // Containment: the size of the set of which the share is asked.
  std::uint64_t whole(std::uint64_t item_size) const { return share_of_ == ShareOf::query ? query_.size() : item_size; }

  const Plan* plan_ = nullptr;
  ShareOf share_of_ = ShareOf::query;
  const Features* sets_ = nullptr;  // null: vectors
  std::optional<Border> border_;    // vectors
  std::uint64_t radius_ = 0;        // hamming of sets, for this query
  Row row_ = 0;
  std::span<const std::uint64_t> query_;
  std::optional<Space> space_;
};

}  // namespace nearkin

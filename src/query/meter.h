// Meter: how near one query is to the items of a collection.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <nearkin/query.h>

#include "match/space.h"

namespace nearkin {

std::size_t size_of(const Points& points);
bool is_empty(const Points& points, std::size_t i, Measure measure);
/// 1 for EMPTY items.
std::vector<std::uint8_t> empty_of(const Points& points, Measure measure);

/// Aimed at one query after the other. Exact: sets in integers, vectors by Space. Collection, norms and queries are the caller's.
class Meter {
 public:
  static constexpr std::uint64_t kAnyNumber = UINT64_MAX;

  /// `norms`: norms_of(collection) for vectors. Throws Error(plan) for a measure that does not compare such points.
  Meter(const Points& collection, const Norms& norms, const Plan& plan);

  /// Throws Error(data) when the query is of another kind, or has other dimensions, than the collection.
  void aim(const Points& queries, Row row);
  /// The query is EMPTY: it has no neighbours.
  bool empty() const { return empty_; }

  /// The item's match with the query (a: query, b: item).
  Match match(Row item) const;
  /// The same, absent when it is outside the plan's threshold or radius. `most_shared`: what is known of sets beforehand.
  std::optional<Match> inside(Row item, std::uint64_t most_shared = kAnyNumber) const;
  /// The same, absent when it is certain to be less near than `bar`, the `measured` value of another match.
  std::optional<Match> nearer_than(Row item, double bar, std::uint64_t most_shared = kAnyNumber) const;
  /// Of two sketches, the share of equal slots.
  Match estimated(Row item, std::span<const std::uint32_t> query, std::span<const std::uint32_t> slots) const;
  Match unverified(Row item) const { return {row_, item, 0, 0}; }

 private:
  std::span<const std::uint64_t> set(Row item) const { return (*sets_)[item]; }
  std::optional<Match> with_at_least(Row item, std::uint64_t least, std::uint64_t most_shared) const;
  Match match_of(Row item, std::uint64_t shared) const;
  std::uint64_t least_shared_inside(std::uint64_t size) const;
  std::uint64_t least_shared_nearer(std::uint64_t size, double bar) const;

  const Points& collection_;
  const Features* sets_;  // null: vectors
  const Norms& norms_;
  const Plan& plan_;
  Border border_;             // vectors
  std::uint64_t radius_ = 0;  // hamming of sets, for this query
  Row row_ = 0;
  bool empty_ = true;
  std::span<const std::uint64_t> query_;
  std::optional<Space> space_;
};

}  // namespace nearkin

// What Tables hold: shared by the searchers, never changed once built.
#pragma once

#include <nearkin/query.h>

#include "match/bucket_tables.h"
#include "match/direction_codes.h"
#include "match/feature_lists.h"
#include "match/prefix_tables.h"
#include "match/space.h"
#include "query/angle_sketches.h"

namespace nearkin {

/// How a query meets the items that it looks at.
enum class Road {
  all,       ///< every item
  features,  ///< sets: those that share enough features with it
  buckets,   ///< those that share a bucket in a band
  codes,     ///< dense vectors: those that their codes do not rule out, nearest first; all answers are found
  prefixes,  ///< those that share the longest prefixes, until the nearest are found with the plan's recall
};

struct TableParts {
  std::shared_ptr<const Points> points;
  Plan plan;
  Road road = Road::all;
  std::vector<std::uint8_t> empty;       ///< 1 for EMPTY items
  std::vector<Row> members;              ///< the others, ascending
  Norms norms;                           ///< vectors
  std::optional<BucketTables> buckets;   ///< Road::buckets
  std::optional<FeatureLists> features;  ///< Road::features
  std::optional<DirectionCodes> codes;   ///< Road::codes
  std::optional<PrefixTables> prefixes;  ///< Road::prefixes
  std::optional<StopLevels> stop;
  std::optional<AngleSketches> angles;  ///< Road::prefixes, where worth it
  Sketches sketches;                    ///< Verify::estimate: of every item
};

struct Tables::State : TableParts {};

/// What a query by codes does, on average over some items as queries.
struct CodeWork {
  double long_codes = 0;  ///< codes compared of more than the lowest level
  double looked_at = 0;   ///< items that are compared in full
};
CodeWork code_work(const TableParts& parts);

/// The digits of `slots`, shape.tables · shape.depth of them, packed: one code per table.
void prefix_codes(const std::uint32_t* slots, const PrefixShape& shape, Family family, std::uint64_t* codes);

}  // namespace nearkin

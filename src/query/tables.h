// What Tables hold: shared by the searchers, never changed once built.
#pragma once

#include <nearkin/query.h>

#include "match/bucket_tables.h"
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
  std::optional<PrefixTables> prefixes;  ///< Road::prefixes
  std::optional<StopLevels> stop;
  std::optional<AngleSketches> angles;  ///< Road::prefixes, where worth it
  Sketches sketches;                    ///< Verify::estimate: of every item
};

struct Tables::State : TableParts {};

/// The digits of `slots`, shape.tables · shape.depth of them, packed: one code per table.
void prefix_codes(const std::uint32_t* slots, const PrefixShape& shape, Family family, std::uint64_t* codes);

}  // namespace nearkin

// What Tables hold: shared by the searchers, never changed once built.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include <nearkin/query.h>

#include "family/family.h"
#include "match/bucket_tables.h"
#include "match/prefix_tables.h"
#include "match/space.h"
#include "query/angle_sketches.h"

namespace nearkin {

/// How a query meets the items that it looks at.
enum class Road {
  all,       ///< every item
  features,  ///< sets: those that share a feature with it
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
  std::optional<BucketTables> buckets;   ///< Road::buckets by band keys, Road::features by feature_key
  std::optional<PrefixTables> prefixes;  ///< Road::prefixes
  std::optional<StopLevels> stop;
  std::optional<AngleSketches> angles;  ///< Road::prefixes, where worth it
  Sketches sketches;                    ///< Verify::estimate: of every item
};

struct Tables::State : TableParts {};

/// The key of a feature in Road::features: different features may share it, so that counts by it are never too low.
std::uint32_t feature_key(std::uint64_t feature);

/// The digits of `slots`, shape.tables · shape.depth of them, packed: one code a table.
void prefix_codes(const std::uint32_t* slots, const PrefixShape& shape, Family family, std::uint64_t* codes);

/// Slots of single items by the plan's family, whatever the points are. One a thread. EMPTY items are not to be hashed.
class PointHasher {
 public:
  /// For points of the same kind and dimensions as these.
  PointHasher(const SketchPlan& plan, const Points& like);
  /// Writes plan.hashes slots.
  void sketch(const Points& points, std::size_t i, std::uint32_t* slots);
  /// Family gaussian: where in each of its slots the item lies, 0 to 1.
  void positions(const Points& points, std::size_t i, std::vector<double>& fractions);

 private:
  std::uint32_t hashes_;
  std::variant<MinHasher, AnyVectorHasher> hasher_;
};

}  // namespace nearkin

// Points: the items of an input as a plan compares them, in memory, for tables and queries.
#pragma once

#include <nearkin/query.h>
#include <nearkin/run.h>

#include "collect/prepare_vectors.h"

namespace nearkin {

struct LoadedPoints {
  Strings ids;
  Points points;  ///< Features (ascending, distinct; EMPTY items have none) or Vectors, prepared
  Preparation preparation;
  std::uint32_t columns = 0;  ///< of tables
  RunStats stats;
};

/// `like`: the collection whose medians and document counts the vectors follow; absent: their own.
LoadedPoints load_points(const Input& input, const Plan& plan, const RunOptions& options, const LoadedPoints* like = nullptr);

}  // namespace nearkin

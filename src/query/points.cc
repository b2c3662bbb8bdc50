#include "query/points.h"

#include <nearkin/tools/sample.h>

#include "collect/collect.h"
#include "io/source/inputs.h"

namespace nearkin {

LoadedPoints load_points(const Input& input, const Plan& plan, const RunOptions& options, const LoadedPoints* like) {
  Plan reading = plan;
  reading.sketch.hashes = 0;  // all features are kept then, and nothing is hashed
  reading.band = {};
  Rows rows = collect(input, nullptr, reading, options, like != nullptr ? &like->preparation : nullptr);
  LoadedPoints loaded{
      .ids = std::move(rows.arrays.ids), .points = {}, .preparation = std::move(rows.preparation), .columns = rows.columns, .stats = {}};
  loaded.stats = std::move(rows.stats);
  if (compares_vectors(plan)) {
    loaded.points = std::move(rows.arrays.vectors);
  } else {
    loaded.points = std::move(rows.arrays.features);
  }
  return loaded;
}

std::optional<DataSample> sample_data(const Input& input, const Plan& plan, const std::optional<std::uint64_t>& seed) {
  if (!can_be_read_again(input) || plan.measure == Measure::exact) return std::nullopt;
  Plan reading = plan;
  reading.sketch = {};
  const LoadedPoints loaded = load_points(input, reading, {});
  if (const auto* vectors = std::get_if<Vectors>(&loaded.points)) return sample_data(*vectors, plan.measure, seed.value_or(1));
  return DataSample{.items = loaded.ids.size(), .dimensions = loaded.columns};
}

}  // namespace nearkin

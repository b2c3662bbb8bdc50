#include "query/points.h"

#include <algorithm>
#include <cmath>

#include <nearkin/error.h>

#include "collect/collect.h"
#include "io/source/inputs.h"

namespace nearkin {
namespace {

std::string counted(std::size_t count, const char* what) { return std::to_string(count) + " " + what; }

void require_row(std::size_t i, std::size_t count) {
  if (i >= count) throw Error(ErrorCode::plan, "row", std::to_string(i) + " is beyond the last of " + counted(count, "items"));
}

// `count` items of `each` numbers are there.
void require_numbers(std::size_t count, std::size_t each, std::size_t there, const char* what) {
  if (each == 0 || there / each >= count) return;
  throw Error(
      ErrorCode::plan, what,
      "there are " + std::to_string(there) + " for " + counted(count, "items") + " of " + std::to_string(each) + "; give each its own");
}

void require_stretch(std::span<const std::uint64_t> ends, std::size_t i, std::size_t there, const char* what) {
  const std::uint64_t begin = i == 0 ? 0 : ends[i - 1];
  if (begin <= ends[i] && ends[i] <= there) return;
  throw Error(ErrorCode::plan, what,
              "item " + std::to_string(i) + " has those from " + std::to_string(begin) + " to " + std::to_string(ends[i]) + ", there are " +
                  std::to_string(there) + "; its end is wrong");
}

void require_sparse(const Vectors& vectors, std::size_t i) {
  require_row(i, vectors.ends.size());
  require_stretch(vectors.ends, i, vectors.indices.size(), "indices");
  require_stretch(vectors.ends, i, vectors.values.size(), "values");
}

}  // namespace

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

void PointHasher::sketch(std::span<const std::uint64_t> features, std::uint32_t* slots) {
  if (plan_.family != Family::minhash) {
    throw Error(ErrorCode::plan, "sketch", std::string(name(plan_.family)) + " does not hash sets; use minhash");
  }
  if (!sets_) sets_.emplace(plan_);
  sets_->sketch(features, slots);
}

AnyVectorHasher& PointHasher::of_vectors(const Vectors& like) {
  if (!vectors_) vectors_.emplace(vector_hasher(plan_, like.kind, like.dimensions));
  return *vectors_;
}

void PointHasher::sketch(const Vectors& vectors, std::size_t i, std::uint32_t* slots) {
  sketch_range(of_vectors(vectors), vectors, i, i + 1, slots, plan_.hashes);
}

void PointHasher::sketch(const Points& points, std::size_t i, std::uint32_t* slots) {
  if (const auto* sets = std::get_if<Features>(&points)) return sketch((*sets)[i], slots);
  sketch(std::get<Vectors>(points), i, slots);
}

void PointHasher::positions(const Vectors& vectors, std::size_t i, std::vector<double>& fractions) {
  std::vector<float> positions(plan_.hashes);
  std::get<StableHasher>(of_vectors(vectors)).positions(vectors, i, positions.data());
  fractions.resize(plan_.hashes);
  for (std::size_t h = 0; h < fractions.size(); ++h) fractions[h] = static_cast<double>(positions[h] - std::floor(positions[h]));
}

void require_item(const Features& sets, std::size_t i) {
  require_row(i, sets.size());
  require_stretch(sets.ends, i, sets.hashes.size(), "hashes");
}

void require_item(const Vectors& vectors, std::size_t i) {
  require_row(i, vectors.size());
  switch (vectors.kind) {
    case Vectors::Kind::dense: return require_numbers(vectors.count, vectors.dimensions, vectors.numbers.size(), "numbers");
    case Vectors::Kind::bits: return require_numbers(vectors.count, vectors.word_count(), vectors.words.size(), "words");
    case Vectors::Kind::sparse: return require_sparse(vectors, i);
  }
}

void require_item(const Points& points, std::size_t i) {
  std::visit([&](const auto& held) { require_item(held, i); }, points);
}

void require_items(const Vectors& vectors) {
  const bool same_size = vectors.kind != Vectors::Kind::sparse;  // what holds for one holds for all
  for (std::size_t i = 0; i < (same_size ? std::min<std::size_t>(1, vectors.size()) : vectors.size()); ++i) require_item(vectors, i);
}

void require_items(const Points& points) {
  if (const auto* vectors = std::get_if<Vectors>(&points)) return require_items(*vectors);
  const Features& sets = std::get<Features>(points);
  for (std::size_t i = 0; i < sets.size(); ++i) require_item(sets, i);
}

}  // namespace nearkin

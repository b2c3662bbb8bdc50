#include "query/points.h"

#include <cmath>

#include <nearkin/error.h>
#include <nearkin/tools/names.h>

#include "collect/collect.h"

namespace nearkin {
namespace {

// Rows of tables are compared column by column.
void require_same_columns(const LoadedPoints& queries, const LoadedPoints& collection) {
  if (queries.columns == 0 || collection.columns == 0) return;
  if (queries.columns != collection.columns) {
    throw Error(ErrorCode::data, "queries",
                "have " + std::to_string(queries.columns) + " columns to compare, the collection has " +
                    std::to_string(collection.columns) + "; hamming needs the same columns");
  }
  require_same_questions("queries", queries.questions, "the collection", collection.questions);
}

}  // namespace

LoadedPoints load_points(const Input& input, const Plan& plan, const RunOptions& options, const LoadedPoints* like) {
  require_no_scope(input, "a query");
  Plan reading = plan;
  reading.sketch.hashes = 0;  // all features are kept then, and nothing is hashed
  reading.band = {};
  Rows rows = collect(input, nullptr, reading, options, like != nullptr ? &like->preparation : nullptr);
  LoadedPoints loaded{.ids = std::move(rows.arrays.ids),
                      .points = {},
                      .preparation = std::move(rows.preparation),
                      .columns = rows.columns,
                      .questions = std::move(rows.questions),
                      .stats = {}};
  loaded.stats = std::move(rows.stats);
  if (like != nullptr && plan.measure == Measure::hamming) require_same_columns(loaded, *like);
  if (compares_vectors(plan)) {
    loaded.points = std::move(rows.arrays.vectors);
  } else {
    loaded.points = std::move(rows.arrays.features);
  }
  return loaded;
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

}  // namespace nearkin

// Pairs of vectors and how often their slots agree.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <nearkin/vectors.h>

#include "base/gaussian.h"
#include "family/family.h"

namespace nearkin::test {

using Dense = std::vector<float>;
using Sparse = std::vector<std::pair<std::uint64_t, double>>;
using Bits = std::vector<bool>;
using Slots = std::vector<std::uint32_t>;

inline Vectors vectors_of(const std::vector<Dense>& rows) {
  Vectors vectors{.kind = Vectors::Kind::dense, .dimensions = static_cast<std::uint32_t>(rows.at(0).size()), .count = rows.size()};
  for (const Dense& row : rows) vectors.numbers.insert(vectors.numbers.end(), row.begin(), row.end());
  return vectors;
}

inline Vectors vectors_of(const std::vector<Sparse>& rows) {
  Vectors vectors{.kind = Vectors::Kind::sparse, .dimensions = 0, .count = rows.size()};
  for (const Sparse& row : rows) {
    for (const auto& [index, value] : row) {
      vectors.indices.push_back(index);
      vectors.values.push_back(value);
    }
    vectors.ends.push_back(vectors.indices.size());
  }
  return vectors;
}

inline Vectors vectors_of(const std::vector<Bits>& rows) {
  Vectors vectors{.kind = Vectors::Kind::bits, .dimensions = static_cast<std::uint32_t>(rows.at(0).size()), .count = rows.size()};
  vectors.words.resize(rows.size() * vectors.word_count());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t d = 0; d < rows[i].size(); ++d) {
      vectors.words[i * vectors.word_count() + d / 64] |= std::uint64_t{rows[i][d]} << (d % 64);
    }
  }
  return vectors;
}

inline Dense random_dense(GaussianStream& gaussian, std::size_t dimensions) {
  Dense x(dimensions);
  for (float& number : x) number = static_cast<float>(gaussian());
  return x;
}

inline Slots sketch_of(const Vectors& vectors, std::size_t i, const SketchPlan& plan) {
  AnyVectorHasher hasher = vector_hasher(plan, vectors.kind, vectors.dimensions);
  Slots slots(plan.hashes);
  sketch_range(hasher, vectors, i, i + 1, slots.data(), plan.hashes);
  return slots;
}

/// A share measured over many seeds, with its standard error from the scatter between seeds.
struct Share {
  double mean, error;
};

template <typename OfSeed>
Share share_over_seeds(int seeds, OfSeed&& of_seed) {
  double sum = 0, squares = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    const double share = of_seed(static_cast<std::uint64_t>(seed));
    sum += share;
    squares += share * share;
  }
  const double mean = sum / seeds;
  return {mean, std::sqrt(std::max(0.0, squares / seeds - mean * mean) / (seeds - 1))};
}

/// The share of slots in which items 0 and 1 agree.
inline Share agreement_of(const Vectors& vectors, SketchPlan plan, int seeds) {
  return share_over_seeds(seeds, [&](std::uint64_t seed) {
    plan.seed = seed * 1000003;
    AnyVectorHasher hasher = vector_hasher(plan, vectors.kind, vectors.dimensions);
    Slots slots(2 * plan.hashes);
    sketch_range(hasher, vectors, 0, 2, slots.data(), plan.hashes);
    std::size_t equal = 0;
    for (std::uint32_t j = 0; j < plan.hashes; ++j) equal += slots[j] == slots[plan.hashes + j];
    return static_cast<double>(equal) / plan.hashes;
  });
}

/// How often items 0 and 1 agree in all rows of at least one band.
inline Share found_of(const Vectors& vectors, SketchPlan plan, std::uint32_t bands, std::uint32_t rows, int seeds) {
  plan.hashes = bands * rows;
  return share_over_seeds(seeds, [&](std::uint64_t seed) {
    plan.seed = seed * 7919;
    AnyVectorHasher hasher = vector_hasher(plan, vectors.kind, vectors.dimensions);
    Slots slots(2 * plan.hashes);
    sketch_range(hasher, vectors, 0, 2, slots.data(), plan.hashes);
    const auto left = slots.begin(), right = left + plan.hashes;
    for (std::uint32_t first = 0; first < plan.hashes; first += rows) {
      if (std::equal(left + first, left + first + rows, right + first)) return 1.0;
    }
    return 0.0;
  });
}

}  // namespace nearkin::test

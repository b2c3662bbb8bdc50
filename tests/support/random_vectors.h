// Vectors of every kind with near copies among them, and joins of them by looking at every pair.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

#include <nearkin/vectors.h>

#include "base/hash.h"
#include "match/space.h"
#include "support/random.h"

namespace nearkin::test {

inline Vectors dense_of(std::uint32_t dimensions, const std::vector<std::vector<float>>& rows) {
  Vectors vectors{.kind = Vectors::Kind::dense, .dimensions = dimensions, .count = rows.size()};
  for (const std::vector<float>& row : rows) vectors.numbers.insert(vectors.numbers.end(), row.begin(), row.end());
  return vectors;
}

inline Vectors sparse_of(const std::vector<std::map<std::uint64_t, double>>& rows) {
  Vectors vectors{.kind = Vectors::Kind::sparse, .count = rows.size()};
  for (const auto& row : rows) {
    for (const auto& [index, value] : row) {
      vectors.indices.push_back(index);
      vectors.values.push_back(value);
    }
    vectors.ends.push_back(vectors.indices.size());
  }
  return vectors;
}

inline Vectors bits_of(std::uint32_t dimensions, const std::vector<std::vector<bool>>& rows) {
  Vectors vectors{.kind = Vectors::Kind::bits, .dimensions = dimensions, .count = rows.size()};
  vectors.words.resize(rows.size() * vectors.word_count());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t b = 0; b < dimensions; ++b) {
      vectors.words[i * vectors.word_count() + b / 64] |= std::uint64_t{rows[i][b]} << (b % 64);
    }
  }
  return vectors;
}

/// Whole numbers from 0 to `most` (many ties) or fractions of either sign; two in five rows are an earlier one, a little changed.
struct NumberShape {
  std::size_t count;
  std::uint32_t dimensions;
  bool whole;
  bool negative;
  double filled = 1;  ///< share of places that are not 0
};

inline std::vector<std::vector<float>> random_rows(SplitMix& random, const NumberShape& shape) {
  const auto draw = [&]() -> float {
    if (uniform(random) >= shape.filled) return 0;
    const double x = shape.whole ? static_cast<double>(random() % 5) : uniform(random);
    return static_cast<float>(shape.negative && random() % 2 == 0 ? -x : x);
  };
  std::vector<std::vector<float>> rows;
  while (rows.size() < shape.count) {
    const bool copy = !rows.empty() && random() % 5 < 2;
    std::vector<float> row = copy ? rows[random() % rows.size()] : std::vector<float>(shape.dimensions);
    if (!copy) std::generate(row.begin(), row.end(), draw);
    if (copy) {
      for (std::uint64_t edits = random() % 4; edits > 0; --edits) row[random() % row.size()] = draw();
    }
    // Never a zero vector.
    if (std::all_of(row.begin(), row.end(), [](float x) { return x == 0; })) row[0] = 1;
    rows.push_back(std::move(row));
  }
  return rows;
}

inline Vectors random_dense(SplitMix& random, const NumberShape& shape) { return dense_of(shape.dimensions, random_rows(random, shape)); }

/// The same rows with their zeros left out, at scattered indices.
inline Vectors random_sparse(SplitMix& random, const NumberShape& shape) {
  std::vector<std::map<std::uint64_t, double>> rows;
  for (const std::vector<float>& numbers : random_rows(random, shape)) {
    rows.emplace_back();
    for (std::size_t d = 0; d < numbers.size(); ++d) {
      if (numbers[d] != 0) rows.back()[mix64(d + 1)] = static_cast<double>(numbers[d]);
    }
  }
  return sparse_of(rows);
}

/// Codes of which a share are an earlier one with up to `most_flips` bits flipped. `ones`: share of ones in each; place p is always 0 for
/// p below `constant`.
struct BitShape {
  std::size_t count;
  std::uint32_t dimensions;
  double copied = 0.4;
  std::uint32_t most_flips = 4;
  double ones = 0.5;
  std::uint32_t constant = 0;
};

inline Vectors random_bits(SplitMix& random, const BitShape& shape) {
  std::vector<std::vector<bool>> rows;
  while (rows.size() < shape.count) {
    const bool copy = !rows.empty() && uniform(random) < shape.copied;
    std::vector<bool> row = copy ? rows[random() % rows.size()] : std::vector<bool>(shape.dimensions);
    for (std::uint32_t b = shape.constant; !copy && b < shape.dimensions; ++b) row[b] = uniform(random) < shape.ones;
    for (std::uint64_t flips = copy ? random() % (shape.most_flips + 1) : 0; flips > 0; --flips) {
      if (const auto place = random() % shape.dimensions; place >= shape.constant) row[place] = !row[place];
    }
    rows.push_back(std::move(row));
  }
  return bits_of(shape.dimensions, rows);
}

inline std::vector<Row> all_rows(const Vectors& vectors) {
  std::vector<Row> rows(vectors.size());
  std::iota(rows.begin(), rows.end(), Row{0});
  return rows;
}

inline Plan similarity_plan(Measure measure, double threshold) {
  Plan plan;
  plan.measure = measure;
  plan.threshold = {static_cast<std::uint64_t>(threshold * 1e9 + 0.5), 1'000'000'000};
  return plan;
}

inline Plan distance_plan(Measure measure, double radius) {
  Plan plan;
  plan.measure = measure;
  plan.radius = radius;
  return plan;
}

/// Every pair of the members inside the border, by Space::value.
inline Matches look_at_all(const Vectors& vectors, std::vector<Row> members, Row split, const Plan& plan) {
  const Space space(vectors, vectors, plan.measure);
  const Border border(plan, vectors.dimensions);
  std::sort(members.begin(), members.end());
  Matches matches;
  for (std::size_t i = 0; i < members.size(); ++i) {
    for (std::size_t j = i + 1; j < members.size(); ++j) {
      if (split != 0 && (members[i] < split) == (members[j] < split)) continue;
      const double value = space.value(members[i], members[j]);
      if (border.inside(value)) matches.push_back({members[i], members[j], 0, 0, value});
    }
  }
  return matches;
}

}  // namespace nearkin::test

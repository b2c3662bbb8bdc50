// Points with near neighbours among them, and their neighbours by looking at every item.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nearkin/query.h>

#include "base/hash.h"
#include "support/random.h"

namespace nearkin::test {

/// About normal: a sum of uniform numbers.
inline double bell(SplitMix& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += uniform(random);
  return sum;
}

/// Groups of five around centres, nearer and farther.
inline Vectors dense_groups(std::size_t count, std::uint32_t dimensions, std::uint64_t seed, double offset = 0) {
  SplitMix random(seed);
  Vectors vectors{.kind = Vectors::Kind::dense, .dimensions = dimensions, .count = count};
  std::vector<double> centre(dimensions);
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 5 == 0) std::generate(centre.begin(), centre.end(), [&] { return bell(random); });
    const double spread = 0.1 + 0.15 * static_cast<double>(i % 5);
    for (const double x : centre) vectors.numbers.push_back(static_cast<float>(offset + x + spread * bell(random)));
  }
  return vectors;
}

inline Vectors bit_groups(std::size_t count, std::uint32_t bits, std::uint64_t seed) {
  SplitMix random(seed);
  Vectors vectors{.kind = Vectors::Kind::bits, .dimensions = bits, .count = count};
  std::vector<std::uint64_t> centre(vectors.word_count());
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 5 == 0) std::generate(centre.begin(), centre.end(), [&] { return random(); });
    std::vector<std::uint64_t> words = centre;
    for (std::size_t flips = random() % (bits / 8 + 1); flips > 0; --flips) {
      const std::size_t bit = random() % bits;
      words[bit / 64] ^= std::uint64_t{1} << (bit % 64);
    }
    if (bits % 64 != 0) words.back() &= (std::uint64_t{1} << (bits % 64)) - 1;
    vectors.words.insert(vectors.words.end(), words.begin(), words.end());
  }
  return vectors;
}

/// Weights of 20 to 40 of 5000 indices, some groups' members with other weights or other indices than their first.
inline Vectors sparse_groups(std::size_t count, std::uint64_t seed) {
  SplitMix random(seed);
  Vectors vectors{.kind = Vectors::Kind::sparse, .dimensions = 0, .count = count};
  std::vector<std::pair<std::uint64_t, double>> centre;
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 5 == 0) {
      centre.clear();
      for (std::size_t k = 20 + random() % 21; k > 0; --k) centre.emplace_back(random() % 5000, 0.5 + 2 * uniform(random));
    }
    std::vector<std::pair<std::uint64_t, double>> entries = centre;
    for (auto& [index, value] : entries) {
      if (random() % 10 < i % 5) index = random() % 5000;
      value *= 0.9 + 0.2 * uniform(random);
    }
    std::sort(entries.begin(), entries.end());
    for (std::size_t k = 0; k < entries.size(); ++k) {
      if (k > 0 && entries[k].first == entries[k - 1].first) continue;
      vectors.indices.push_back(entries[k].first);
      vectors.values.push_back(entries[k].second);
    }
    vectors.ends.push_back(vectors.indices.size());
  }
  return vectors;
}

/// Sets of about 60 elements; members of a group share more or less of them.
inline Features set_groups(std::size_t count, std::uint64_t seed) {
  SplitMix random(seed);
  Features features;
  std::vector<std::uint64_t> centre;
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 5 == 0) {
      centre.resize(40 + random() % 41);
      std::generate(centre.begin(), centre.end(), [&] { return random() % 1'000'000; });
    }
    std::vector<std::uint64_t> set = centre;
    for (std::uint64_t& x : set) {
      if (random() % 20 < 2 * (i % 5)) x = random() % 1'000'000;
    }
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
    features.hashes.insert(features.hashes.end(), set.begin(), set.end());
    features.ends.push_back(features.hashes.size());
  }
  return features;
}

/// Rows of a table as sets: one element for each column and answer.
inline Features table_groups(std::size_t count, std::uint32_t columns, std::uint64_t seed) {
  const Vectors bits = bit_groups(count, columns, seed);
  Features features;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::uint64_t> set;
    for (std::uint32_t c = 0; c < columns; ++c) set.push_back(mix64(2 * c + (bits.bits(i)[c / 64] >> (c % 64) & 1)));
    std::sort(set.begin(), set.end());
    features.hashes.insert(features.hashes.end(), set.begin(), set.end());
    features.ends.push_back(features.hashes.size());
  }
  return features;
}

inline double set_value(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b, Measure measure) {
  std::vector<std::uint64_t> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  const auto shared = static_cast<double>(both.size()), size_a = static_cast<double>(a.size()), size_b = static_cast<double>(b.size());
  if (measure == Measure::containment) return shared / size_a;
  if (measure == Measure::hamming) return (size_a + size_b) / 2 - shared;
  return shared / (size_a + size_b - shared);
}

/// An item as index → value.
inline std::vector<std::pair<std::uint64_t, double>> entries_of(const Vectors& vectors, std::size_t i) {
  std::vector<std::pair<std::uint64_t, double>> entries;
  if (vectors.kind == Vectors::Kind::sparse) {
    const SparseView view = vectors.sparse(i);
    for (std::size_t k = 0; k < view.indices.size(); ++k) entries.emplace_back(view.indices[k], view.values[k]);
    return entries;
  }
  for (std::uint32_t place = 0; place < vectors.dimensions; ++place) {
    const bool bits = vectors.kind == Vectors::Kind::bits;
    const auto bit = [&] { return static_cast<double>(vectors.bits(i)[place / 64] >> (place % 64) & 1); };
    entries.emplace_back(place, bits ? bit() : static_cast<double>(vectors.dense(i)[place]));
  }
  return entries;
}

inline double vector_value(const Vectors& a, std::size_t i, const Vectors& b, std::size_t j, Measure measure) {
  const auto x = entries_of(a, i), y = entries_of(b, j);
  double dot = 0, xx = 0, yy = 0, squares = 0, absolute = 0, least = 0, most = 0;
  for (std::size_t k = 0, l = 0; k < x.size() || l < y.size();) {
    const bool left = l == y.size() || (k < x.size() && x[k].first <= y[l].first);
    const bool right = k == x.size() || (l < y.size() && y[l].first <= x[k].first);
    const double u = left ? x[k].second : 0, v = right ? y[l].second : 0;
    dot += u * v, xx += u * u, yy += v * v;
    squares += (u - v) * (u - v), absolute += std::abs(u - v);
    least += std::min(u, v), most += std::max(u, v);
    k += left, l += right;
  }
  switch (measure) {
    case Measure::cosine: return dot / std::sqrt(xx * yy);
    case Measure::euclidean: return std::sqrt(squares);
    case Measure::weighted_jaccard: return least / most;
    default: return absolute;
  }
}

inline double value_of(const Points& a, std::size_t i, const Points& b, std::size_t j, Measure measure) {
  if (const auto* sets = std::get_if<Features>(&a)) return set_value((*sets)[i], std::get<Features>(b)[j], measure);
  return vector_value(std::get<Vectors>(a), i, std::get<Vectors>(b), j, measure);
}

inline std::size_t count_of(const Points& points) {
  return std::visit([](const auto& held) { return held.size(); }, points);
}

struct Neighbour {
  double value;
  Row row;
};

/// All other items, best first, ties by row.
inline std::vector<Neighbour> neighbours(const Points& queries, Row query, const Points& collection, Measure measure, bool itself) {
  std::vector<Neighbour> all;
  for (std::size_t i = 0; i < count_of(collection); ++i) {
    if (itself || i != query) all.push_back({value_of(queries, query, collection, i, measure), static_cast<Row>(i)});
  }
  std::sort(all.begin(), all.end(), [measure](const Neighbour& x, const Neighbour& y) {
    const double a = is_distance(measure) ? x.value : -x.value, b = is_distance(measure) ? y.value : -y.value;
    return a < b || (a == b && x.row < y.row);
  });
  return all;
}

/// What a plan is for and how it finds it.
struct PlanParts {
  Measure measure = Measure::jaccard;
  Family family = Family::minhash;
  double near_enough = 0.5;  ///< threshold or radius
  std::uint32_t bands = 0, rows = 0;
  std::uint32_t nearest = 0;
  double recall = 0.9, width = 0;
  std::uint32_t dimensions = 0;
  std::uint32_t hashes = 0;
  std::uint32_t probes = 1;
  std::uint64_t seed = 1;
};

inline Plan plan_of(const PlanParts& parts) {
  Plan plan;
  plan.measure = parts.measure;
  plan.recall = parts.recall;
  if (is_distance(parts.measure)) {
    plan.radius = parts.nearest != 0 ? 0 : parts.near_enough;
  } else {
    plan.threshold = ratio(parts.near_enough);
  }
  plan.sketch = {.hashes = parts.hashes != 0 ? parts.hashes : parts.bands * parts.rows,
                 .seed = parts.seed,
                 .family = parts.family,
                 .width = parts.width,
                 .dimensions = parts.dimensions};
  plan.band = {.bands = parts.bands, .rows = parts.rows, .probes = parts.probes};
  plan.nearest = parts.nearest;
  if (parts.family == Family::bit_sampling) plan.kind = Kind::bits;
  if (parts.family != Family::bit_sampling && parts.family != Family::minhash) plan.kind = Kind::numbers;
  return plan;
}

}  // namespace nearkin::test

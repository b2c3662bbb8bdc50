// Sets of a wanted similarity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <nearkin/stages.h>

#include "base/hash.h"

namespace nearkin::test {

using Set = std::vector<std::uint64_t>;

/// |A∩B|, |A\B| and |B\A|.
struct Overlapping {
  std::size_t shared, only_a, only_b;
  double jaccard() const { return static_cast<double>(shared) / static_cast<double>(shared + only_a + only_b); }
};

/// Elements drawn at random from 64 bits.
inline std::pair<Set, Set> random_sets(SplitMix& random, const Overlapping& sizes) {
  Set a, b;
  for (std::size_t i = 0; i < sizes.shared; ++i) {
    a.push_back(random());
    b.push_back(a.back());
  }
  for (std::size_t i = 0; i < sizes.only_a; ++i) a.push_back(random());
  for (std::size_t i = 0; i < sizes.only_b; ++i) b.push_back(random());
  return {std::move(a), std::move(b)};
}

/// Consecutive numbers: what ids of a table look like, and what linear hash functions fail on.
inline std::pair<Set, Set> consecutive_sets(std::uint64_t first, const Overlapping& sizes) {
  Set a, b;
  const std::uint64_t b_begins = first + sizes.only_a, a_ends = b_begins + sizes.shared, end = a_ends + sizes.only_b;
  for (std::uint64_t x = first; x < a_ends; ++x) a.push_back(x);
  for (std::uint64_t x = b_begins; x < end; ++x) b.push_back(x);
  return {std::move(a), std::move(b)};
}

/// Sets, each ascending, as the stages take them.
inline Features features_of(const std::vector<Set>& sets) {
  Features features;
  for (const Set& set : sets) {
    features.hashes.insert(features.hashes.end(), set.begin(), set.end());
    features.ends.push_back(features.hashes.size());
  }
  return features;
}

}  // namespace nearkin::test

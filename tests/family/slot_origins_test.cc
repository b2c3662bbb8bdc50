// Where the slots of a sketch come from.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include <nearkin/stages.h>
#include <nearkin/tools/compare.h>

#include "support/random_sets.h"

namespace nearkin::slot_origins_test {
namespace {

using test::features_of;
using test::Set;

Set random_set(SplitMix& random, std::size_t size) {
  Set set(size);
  std::generate(set.begin(), set.end(), [&] { return random(); });
  std::sort(set.begin(), set.end());
  return set;
}

// Few elements and many slots: most are filled by the fallback. More than 256 slots: elements are thrown several times.
struct Shape {
  std::size_t elements;
  std::uint32_t hashes;
};
constexpr Shape kShapes[] = {{1, 12}, {5, 12}, {300, 12}, {40, 136}, {3000, 136}, {40, 300}, {900, 300}, {2000, 1000}, {20000, 1000}};

TEST(SlotOrigins, AnElementHasByItselfWhatItGaveTheSlot) {
  SplitMix random(1);
  for (const auto& [elements, hashes] : kShapes) {
    const Set set = random_set(random, elements);
    const SketchPlan plan{.hashes = hashes, .seed = random()};
    const Sketches whole = sketch(features_of({set}), plan);
    const std::vector<SlotOrigin> origins = slot_origins(set, plan);
    ASSERT_EQ(origins.size(), hashes);
    for (std::uint32_t slot = 0; slot < hashes; ++slot) {
      ASSERT_TRUE(std::binary_search(set.begin(), set.end(), origins[slot].element));
      // Thrown a second time it has another value by itself only in slots that it fell into the first time.
      if (origins[slot].round.value_or(0) > 0) continue;
      ASSERT_EQ(sketch(features_of({{origins[slot].element}}), plan)[0][slot], whole[0][slot]) << "slot " << slot;
    }
  }
}

TEST(SlotOrigins, WithoutTheElementTheSlotIsAnotherOne) {
  SplitMix random(2);
  for (const auto& [elements, hashes] : kShapes) {
    if (elements < 2 || elements > 1000) continue;
    const Set set = random_set(random, elements);
    const SketchPlan plan{.hashes = hashes, .seed = random()};
    const Sketches whole = sketch(features_of({set}), plan);
    const std::vector<SlotOrigin> origins = slot_origins(set, plan);
    for (std::uint32_t slot = 0; slot < hashes; ++slot) {
      Set rest = set;
      std::erase(rest, origins[slot].element);
      ASSERT_NE(sketch(features_of({rest}), plan)[0][slot], whole[0][slot]) << "slot " << slot;
    }
  }
}

TEST(SlotOrigins, WhatIsThrownOnceFallsIntoOneSlot) {
  SplitMix random(3);
  const Set set = random_set(random, 20);
  const std::vector<SlotOrigin> origins = slot_origins(set, {.hashes = 100, .seed = 7});
  std::multiset<std::uint64_t> thrown;
  for (const SlotOrigin& origin : origins) {
    if (origin.round) thrown.insert(origin.element);
  }
  EXPECT_GT(thrown.size(), 12u);
  EXPECT_LE(thrown.size(), 20u);
  for (const std::uint64_t element : thrown) EXPECT_EQ(thrown.count(element), 1u);
}

TEST(SlotOrigins, RoundsAreAsManyAsTheSketchHas) {
  SplitMix random(4);
  const auto last_round = [&](std::uint32_t hashes) {
    std::uint32_t last = 0;
    for (const SlotOrigin& origin : slot_origins(random_set(random, hashes), {.hashes = hashes, .seed = 1}))
      last = std::max(last, origin.round.value_or(0));
    return last;
  };
  EXPECT_EQ(last_round(256), 0u);
  EXPECT_EQ(last_round(512), 1u);
  EXPECT_EQ(last_round(1000), 3u);
}

}  // namespace
}  // namespace nearkin::slot_origins_test

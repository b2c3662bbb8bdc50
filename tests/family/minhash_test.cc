#include "family/minhash.h"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include <nearkin/error.h>
#include <nearkin/stages.h>

#include "base/hash.h"
#include "support/random_sets.h"

namespace nearkin::minhash_test {
namespace {

using test::Set;
using Slots = std::vector<std::uint32_t>;

Slots sketch_of(const Set& elements, const SketchPlan& plan) {
  Slots slots(plan.hashes);
  MinHasher(plan).sketch(elements, slots.data());
  return slots;
}

Slots classic_of(const Set& elements, const SketchPlan& plan) {
  Slots slots(plan.hashes);
  classic_minhash(elements, plan, slots.data());
  return slots;
}

Set numbers_up_to(std::uint64_t count) {
  Set set(count);
  std::iota(set.begin(), set.end(), 1);
  return set;
}

std::uint64_t digest(const Slots& slots) {
  std::uint64_t sum = 0xcbf29ce484222325u;
  for (const std::uint32_t slot : slots) sum = (sum ^ slot) * 0x100000001b3u;
  return sum;
}

struct Frozen {
  SketchPlan plan;
  std::uint64_t count;  // the set is 1 … count
  std::uint32_t first, last;
  std::uint64_t digest;
};

void expect_frozen(const std::vector<Frozen>& vectors, Slots (*sketcher)(const Set&, const SketchPlan&)) {
  for (const Frozen& frozen : vectors) {
    const Slots slots = sketcher(numbers_up_to(frozen.count), frozen.plan);
    EXPECT_TRUE(slots.front() == frozen.first && slots.back() == frozen.last && digest(slots) == frozen.digest)
        << "{{" << frozen.plan.hashes << ", " << frozen.plan.seed << "}, " << frozen.count << ", " << slots.front() << "u, " << slots.back()
        << "u, " << digest(slots) << "u},";
  }
}

// FROZEN: sketches are stored and compared between machines and versions. These must be equal on every machine, for ever; a change
// here is a new format, not a new expectation.
TEST(MinHash, KeepsItsFrozenValues) {
  expect_frozen(
      {
          {{1, 1}, 1, 1548926272u, 1548926272u, 18293337856809969055u},
          {{1, 1}, 7, 35754214u, 35754214u, 10445073833731454041u},
          {{1, 1}, 1000, 608071u, 608071u, 13305034405995844230u},
          {{16, 1}, 1, 2468713088u, 4024934241u, 12507344313139281433u},
          {{16, 1}, 7, 572067439u, 1523313353u, 13251248077198219111u},
          {{16, 1}, 1000, 9729146u, 187051668u, 9947939874186747479u},
          {{136, 1}, 1, 2468713088u, 3743002290u, 11659850275553859964u},
          {{136, 1}, 7, 660070942u, 118219364u, 17294415423258912838u},
          {{136, 1}, 1000, 82697748u, 1328775763u, 8728191324888547022u},
          {{136, 42}, 1, 1476330379u, 1508962996u, 3159117609295168450u},
          {{136, 42}, 7, 373911943u, 926137823u, 10841654603406009731u},
          {{136, 42}, 1000, 1365246957u, 252237702u, 7133792917127946170u},
          {{300, 1}, 7, 660070942u, 366947792u, 18318473207781596091u},
          {{300, 1}, 1000, 182421503u, 2157764742u, 4790010782843976122u},
          {{600, 1}, 7, 660070942u, 575115650u, 14037725651210959710u},
          {{600, 1}, 1000, 364843006u, 20562188u, 9553390408624076281u},
          {{600, 18446744073709551615u}, 7, 1303389698u, 886444209u, 2425341907456474915u},
      },
      sketch_of);
}

// FROZEN likewise.
TEST(MinHash, KeepsTheFrozenValuesOfTheClassicSketch) {
  expect_frozen(
      {
          {{1, 1}, 7, 660070942u, 660070942u, 216686811334268737u},
          {{136, 1}, 7, 660070942u, 118219364u, 2176137436017571570u},
          {{136, 42}, 1000, 1146566u, 3067905u, 15321878917623136493u},
      },
      classic_of);
}

// FROZEN: the smallest sketch in full, to find one's way when the digests differ.
TEST(MinHash, KeepsTheFrozenSlotsOfASmallSketch) {
  EXPECT_EQ(sketch_of({1, 2, 3}, {.hashes = 8, .seed = 1}),
            (Slots{1087561883, 1564062107, 3801475586, 1005296409, 2295207666, 1846092171, 4127864036, 1094228623}));
}

TEST(MinHash, KeepsItsFrozenRounds) {
  for (const std::uint32_t hashes : {1u, 16u, 256u}) EXPECT_EQ(minhash_rounds(hashes), 1u);
  for (const std::uint32_t hashes : {257u, 512u}) EXPECT_EQ(minhash_rounds(hashes), 2u);
  for (const std::uint32_t hashes : {513u, 1024u, 5000u}) EXPECT_EQ(minhash_rounds(hashes), 4u);
}

// The definition, slot by slot: of all elements the least (round, value), where only the last round reaches every slot.
std::uint32_t slot_by_definition(const Set& elements, const SketchPlan& plan, std::uint32_t slot) {
  SplitMix random(plan.seed);
  const std::uint64_t key = random();
  std::uint64_t bits = 0;
  for (std::uint32_t j = 0; j <= slot; ++j) bits = random();
  const std::uint32_t rounds = minhash_rounds(plan.hashes);
  std::vector<std::pair<std::uint32_t, std::uint64_t>> keys;
  for (const std::uint64_t element : elements) {
    const std::uint64_t mixed = mix64(element ^ key);
    for (std::uint32_t round = 0; round < rounds; ++round) {
      const std::uint64_t placed = round == 0 ? mixed : mix64(mixed + round * 0x9e3779b97f4a7c15u);
      const Product128 place = multiply128(placed, plan.hashes);
      if (place.high == slot) keys.emplace_back(round, place.low >> 32);
    }
    const std::uint32_t last =
        (static_cast<std::uint32_t>(bits) | 1) * static_cast<std::uint32_t>(mixed) + static_cast<std::uint32_t>(bits >> 32);
    keys.emplace_back(rounds, last);
  }
  return static_cast<std::uint32_t>(std::min_element(keys.begin(), keys.end())->second);
}

TEST(MinHash, IsTheLeastOfRoundAndValueInEverySlot) {
  SplitMix random(11);
  for (const std::uint32_t hashes : {1u, 2u, 3u, 17u, 64u, 136u, 300u, 600u}) {
    for (const std::size_t size : {1u, 2u, 15u, 16u, 17u, 100u, 700u}) {
      const SketchPlan plan{.hashes = hashes, .seed = random()};
      Set set(size);
      for (std::uint64_t& element : set) element = random();
      const Slots slots = sketch_of(set, plan);
      const std::uint32_t step = size > 20 ? 7 : 1;
      for (std::uint32_t j = 0; j < hashes; j += step) {
        ASSERT_EQ(slots[j], slot_by_definition(set, plan, j)) << hashes << ' ' << size << ' ' << j;
      }
    }
  }
}

TEST(MinHash, IgnoresOrderAndRepetition) {
  SplitMix random(5);
  for (const std::uint32_t hashes : {1u, 16u, 136u, 300u, 600u}) {
    for (const std::size_t size : {1u, 2u, 15u, 16u, 17u, 100u, 3000u}) {
      const SketchPlan plan{.hashes = hashes, .seed = 9};
      Set set(size);
      for (std::uint64_t& element : set) element = random();
      const Slots once = sketch_of(set, plan), classic = classic_of(set, plan);
      Set again = set;
      for (std::size_t i = 0; i < 2 * size; ++i) again.push_back(set[random() % size]);
      for (std::size_t i = again.size(); i > 1; --i) std::swap(again[i - 1], again[random() % i]);
      ASSERT_EQ(sketch_of(again, plan), once) << hashes << ' ' << size;
      ASSERT_EQ(classic_of(again, plan), classic) << hashes << ' ' << size;
    }
  }
}

TEST(MinHash, IsUntouchedByTheSetsSketchedBefore) {
  const SketchPlan plan{.hashes = 300, .seed = 3};
  MinHasher hasher(plan);
  Slots slots(plan.hashes);
  for (const std::uint64_t size : {5000u, 3u, 400u, 1u, 17u, 5000u}) {
    hasher.sketch(numbers_up_to(size), slots.data());
    ASSERT_EQ(slots, sketch_of(numbers_up_to(size), plan)) << size;
  }
}

TEST(MinHash, ChangesWithTheSeed) {
  const Slots one = sketch_of(numbers_up_to(50), {.hashes = 136, .seed = 1});
  const Slots two = sketch_of(numbers_up_to(50), {.hashes = 136, .seed = 2});
  EXPECT_LT(estimate(one, two), 0.02);
}

TEST(MinHash, OfDisjointSetsHasNoEqualSlots) {
  SplitMix random(6);
  for (const std::size_t size : {1u, 3u, 20u, 500u, 50'000u}) {
    std::uint64_t equal = 0, slots = 0;
    const int trials = size > 1000 ? 20 : 400;
    for (int trial = 0; trial < trials; ++trial) {
      const auto [a, b] = test::random_sets(random, {0, size, size});
      for (const std::uint32_t hashes : {64u, 600u}) {
        const SketchPlan plan{.hashes = hashes, .seed = random()};
        const Slots left = sketch_of(a, plan), right = sketch_of(b, plan);
        slots += hashes;
        for (std::uint32_t j = 0; j < hashes; ++j) equal += left[j] == right[j];
      }
    }
    EXPECT_LE(equal, size > 1000 ? 1u : 0u) << size << ": of " << slots;
  }
}

TEST(MinHash, OfOneExtremeElementIsASketchLikeAnyOther) {
  for (const std::uint64_t element : {std::uint64_t{0}, std::uint64_t{1}, UINT64_MAX}) {
    const Slots slots = sketch_of({element}, {.hashes = 136, .seed = 1});
    EXPECT_GT(std::count_if(slots.begin(), slots.end(), [](std::uint32_t s) { return s != 0 && s != UINT32_MAX; }), 130);
    EXPECT_EQ(estimate(slots, sketch_of({element, element}, {.hashes = 136, .seed = 1})), 1.0);
  }
}

TEST(Sketch, FlagsEmptyItemsAndLeavesTheirSlotsZero) {
  const Features features = test::features_of({{1, 2, 3}, {}, {1, 2, 3}, {}});
  const Sketches sketches = sketch(features, {.hashes = 40, .seed = 1});
  EXPECT_EQ(sketches.empty, (std::vector<std::uint8_t>{0, 1, 0, 1}));
  EXPECT_TRUE(std::all_of(sketches[1].begin(), sketches[1].end(), [](std::uint32_t s) { return s == 0; }));
  EXPECT_EQ(estimate(sketches[0], sketches[2]), 1.0);
  EXPECT_EQ(Slots(sketches[0].begin(), sketches[0].end()), sketch_of({1, 2, 3}, {.hashes = 40, .seed = 1}));
}

TEST(Sketch, RefusesNoSlots) { EXPECT_THROW(sketch(test::features_of({{1}}), {.hashes = 0, .seed = 1}), Error); }

TEST(Estimate, IsTheShareOfEqualSlots) {
  const Slots a{1, 2, 3, 4}, b{1, 9, 3, 8};
  EXPECT_EQ(estimate(a, b), 0.5);
  EXPECT_EQ(estimate({}, {}), 0.0);
}

}  // namespace
}  // namespace nearkin::minhash_test

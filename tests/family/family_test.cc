// The protocol that every family of vectors keeps.
#include "family/family.h"

#include <bit>
#include <cmath>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include <nearkin/error.h>
#include <nearkin/tools/forecast.h>
#include <nearkin/tools/names.h>

#include "base/hash.h"
#include "support/instruction_sets.h"
#include "support/vector_pairs.h"

namespace nearkin::family_test {
namespace {

using test::Bits;
using test::Dense;
using test::sketch_of;
using test::Slots;
using test::Sparse;
using test::vectors_of;

// Whole numbers from 1 to 100, so that every family takes them and nothing depends on a rounding.
std::vector<Dense> dense_rows(std::size_t dimensions, std::size_t count) {
  SplitMix random(dimensions);
  std::vector<Dense> rows(count, Dense(dimensions));
  for (Dense& row : rows) {
    for (float& number : row) number = static_cast<float>(1 + random() % 100);
  }
  return rows;
}

std::vector<Sparse> sparse_rows(std::size_t places, std::size_t count) {
  SplitMix random(places);
  std::vector<Sparse> rows(count);
  for (Sparse& row : rows) {
    std::uint64_t index = 0;
    for (std::size_t i = 0; i < places; ++i) {
      index += 1 + random() % 1000;
      row.emplace_back(index, static_cast<double>(1 + random() % 100) / 8);
    }
  }
  return rows;
}

std::vector<Bits> bit_rows(std::size_t dimensions, std::size_t count) {
  SplitMix random(dimensions);
  std::vector<Bits> rows(count, Bits(dimensions));
  for (Bits& row : rows) {
    for (std::size_t d = 0; d < dimensions; ++d) row[d] = random() % 2 == 0;
  }
  return rows;
}

struct Case {
  std::string name;
  SketchPlan plan;
  Vectors vectors;
};

// Every family over every kind that it takes, on every road of the projections.
std::vector<Case> cases(std::size_t items) {
  std::vector<Case> all;
  const auto add = [&](const std::string& name, Family family, const Vectors& vectors) {
    for (const std::uint32_t hashes : {1u, 40u, 300u}) {
      all.push_back({name + " " + std::to_string(hashes), {.hashes = hashes, .seed = 5, .family = family, .width = 200}, vectors});
    }
  };
  for (const std::size_t dimensions : {1u, 20u, 63u, 64u, 100u, 300u}) {
    const Vectors vectors = vectors_of(dense_rows(dimensions, items));
    const std::string name = " of " + std::to_string(dimensions);
    add("hyperplane" + name, Family::hyperplane, vectors);
    add("gaussian" + name, Family::gaussian, vectors);
    add("cauchy" + name, Family::cauchy, vectors);
    add("weighted" + name, Family::weighted_minhash, vectors);
    add("bits" + name, Family::bit_sampling, vectors_of(bit_rows(dimensions, items)));
  }
  for (const std::size_t places : {1u, 30u}) {
    const Vectors vectors = vectors_of(sparse_rows(places, items));
    const std::string name = " of sparse " + std::to_string(places);
    add("hyperplane" + name, Family::hyperplane, vectors);
    add("gaussian" + name, Family::gaussian, vectors);
    add("cauchy" + name, Family::cauchy, vectors);
    add("weighted" + name, Family::weighted_minhash, vectors);
  }
  return all;
}

Slots sketch_all(AnyVectorHasher& hasher, const Case& one, std::size_t begin, std::size_t end) {
  Slots slots((end - begin) * one.plan.hashes);
  sketch_range(hasher, one.vectors, begin, end, slots.data(), one.plan.hashes);
  return slots;
}

AnyVectorHasher hasher_of(const Case& one) { return vector_hasher(one.plan, one.vectors.kind, one.vectors.dimensions); }

TEST(VectorFamily, GivesTheSameSlotsAgainAndFromAnyHasherOfThePlan) {
  for (const Case& one : cases(5)) {
    AnyVectorHasher first = hasher_of(one), second = hasher_of(one), copy = first;
    const Slots slots = sketch_all(first, one, 0, 5);
    EXPECT_EQ(sketch_all(first, one, 0, 5), slots) << one.name;
    EXPECT_EQ(sketch_all(second, one, 0, 5), slots) << one.name;
    EXPECT_EQ(sketch_all(copy, one, 0, 5), slots) << one.name;
  }
}

TEST(VectorFamily, SketchesItemsByThemselvesInAnyOrder) {
  for (const Case& one : cases(4)) {
    AnyVectorHasher all = hasher_of(one), single = hasher_of(one);
    const Slots slots = sketch_all(all, one, 0, 4);
    for (const std::size_t i : {3u, 0u, 2u, 1u, 3u}) {
      const auto begin = slots.begin() + static_cast<std::ptrdiff_t>(i * one.plan.hashes);
      EXPECT_EQ(sketch_all(single, one, i, i + 1), Slots(begin, begin + one.plan.hashes)) << one.name << " item " << i;
    }
  }
}

TEST(VectorFamily, GivesEqualVectorsEqualSlots) {
  for (Case& one : cases(1)) {
    Vectors& v = one.vectors;
    const Vectors single = v;
    v.count = 2;
    v.numbers.insert(v.numbers.end(), single.numbers.begin(), single.numbers.end());
    v.words.insert(v.words.end(), single.words.begin(), single.words.end());
    v.indices.insert(v.indices.end(), single.indices.begin(), single.indices.end());
    v.values.insert(v.values.end(), single.values.begin(), single.values.end());
    v.ends.push_back(v.indices.size());
    EXPECT_EQ(sketch_of(v, 0, one.plan), sketch_of(v, 1, one.plan)) << one.name;
  }
}

TEST(VectorFamily, ChangesWithTheSeedAndWithTheItem) {
  for (const Case& one : cases(2)) {
    // One hash may agree by chance, and so do all sides of lines through one point and slots of one bit.
    if (one.plan.hashes < 300 || one.vectors.dimensions == 1) continue;
    if (one.vectors.kind == Vectors::Kind::sparse && one.vectors.ends[0] == 1 && one.plan.family == Family::hyperplane) continue;
    SketchPlan other = one.plan;
    other.seed = 6;
    EXPECT_NE(sketch_of(one.vectors, 0, one.plan), sketch_of(one.vectors, 0, other)) << one.name;
    EXPECT_NE(sketch_of(one.vectors, 0, one.plan), sketch_of(one.vectors, 1, one.plan)) << one.name;
  }
}

TEST(VectorFamily, IsTheSameWithEveryInstructionSet) {
  std::vector<Slots> expected;
  for (const Case& one : cases(2)) {
    AnyVectorHasher hasher = hasher_of(one);
    expected.push_back(sketch_all(hasher, one, 0, 2));
  }
  test::with_each_instruction_set([&] {
    std::size_t i = 0;
    for (const Case& one : cases(2)) {
      AnyVectorHasher hasher = hasher_of(one);
      ASSERT_EQ(sketch_all(hasher, one, 0, 2), expected[i++]) << one.name;
    }
  });
}

TEST(Hyperplane, DoesNotSeeTheLengthOfAVector) {
  for (Case& one : cases(1)) {
    if (one.plan.family != Family::hyperplane) continue;
    const Slots slots = sketch_of(one.vectors, 0, one.plan);
    for (const double factor : {0x1p-100, 0.5, 8.0, 0x1p100}) {
      Vectors scaled = one.vectors;
      for (float& number : scaled.numbers) number *= static_cast<float>(factor);
      for (double& value : scaled.values) value *= factor;
      EXPECT_EQ(sketch_of(scaled, 0, one.plan), slots) << one.name << " times " << factor;
    }
    // Other factors round, which can only turn the sign of a projection next to 0.
    Vectors scaled = one.vectors;
    for (float& number : scaled.numbers) number *= 0.3f;
    for (double& value : scaled.values) value *= 0.3;
    const Slots turned = sketch_of(scaled, 0, one.plan);
    std::size_t equal = 0;
    for (std::size_t j = 0; j < slots.size(); ++j) equal += slots[j] == turned[j];
    EXPECT_GE(equal + 1, slots.size()) << one.name;
  }
}

TEST(Hyperplane, GivesAVectorOfZerosASketch) {
  const Vectors zeros = vectors_of(std::vector<Dense>{Dense(100), Dense(100)});
  EXPECT_EQ(sketch_of(zeros, 0, {.hashes = 10, .family = Family::hyperplane}), Slots(10, 1));
}

TEST(Stable, SlotsAreTheFloorsOfPositions) {
  for (const Case& one : cases(3)) {
    if (one.plan.family != Family::gaussian && one.plan.family != Family::cauchy) continue;
    StableHasher hasher(one.plan, one.vectors.kind, one.vectors.dimensions);
    Slots slots(one.plan.hashes);
    std::vector<float> positions(one.plan.hashes);
    for (std::size_t i = 0; i < 3; ++i) {
      hasher.sketch(one.vectors, i, slots.data());
      hasher.positions(one.vectors, i, positions.data());
      for (std::size_t j = 0; j < slots.size(); ++j) {
        ASSERT_EQ(static_cast<double>(static_cast<std::int32_t>(slots[j])), std::floor(double{positions[j]})) << one.name;
      }
    }
  }
}

TEST(Stable, TakesNumbersOfAnySize) {
  for (const double size : {1e-300, 1e-38, 1e38, 1e300}) {
    for (const double width : {1e-300, 1.0, 1e300}) {
      for (const Family family : {Family::gaussian, Family::cauchy}) {
        const SketchPlan plan{.hashes = 50, .family = family, .width = width};
        const double most = std::min(size, 3e38);
        const Vectors dense = vectors_of(std::vector<Dense>{Dense(70, static_cast<float>(most)), Dense(70, static_cast<float>(-most))});
        const Vectors sparse = vectors_of(std::vector<Sparse>{{{1, size}, {2, size}}, {{1, -size}, {2, -size}}});
        for (const Vectors* const vectors : {&dense, &sparse}) {
          const Slots slots = sketch_of(*vectors, 0, plan), again = sketch_of(*vectors, 0, plan);
          EXPECT_EQ(slots, again);
          if (size >= 1e30 * width) {
            for (const std::uint32_t slot : slots) ASSERT_TRUE(slot == 0x80000000u || slot == 2147483520u) << size << ' ' << width;
          }
          if (width >= 1e30 * size) {
            EXPECT_EQ(slots, Slots(50, 0)) << size << ' ' << width;
          }
        }
      }
    }
  }
}

TEST(Stable, LooksUpTheDirectionsOfAMatrixTooLargeToKeep) {
  Dense x(1u << 20);
  x[3] = 2.5f;
  x[1'000'000] = -1;
  const SketchPlan plan{.hashes = 32, .seed = 3, .family = Family::cauchy, .width = 1};
  EXPECT_EQ(sketch_of(vectors_of(std::vector<Dense>{x}), 0, plan),
            sketch_of(vectors_of(std::vector<Sparse>{{{3, 2.5}, {1'000'000, -1.0}}}), 0, plan));
}

TEST(WeightedMinHash, TakesDenseAndSparseVectorsForTheSame) {
  const Vectors dense = vectors_of(std::vector<Dense>{{0, 2.5f, 0, 1, 7, 0}});
  const Vectors sparse = vectors_of(std::vector<Sparse>{{{1, 2.5}, {3, 1}, {4, 7}}});
  const SketchPlan plan{.hashes = 64, .seed = 3, .family = Family::weighted_minhash};
  EXPECT_EQ(sketch_of(dense, 0, plan), sketch_of(sparse, 0, plan));
}

TEST(WeightedMinHash, OfNoWeightsIsAllZero) {
  const Vectors vectors = vectors_of(std::vector<Sparse>{{}, {{3, -1.0}}});
  for (const std::size_t i : {0u, 1u}) EXPECT_EQ(sketch_of(vectors, i, {.hashes = 9, .family = Family::weighted_minhash}), Slots(9, 0));
}

TEST(WeightedMinHash, OfIndicesApartHasNoEqualSlots) {
  std::size_t equal = 0;
  for (std::uint64_t i = 0; i < 50; ++i) {
    const Vectors vectors = vectors_of(std::vector<Sparse>{{{2 * i, 1.0}}, {{2 * i + 1, 1.0}}});
    const SketchPlan plan{.hashes = 400, .seed = i, .family = Family::weighted_minhash};
    const Slots x = sketch_of(vectors, 0, plan), y = sketch_of(vectors, 1, plan);
    for (std::size_t j = 0; j < x.size(); ++j) equal += x[j] == y[j];
  }
  EXPECT_EQ(equal, 0u);
}

void expect_refused(const std::string& subject, const std::function<void()>& act) {
  try {
    act();
    ADD_FAILURE() << "not refused: " << subject;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::plan);
    EXPECT_EQ(error.subject(), subject) << error.what();
  }
}

TEST(VectorFamily, RefusesVectorsThatItDoesNotHash) {
  const auto make = [](Family family, Vectors::Kind kind, std::uint32_t hashes = 8, double width = 1, std::uint32_t dimensions = 64) {
    return [=] { vector_hasher({.hashes = hashes, .family = family, .width = width}, kind, dimensions); };
  };
  for (const Family family : {Family::weighted_minhash, Family::hyperplane, Family::gaussian, Family::cauchy}) {
    expect_refused("sketch", make(family, Vectors::Kind::bits));
  }
  expect_refused("sketch", make(Family::bit_sampling, Vectors::Kind::dense));
  expect_refused("sketch", make(Family::bit_sampling, Vectors::Kind::sparse));
  expect_refused("sketch", make(Family::bit_sampling, Vectors::Kind::bits, 8, 1, 0));
  expect_refused("sketch", make(Family::minhash, Vectors::Kind::sparse));
  expect_refused("hashes", make(Family::hyperplane, Vectors::Kind::dense, 0));
  for (const double width : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    expect_refused("width", make(Family::gaussian, Vectors::Kind::dense, 8, width));
    expect_refused("width", make(Family::cauchy, Vectors::Kind::sparse, 8, width));
  }
}

TEST(Digit, HasItsBitsAndTellsNeighboursApart) {
  for (const Family family :
       {Family::minhash, Family::weighted_minhash, Family::hyperplane, Family::bit_sampling, Family::gaussian, Family::cauchy}) {
    const std::uint32_t digits = 1u << digit_bits(family);
    std::vector<int> seen(digits);
    for (std::uint32_t slot = 0; slot < 4096; ++slot) {
      ASSERT_LT(digit(family, slot), digits);
      ++seen[digit(family, slot)];
    }
    for (const int count : seen) EXPECT_NEAR(count, 4096.0 / digits, 1) << name(family);
  }
  for (const std::uint32_t slot : {0u, 1u, 7u, UINT32_MAX}) {
    EXPECT_NE(digit(Family::gaussian, slot), digit(Family::gaussian, slot + 1));
    EXPECT_NE(digit(Family::gaussian, slot), digit(Family::gaussian, slot + 2));
  }
  EXPECT_EQ(digit(Family::hyperplane, 1), 1u);
  EXPECT_EQ(digit(Family::minhash, 12345), 12345u * 0x9e3779b1u >> 24);
}

std::uint64_t digest(const Slots& slots) {
  std::uint64_t sum = 0xcbf29ce484222325u;
  for (const std::uint32_t slot : slots) sum = (sum ^ slot) * 0x100000001b3u;
  return sum;
}

// FROZEN: sketches are stored and compared between machines and versions. These must be equal on every machine, for ever.
TEST(VectorFamily, KeepsItsFrozenValues) {
  const std::vector<std::pair<std::string, std::uint64_t>> frozen{
      {"hyperplane of 1 300", 12343059707466175285u},
      {"gaussian of 1 300", 10241787652602578562u},
      {"cauchy of 1 300", 6766530561599277537u},
      {"weighted of 1 300", 12871283672358464512u},
      {"bits of 1 300", 13110639052527833093u},
      {"hyperplane of 20 300", 9438427124487193924u},
      {"gaussian of 20 300", 7071644745593388201u},
      {"cauchy of 20 300", 10947091277052910521u},
      {"weighted of 20 300", 3117565493900542980u},
      {"bits of 20 300", 12104664455055159252u},
      {"hyperplane of 63 300", 4759734946738231278u},
      {"gaussian of 63 300", 6910531531861883541u},
      {"cauchy of 63 300", 16662405120712552903u},
      {"weighted of 63 300", 11754501047851145533u},
      {"bits of 63 300", 5269511660588940721u},
      {"hyperplane of 64 300", 1862687493902776889u},
      {"gaussian of 64 300", 18426771502652150473u},
      {"cauchy of 64 300", 166341306298037310u},
      {"weighted of 64 300", 12906294800967446550u},
      {"bits of 64 300", 2070622043612619737u},
      {"hyperplane of 100 300", 8525133100948723207u},
      {"gaussian of 100 300", 12094938274232535259u},
      {"cauchy of 100 300", 3077669526389586996u},
      {"weighted of 100 300", 1793563510075735717u},
      {"bits of 100 300", 9329071581753196822u},
      {"hyperplane of 300 300", 8996345082406446263u},
      {"gaussian of 300 300", 7296703505035772142u},
      {"cauchy of 300 300", 12342865732622502494u},
      {"weighted of 300 300", 1639876739255795258u},
      {"bits of 300 300", 13087386566353559215u},
      {"hyperplane of sparse 1 300", 15133257466167305270u},
      {"gaussian of sparse 1 300", 9786585958622925040u},
      {"cauchy of sparse 1 300", 3287840616849874618u},
      {"weighted of sparse 1 300", 2560049211052912425u},
      {"hyperplane of sparse 30 300", 3359875033613998541u},
      {"gaussian of sparse 30 300", 11169122093379646394u},
      {"cauchy of sparse 30 300", 905166890643816594u},
      {"weighted of sparse 30 300", 153740855365279308u},
  };
  std::size_t i = 0;
  for (const Case& one : cases(2)) {
    if (one.plan.hashes != 300) continue;
    AnyVectorHasher hasher = hasher_of(one);
    const std::uint64_t found = digest(sketch_all(hasher, one, 0, 2));
    const bool known = i < frozen.size() && frozen[i].first == one.name && frozen[i].second == found;
    EXPECT_TRUE(known) << "      {\"" << one.name << "\", " << found << "u},";
    ++i;
  }
  EXPECT_EQ(i, frozen.size());
}

}  // namespace
}  // namespace nearkin::family_test

// How often one slot of two vectors agrees, family by family, against its formula, within 4 standard errors.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include <nearkin/tools/theory.h>

#include "support/vector_pairs.h"

namespace nearkin::agreement_test {
namespace {

using test::Bits;
using test::Dense;
using test::Share;
using test::Sparse;
using test::vectors_of;

void expect_share(const Share& share, double theory, const std::string& what) {
  EXPECT_LE(std::abs(share.mean - theory), 4 * share.error + 1e-5)
      << what << ": " << share.mean << ", theory " << theory << ", " << (share.mean - theory) / share.error << " standard errors";
}

// Two unit vectors at an angle, in a random plane.
std::vector<Dense> at_angle(std::size_t dimensions, double angle) {
  GaussianStream gaussian(dimensions);
  const Dense a = test::random_dense(gaussian, dimensions), b = test::random_dense(gaussian, dimensions);
  double aa = 0, ab = 0, rest = 0;
  for (std::size_t d = 0; d < dimensions; ++d) {
    aa += double{a[d]} * double{a[d]};
    ab += double{a[d]} * double{b[d]};
  }
  std::vector<double> across(dimensions);
  for (std::size_t d = 0; d < dimensions; ++d) {
    across[d] = double{b[d]} - ab / aa * double{a[d]};
    rest += across[d] * across[d];
  }
  Dense x(dimensions), y(dimensions);
  for (std::size_t d = 0; d < dimensions; ++d) {
    x[d] = static_cast<float>(double{a[d]} / std::sqrt(aa));
    y[d] = static_cast<float>(std::cos(angle) * double{a[d]} / std::sqrt(aa) + std::sin(angle) * across[d] / std::sqrt(rest));
  }
  return {x, y};
}

// The same vectors with their places spread over many indices.
std::vector<Sparse> sparse_of(const std::vector<Dense>& rows) {
  std::vector<Sparse> result;
  for (const Dense& row : rows) {
    Sparse& sparse = result.emplace_back();
    for (std::size_t d = 0; d < row.size(); ++d) {
      if (row[d] != 0) sparse.emplace_back(d * d * 1000 + d, double{row[d]});
    }
  }
  return result;
}

TEST(Hyperplane, AgreesAsTheAngleSays) {
  constexpr SketchPlan kPlan{.hashes = 256, .family = Family::hyperplane};
  for (const std::size_t dimensions : {2u, 3u, 20u, 63u, 64u, 100u, 300u, 784u}) {
    for (const double degrees : {3.0, 30.0, 60.0, 90.0, 150.0}) {
      const std::vector<Dense> pair = at_angle(dimensions, degrees * M_PI / 180);
      const std::string what = std::to_string(dimensions) + " dimensions, " + std::to_string(degrees) + " degrees";
      expect_share(test::agreement_of(vectors_of(pair), kPlan, 150), 1 - degrees / 180, what);
      if (dimensions <= 100) expect_share(test::agreement_of(vectors_of(sparse_of(pair)), kPlan, 60), 1 - degrees / 180, what + ", sparse");
    }
  }
}

struct Few {
  Dense x, y;
};

// Vectors of which hardly any place is not zero, in 100 dimensions: what a single rotation would leave uneven.
std::vector<Few> few_places() {
  const auto with = [](std::initializer_list<std::pair<std::size_t, float>> places) {
    Dense x(100);
    for (const auto& [place, value] : places) x[place] = value;
    return x;
  };
  return {
      {with({{0, 1}}), with({{5, 1}})},
      {with({{7, 2}}), with({{7, 5}})},
      {with({{0, 1}}), with({{0, 1}, {1, 1}})},
      {with({{0, 1}, {1, 1}}), with({{1, 1}, {2, 1}})},
      {with({{0, 1}, {1, 1}}), with({{0, 1}, {1, -1}})},
      {with({{0, 1}, {3, 2}, {64, 3}}), with({{0, 3}, {3, 2}, {99, 1}})},
  };
}

double cosine_of(const Few& pair) {
  double xx = 0, yy = 0, xy = 0;
  for (std::size_t d = 0; d < pair.x.size(); ++d) {
    xx += double{pair.x[d]} * double{pair.x[d]};
    yy += double{pair.y[d]} * double{pair.y[d]};
    xy += double{pair.x[d]} * double{pair.y[d]};
  }
  return xy / std::sqrt(xx * yy);
}

TEST(Hyperplane, AgreesAsTheAngleSaysForVectorsOfFewPlaces) {
  constexpr SketchPlan kPlan{.hashes = 256, .family = Family::hyperplane};
  for (const Few& pair : few_places()) {
    const double theory = hyperplane_agreement(cosine_of(pair));
    expect_share(test::agreement_of(vectors_of(std::vector<Dense>{pair.x, pair.y}), kPlan, 200), theory, "dense");
    expect_share(test::agreement_of(vectors_of(sparse_of({pair.x, pair.y})), kPlan, 200), theory, "sparse");
  }
}

TEST(Hyperplane, OfOppositeVectorsNeverAgrees) {
  for (const std::size_t dimensions : {1u, 10u, 64u, 200u}) {
    Dense x(dimensions), y(dimensions);
    x[0] = 1;
    y[0] = -1;
    const SketchPlan plan{.hashes = 500, .family = Family::hyperplane};
    EXPECT_EQ(test::agreement_of(vectors_of(std::vector<Dense>{x, y}), plan, 20).mean, 0) << dimensions;
    EXPECT_EQ(test::agreement_of(vectors_of(sparse_of({x, y})), plan, 20).mean, 0) << dimensions;
  }
}

double distance_of(const Few& pair, Family family) {
  double squares = 0, magnitudes = 0;
  for (std::size_t d = 0; d < pair.x.size(); ++d) {
    const double difference = double{pair.x[d]} - double{pair.y[d]};
    squares += difference * difference;
    magnitudes += std::abs(difference);
  }
  return family == Family::gaussian ? std::sqrt(squares) : magnitudes;
}

double stable_agreement(const Few& pair, const SketchPlan& plan) {
  const double distance = distance_of(pair, plan.family);
  return plan.family == Family::gaussian ? gaussian_agreement(distance, plan.width) : cauchy_agreement(distance, plan.width);
}

// y = x moved by `distance`, under the family's measure, in a random direction.
Few moved(std::size_t dimensions, double distance, Family family) {
  GaussianStream gaussian(dimensions + 1);
  Few pair{test::random_dense(gaussian, dimensions), test::random_dense(gaussian, dimensions)};
  const double length = distance_of({pair.y, Dense(dimensions)}, family);
  for (std::size_t d = 0; d < dimensions; ++d) pair.y[d] = static_cast<float>(double{pair.x[d]} + double{pair.y[d]} * distance / length);
  return pair;
}

TEST(Stable, FormulasGiveThePublishedProbabilities) {
  EXPECT_NEAR(gaussian_agreement(1, 4), 0.8005, 5e-5);
  EXPECT_NEAR(gaussian_agreement(2, 4), 0.6095, 5e-5);
  EXPECT_NEAR(gaussian_agreement(4, 4), 0.3687, 5e-5);
}

void expect_stable_agreement(Family family, std::uint32_t hashes, int seeds) {
  const SketchPlan plan{.hashes = hashes, .family = family, .width = 4};
  for (const std::size_t dimensions : {1u, 2u, 20u, 64u, 100u, 300u}) {
    for (const double distance : {0.5, 1.0, 2.0, 4.0, 16.0}) {
      const Few pair = moved(dimensions, distance, family);
      const std::string what = std::to_string(dimensions) + " dimensions, distance " + std::to_string(distance);
      const double theory = stable_agreement(pair, plan);
      expect_share(test::agreement_of(vectors_of(std::vector<Dense>{pair.x, pair.y}), plan, seeds), theory, what);
      if (dimensions <= 64) expect_share(test::agreement_of(vectors_of(sparse_of({pair.x, pair.y})), plan, 60), theory, what + ", sparse");
    }
  }
  for (const Few& pair : few_places()) {
    const double theory = stable_agreement(pair, plan);
    expect_share(test::agreement_of(vectors_of(std::vector<Dense>{pair.x, pair.y}), plan, 60), theory, "dense");
    expect_share(test::agreement_of(vectors_of(sparse_of({pair.x, pair.y})), plan, 60), theory, "sparse");
  }
}

TEST(Stable, GaussianAgreesAsTheEuclideanDistanceSays) { expect_stable_agreement(Family::gaussian, 256, 150); }
TEST(Stable, CauchyAgreesAsTheManhattanDistanceSays) { expect_stable_agreement(Family::cauchy, 64, 100); }

// Sums of many Cauchy numbers are Cauchy only with the whole of their tails.
TEST(Stable, CauchyAgreesAsTheDistanceSaysWhenItIsSpreadOverManyPlaces) {
  Sparse x, y;
  for (std::uint64_t i = 0; i < 4000; ++i) {
    x.emplace_back(i, 1.0);
    y.emplace_back(i, 1.0 + 1.0 / 4096);
  }
  const SketchPlan plan{.hashes = 250, .family = Family::cauchy, .width = 1};
  expect_share(test::agreement_of(vectors_of(std::vector<Sparse>{x, y}), plan, 40), cauchy_agreement(4000.0 / 4096, 1), "4000 places");
}

TEST(BitSampling, AgreesInTheShareOfEqualBits) {
  for (const std::size_t dimensions : {1u, 5u, 64u, 100u, 1000u}) {
    for (const double share : {0.0, 0.1, 0.5, 1.0}) {
      Bits x(dimensions), y(dimensions);
      SplitMix random(dimensions);
      std::size_t apart = 0;
      for (std::size_t d = 0; d < dimensions; ++d) {
        x[d] = random() % 2 == 0;
        const bool differs = static_cast<double>(d) < share * static_cast<double>(dimensions);
        y[d] = x[d] != differs;
        apart += differs;
      }
      const double theory = 1 - static_cast<double>(apart) / static_cast<double>(dimensions);
      const SketchPlan plan{.hashes = 200, .family = Family::bit_sampling};
      expect_share(test::agreement_of(vectors_of(std::vector<Bits>{x, y}), plan, 400), theory, std::to_string(dimensions) + " bits");
    }
  }
}

struct Weighted {
  std::string name;
  Sparse x, y;
};

// Σmin/Σmax, each weight times `scale`.
double similarity_of(const Weighted& pair, double scale) {
  double least = 0, most = 0;
  auto a = pair.x.begin(), b = pair.y.begin();
  while (a != pair.x.end() || b != pair.y.end()) {
    const bool in_x = a != pair.x.end() && (b == pair.y.end() || a->first <= b->first);
    const bool in_y = b != pair.y.end() && (a == pair.x.end() || b->first <= a->first);
    const double u = in_x ? a++->second * scale : 0, v = in_y ? b++->second * scale : 0;
    least += std::min(u, v);
    most += std::max(u, v);
  }
  return least / most;
}

void expect_weighted_agreement(const Weighted& pair, int seeds, double scale = 1) {
  for (const std::uint32_t hashes : {1u, 7u, 128u}) {
    const SketchPlan plan{.hashes = hashes, .family = Family::weighted_minhash};
    const int turns = hashes == 128 ? seeds : 10 * seeds;
    expect_share(test::agreement_of(vectors_of(std::vector<Sparse>{pair.x, pair.y}), plan, turns), similarity_of(pair, scale),
                 pair.name + ", " + std::to_string(hashes) + " hashes");
  }
}

TEST(WeightedMinHash, AgreesAsMinimumOverMaximumForSingleWeights) {
  for (const auto& [x, y] : {std::pair{1.0, 1.0}, {1.0, 1.5}, {1.0, 2.0}, {1.0, 3.0}, {1.3, 1.7}, {0.9, 1.1}, {1.0, 100.0}, {2.5, 2.0}}) {
    expect_weighted_agreement({std::to_string(x) + " and " + std::to_string(y), {{9, x}}, {{9, y}}}, 120);
  }
}

TEST(WeightedMinHash, AgreesAsMinimumOverMaximumForTinyAndHugeWeights) {
  expect_weighted_agreement({"tiny", {{5, 1e-200}, {6, 3e-200}}, {{5, 2e-200}, {6, 2e-200}}}, 120);
  expect_weighted_agreement({"huge", {{5, 1e308}, {6, 3e307}}, {{5, 5e307}, {6, 9e307}}}, 120, 1e-300);
  expect_weighted_agreement({"least", {{5, 5e-324}, {6, 1e-323}}, {{5, 1e-323}, {6, 1e-323}}}, 120, 1e300);
  expect_weighted_agreement({"far apart", {{1, 0.001}, {2, 1000}, {3, 1e-9}}, {{1, 100}, {2, 900}, {4, 1e-12}}}, 120);
}

TEST(WeightedMinHash, AgreesAsMinimumOverMaximumForManyWeights) {
  Weighted real{"real", {}, {}}, nested{"nested", {}, {}}, whole{"whole", {}, {}}, sets{"sets", {}, {}}, apart{"apart", {}, {}};
  SplitMix random(3);
  for (std::uint64_t i = 0; i < 200; ++i) {
    const double u = static_cast<double>(random() % 1000 + 1) / 37, v = static_cast<double>(random() % 1000 + 1) / 37;
    if (i % 7 != 0) real.x.emplace_back(i, u);
    if (i % 5 != 0) real.y.emplace_back(i, i % 2 == 0 ? u : v);
    nested.x.emplace_back(i, u);
    nested.y.emplace_back(i, u * 0.7);
    whole.x.emplace_back(i, static_cast<double>(1 + i % 3));
    if (i > 20) whole.y.emplace_back(i, static_cast<double>(1 + i % 4));
    sets.x.emplace_back(i, 1.0);
    sets.y.emplace_back(i + 50, 1.0);
    apart.x.emplace_back(2 * i, u);
    apart.y.emplace_back(2 * i + 1, v);
  }
  for (const Weighted& pair : {real, nested, whole, sets, apart}) expect_weighted_agreement(pair, 40);
}

}  // namespace
}  // namespace nearkin::agreement_test

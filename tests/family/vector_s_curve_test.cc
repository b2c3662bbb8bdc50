// Bands of the sketches of vectors against 1 − (1 − p^r)^b. Slots that knew of one another pass every test of their mean and fail here.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include <nearkin/tools/theory.h>

#include "support/vector_pairs.h"

namespace nearkin::vector_s_curve_test {
namespace {

using test::Bits;
using test::Dense;
using test::Share;
using test::Sparse;
using test::vectors_of;

struct Bands {
  std::uint32_t bands, rows;
};

void expect_s_curve(const Vectors& pair, const SketchPlan& plan, double agreement, const Bands& shape, int seeds) {
  const Share share = test::found_of(pair, plan, shape.bands, shape.rows, seeds);
  const double theory = found_probability(agreement, shape.bands, shape.rows);
  const double error = std::sqrt(theory * (1 - theory) / seeds);
  EXPECT_LE(std::abs(share.mean - theory), 4 * error + 1.0 / seeds)
      << shape.bands << "x" << shape.rows << ", agreement " << agreement << ": " << share.mean << ", theory " << theory << ", "
      << (share.mean - theory) / error << " standard errors";
}

// Two dense vectors, the second the first with noise, and how near they are.
struct DensePair {
  std::vector<Dense> rows;
  double cosine, distance, manhattan;
};

DensePair dense_pair(std::size_t dimensions, double noise) {
  GaussianStream gaussian(dimensions);
  Dense x = test::random_dense(gaussian, dimensions), y = x;
  for (float& number : y) number += static_cast<float>(noise * gaussian());
  double xx = 0, yy = 0, xy = 0, magnitudes = 0;
  for (std::size_t d = 0; d < dimensions; ++d) {
    xx += double{x[d]} * double{x[d]};
    yy += double{y[d]} * double{y[d]};
    xy += double{x[d]} * double{y[d]};
    magnitudes += std::abs(double{x[d]} - double{y[d]});
  }
  return {{x, y}, xy / std::sqrt(xx * yy), std::sqrt(xx + yy - 2 * xy), magnitudes};
}

std::vector<Sparse> sparse_of(const std::vector<Dense>& rows) {
  std::vector<Sparse> result;
  for (const Dense& row : rows) {
    Sparse& sparse = result.emplace_back();
    for (std::size_t d = 0; d < row.size(); ++d) sparse.emplace_back(17 * d, double{row[d]});
  }
  return result;
}

TEST(VectorSCurve, HoldsForHyperplanes) {
  constexpr SketchPlan kPlan{.family = Family::hyperplane};
  for (const std::size_t dimensions : {8u, 64u, 100u, 256u, 600u}) {
    for (const double noise : {0.3, 0.6, 1.0}) {
      const DensePair pair = dense_pair(dimensions, noise);
      for (const Bands& shape : {Bands{32, 8}, Bands{16, 16}, Bands{60, 10}}) {
        expect_s_curve(vectors_of(pair.rows), kPlan, hyperplane_agreement(pair.cosine), shape, 1000);
      }
    }
  }
}

TEST(VectorSCurve, HoldsForHyperplanesOfSparseVectors) {
  constexpr SketchPlan kPlan{.family = Family::hyperplane};
  for (const std::size_t places : {2u, 5u, 20u}) {
    const DensePair pair = dense_pair(places, 0.5);
    expect_s_curve(vectors_of(sparse_of(pair.rows)), kPlan, hyperplane_agreement(pair.cosine), {32, 8}, 2000);
  }
}

TEST(VectorSCurve, HoldsForOneAndTwoPlacesOfMany) {
  Dense x(100), y(100), z(100);
  x[0] = 1;
  y[0] = y[1] = 1;
  z[1] = 1;
  constexpr SketchPlan kPlan{.family = Family::hyperplane};
  expect_s_curve(vectors_of(std::vector<Dense>{x, y}), kPlan, 0.75, {32, 8}, 2000);
  expect_s_curve(vectors_of(std::vector<Dense>{x, z}), kPlan, 0.5, {64, 4}, 2000);
}

TEST(VectorSCurve, HoldsForGaussianAndCauchySlots) {
  for (const std::size_t dimensions : {3u, 64u, 200u}) {
    const DensePair pair = dense_pair(dimensions, 0.5);
    for (const double ratio : {1.5, 3.0, 6.0}) {
      const SketchPlan gaussian{.family = Family::gaussian, .width = ratio * pair.distance};
      expect_s_curve(vectors_of(pair.rows), gaussian, gaussian_agreement(1, ratio), {32, 6}, 1000);
      const SketchPlan cauchy{.family = Family::cauchy, .width = ratio * pair.manhattan};
      expect_s_curve(vectors_of(pair.rows), cauchy, cauchy_agreement(1, ratio), {32, 4}, dimensions > 3 ? 100 : 500);
    }
  }
}

TEST(VectorSCurve, HoldsForSampledBits) {
  for (const std::size_t dimensions : {16u, 64u, 300u}) {
    Bits x(dimensions), y(dimensions);
    for (std::size_t d = 0; d < dimensions; d += 8) y[d] = true;
    const double apart = static_cast<double>((dimensions + 7) / 8) / static_cast<double>(dimensions);
    for (const Bands& shape : {Bands{8, 8}, Bands{10, 16}, Bands{30, 24}}) {
      expect_s_curve(vectors_of(std::vector<Bits>{x, y}), {.family = Family::bit_sampling}, 1 - apart, shape, 4000);
    }
  }
}

// Slots of one sketch fill up against each other, which makes the curve a little steeper, as for MinHash.
TEST(VectorSCurve, HoldsForWeightedMinHash) {
  for (const std::uint64_t places : {1u, 10u, 60u}) {
    Sparse x, y;
    for (std::uint64_t i = 0; i < places; ++i) {
      x.emplace_back(i, 1 + 0.1 * static_cast<double>(i));
      y.emplace_back(i, 0.7 * (1 + 0.1 * static_cast<double>(i)));
    }
    for (const Bands& shape : {Bands{16, 8}, Bands{25, 5}}) {
      expect_s_curve(vectors_of(std::vector<Sparse>{x, y}), {.family = Family::weighted_minhash}, 0.7, shape, 1500);
    }
  }
}

}  // namespace
}  // namespace nearkin::vector_s_curve_test

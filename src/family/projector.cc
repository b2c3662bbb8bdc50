#include "family/projector.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include <nearkin/error.h>

#include "base/gaussian.h"
#include "base/hash.h"
#include "kernel/kernel.h"

namespace nearkin {
namespace {

// FROZEN, all three.
constexpr std::uint32_t kLeastRotated = 64;         // dimensions
constexpr std::size_t kLeastPadded = 256;           // with fewer places the outputs of one rotation would know too much of one another
constexpr std::uint64_t kLargestMatrix = 1u << 24;  // numbers, 64 MiB

std::size_t round_up(std::size_t value, std::size_t step) { return (value + step - 1) / step * step; }

std::vector<float> random_signs(SplitMix random, std::size_t count) {
  std::vector<float> signs(count);
  for (std::size_t i = 0; i < count; i += 64) {
    const std::uint64_t bits = random();
    for (std::size_t j = i; j < std::min(i + 64, count); ++j) signs[j] = bits >> (j - i) & 1 ? -1.0f : 1.0f;
  }
  return signs;
}

// A power of two near `magnitude`, whose reciprocal is a float as well. Dividing by it rounds nothing and keeps sums in range.
double unit_of(float magnitude) {
  if (magnitude == 0) return 1;
  return std::ldexp(1.0, std::clamp(std::ilogb(magnitude), -126, 126));
}

}  // namespace

Projector::Road Projector::road(std::uint32_t hashes, Directions directions, Vectors::Kind kind, std::uint32_t dimensions) {
  if (kind == Vectors::Kind::sparse) return Road::lookup;
  if (directions == Directions::gaussian && dimensions >= kLeastRotated) return Road::rotation;
  return std::uint64_t{hashes} * dimensions <= kLargestMatrix ? Road::matrix : Road::lookup;
}

// FROZEN: the order in which seeds and numbers are drawn.
Projector::Projector(const SketchPlan& plan, Directions directions, Vectors::Kind kind, std::uint32_t dimensions)
    : directions_(directions),
      kind_(kind),
      dimensions_(dimensions),
      hashes_(plan.hashes),
      road_(road(plan.hashes, directions, kind, dimensions)) {
  if (kind == Vectors::Kind::bits) throw Error(ErrorCode::plan, "sketch", "bits are not projected; use family bit-sampling");
  SplitMix random(plan.seed);
  const std::uint64_t sign_seed = random(), number_seed = random();
  key_ = random();
  switch (road_) {
    case Road::rotation: make_rotations(sign_seed, number_seed); break;
    case Road::matrix: make_matrix(number_seed); break;
    case Road::lookup: room_ = round_up(hashes_, kernel::kLookupBlock); break;
  }
}

void Projector::make_rotations(std::uint64_t sign_seed, std::uint64_t number_seed) {
  padded_ = std::max(kLeastPadded, std::bit_ceil(std::size_t{dimensions_}));
  room_ = round_up(hashes_, padded_);
  SplitMix seeds(sign_seed);
  Tables tables;
  tables.first = random_signs(SplitMix(seeds()), padded_);
  tables.second = random_signs(SplitMix(seeds()), padded_);
  tables.diagonals.resize(room_);
  SplitMix random(number_seed);
  const double scale = 2 * std::sqrt(3.0) / static_cast<double>(padded_);
  for (float& number : tables.diagonals) number = static_cast<float>((static_cast<double>(random() >> 11) * 0x1p-53 - 0.5) * scale);
  tables_ = std::make_shared<const Tables>(std::move(tables));
  rotated_.resize(padded_);
}

void Projector::make_matrix(std::uint64_t number_seed) {
  room_ = round_up(hashes_, kernel::kPanel);
  Tables tables;
  tables.panels.resize(room_ * dimensions_);
  GaussianStream gaussian(number_seed);
  CauchyStream cauchy(number_seed);
  for (float& number : tables.panels) number = static_cast<float>(directions_ == Directions::gaussian ? gaussian() : cauchy());
  tables_ = std::make_shared<const Tables>(std::move(tables));
  sums_.resize(kernel::kPanel);
}

double Projector::project(const Vectors& vectors, std::size_t i, float* projections) {
  switch (road_) {
    case Road::rotation: return rotate(vectors.dense(i), projections);
    case Road::matrix: return multiply(vectors.dense(i), projections);
    case Road::lookup: keep_sparse(vectors, i); return look_up(projections);
  }
  return 1;
}

double Projector::rotate(std::span<const float> x, float* projections) {
  const double unit = unit_of(kernel::largest_magnitude(x.data(), x.size()));
  kernel::multiply(x.data(), tables_->first.data(), static_cast<float>(1 / unit), x.size(), rotated_.data());
  std::fill(rotated_.begin() + static_cast<std::ptrdiff_t>(x.size()), rotated_.end(), 0.0f);
  kernel::hadamard(rotated_.data(), padded_);
  kernel::multiply(rotated_.data(), tables_->second.data(), 1, padded_, rotated_.data());
  kernel::hadamard(rotated_.data(), padded_);
  for (std::size_t j = 0; j < room_; j += padded_) {
    kernel::multiply(rotated_.data(), tables_->diagonals.data() + j, 1, padded_, projections + j);
    kernel::hadamard(projections + j, padded_);
  }
  return unit;
}

double Projector::multiply(std::span<const float> x, float* projections) {
  const double unit = unit_of(kernel::largest_magnitude(x.data(), x.size()));
  rows_.clear();
  factors_.clear();
  for (std::uint32_t d = 0; d < x.size(); ++d) {
    if (x[d] == 0) continue;
    rows_.push_back(d);
    factors_.push_back(double{x[d]} / unit);
  }
  for (std::size_t j = 0; j < room_; j += kernel::kPanel) {
    kernel::sum_rows(tables_->panels.data() + j * dimensions_, rows_.data(), factors_.data(), rows_.size(), sums_.data());
    for (std::size_t c = 0; c < kernel::kPanel; ++c) projections[j + c] = static_cast<float>(sums_[c]);
  }
  return unit;
}

// The places that are not zero: factors_ and, of each place, the key of its numbers.
void Projector::keep_sparse(const Vectors& vectors, std::size_t i) {
  factors_.clear();
  keys_.clear();
  const auto keep = [&](std::uint64_t index, double value) {
    if (value == 0) return;
    factors_.push_back(value);
    keys_.push_back(mix64(mix64(index + kGoldenStep) ^ key_));
  };
  if (kind_ == Vectors::Kind::sparse) {
    const SparseView x = vectors.sparse(i);
    for (std::size_t k = 0; k < x.indices.size(); ++k) keep(x.indices[k], x.values[k]);
  } else {
    const std::span<const float> x = vectors.dense(i);
    for (std::size_t d = 0; d < x.size(); ++d) keep(d, double{x[d]});
  }
}

double Projector::look_up(float* projections) {
  double largest = 0;
  for (const double factor : factors_) largest = std::max(largest, std::abs(factor));
  const int exponent = largest == 0 ? 0 : std::ilogb(largest);
  for (double& factor : factors_) factor = std::ldexp(factor, -exponent);
  if (directions_ == Directions::cauchy) {
    look_up_cauchy(projections);
  } else {
    small_factors_.resize(factors_.size());
    std::transform(factors_.begin(), factors_.end(), small_factors_.begin(), [](double factor) { return static_cast<float>(factor); });
    std::fill_n(projections, room_, 0.0f);
    const std::size_t blocks = room_ / kernel::kLookupBlock;
    kernel::sum_lookups(gaussian_table().data(), keys_.data(), small_factors_.data(), keys_.size(), blocks, projections);
  }
  return std::ldexp(1.0, exponent);
}

// As kernel::sum_lookups, but that numbers of the tails are drawn by themselves, and in double precision, as they may be very large.
void Projector::look_up_cauchy(float* projections) {
  constexpr std::size_t kBlock = kernel::kLookupBlock;
  const QuantileTable& table = cauchy_table();
  sums_.assign(room_, 0.0);
  for (std::size_t k = 0; k < keys_.size(); ++k) {
    SplitMix words(keys_[k]);
    for (std::size_t block = 0; block < room_; block += kBlock) {
      for (std::size_t lane = 0; lane < 8; ++lane) {
        const std::uint64_t word = words();
        for (std::size_t part = 0; part < kBlock / 8; ++part) {
          const auto index = static_cast<std::uint32_t>(word >> (kernel::kLookupBits * part)) % (1u << kernel::kLookupBits);
          const double number = in_cauchy_tail(index) ? cauchy_tail(index, mix64(word + (part + 1) * kGoldenStep)) : double{table[index]};
          sums_[block + 8 * part + lane] += factors_[k] * number;
        }
      }
    }
  }
  std::transform(sums_.begin(), sums_.end(), projections, [](double sum) { return static_cast<float>(sum); });
}

}  // namespace nearkin

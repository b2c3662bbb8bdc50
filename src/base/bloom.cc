#include "base/bloom.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

#include <nearkin/error.h>

#include "base/portable_math.h"

namespace nearkin {
namespace {

// Smaller first layers would save nothing worth having and cost a layer for each doubling later.
constexpr std::uint64_t kLeastItems = 1024;
constexpr double kMostBits = 0x1p48;

/// Visits the bits of a hash by enhanced double hashing (Dillinger and Manolios 2004): the step itself grows, so that no two hashes
/// share their bits only because their steps are multiples of each other. Stops at the first bit for which `visit` is false.
template <typename Visit>
bool all_bits(Hash128 hash, unsigned probes, std::uint64_t bits, Visit visit) {
  std::uint64_t place = hash.low, step = hash.high;
  for (unsigned i = 0; i < probes; ++i) {
    if (!visit(multiply128(place, bits).high)) return false;
    place += step;
    step += i + 1;
  }
  return true;
}

std::string number_text(double value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

}  // namespace

BloomShape bloom_shape(std::uint64_t capacity, double rate) {
  // A layer takes only hashes that it does not know, which set more bits than hashes at large, and the bits set vary: without some room
  // it would be full a little before the items that it is made for.
  const double items = static_cast<double>(capacity) / (1 - rate) + 4 * std::sqrt(static_cast<double>(capacity));
  // The best number of probes is ln 2 · bits/items = log2(1/rate). It must be whole, so the bits are then chosen for
  // (1 − e^(−probes·items/bits))^probes = rate.
  const double probes = std::max(1.0, std::round(-portable::log(rate) / std::numbers::ln2));
  const double filled = portable::root(rate, static_cast<std::uint32_t>(probes));
  const double bits = std::ceil(-probes * items / portable::log1p(-filled));
  if (!(bits < kMostBits)) {
    throw Error(ErrorCode::plan, "bloom",
                number_text(rate) + " for " + std::to_string(capacity) + " items needs " + number_text(std::ceil(bits / 8)) +
                    " bytes; use a higher rate or fewer expected items");
  }
  const std::uint64_t whole = (static_cast<std::uint64_t>(bits) / 64 + 1) * 64;
  return {static_cast<unsigned>(probes), whole, static_cast<std::uint64_t>(static_cast<double>(whole) * filled)};
}

BloomFilter::BloomFilter(std::uint64_t expected_items, double false_positive_rate) : next_rate_(false_positive_rate / 2) {
  if (!(false_positive_rate > 0 && false_positive_rate < 1)) {
    throw Error(ErrorCode::plan, "bloom", number_text(false_positive_rate) + " is not a rate above 0 and below 1, such as 0.0001");
  }
  layers_.push_back(make_layer(std::max(expected_items, kLeastItems), next_rate_));
}

BloomFilter::Layer BloomFilter::make_layer(std::uint64_t capacity, double rate) {
  const BloomShape shape = bloom_shape(capacity, rate);
  return {.capacity = capacity, .shape = shape, .bits_set = 0, .words = std::vector<std::uint64_t>(shape.bits / 64)};
}

bool BloomFilter::contains(const Layer& layer, Hash128 hash) {
  return all_bits(hash, layer.shape.probes, layer.shape.bits,
                  [&](std::uint64_t bit) { return (layer.words[bit / 64] >> bit % 64 & 1) != 0; });
}

void BloomFilter::insert(Layer& layer, Hash128 hash) {
  all_bits(hash, layer.shape.probes, layer.shape.bits, [&](std::uint64_t bit) {
    std::uint64_t& word = layer.words[bit / 64];
    layer.bits_set += (word >> bit % 64 & 1) ^ 1;
    word |= std::uint64_t{1} << bit % 64;
    return true;
  });
}

bool BloomFilter::test(Hash128 hash) const {
  return std::any_of(layers_.rbegin(), layers_.rend(), [&](const Layer& layer) { return contains(layer, hash); });
}

bool BloomFilter::test_and_set(Hash128 hash) {
  if (test(hash)) return true;
  if (layers_.back().bits_set + layers_.back().shape.probes > layers_.back().shape.full) {
    next_rate_ /= 2;
    layers_.push_back(make_layer(layers_.back().capacity * 2, next_rate_));
  }
  insert(layers_.back(), hash);
  ++size_;
  return false;
}

std::size_t BloomFilter::bytes() const {
  std::size_t sum = 0;
  for (const Layer& layer : layers_) sum += layer.words.size() * sizeof(std::uint64_t);
  return sum;
}

double BloomFilter::expected_rate() const {
  double passed = 1;  // probability that no layer knows a new hash
  for (const Layer& layer : layers_) {
    passed *= 1 - portable::power(static_cast<double>(layer.bits_set) / static_cast<double>(layer.shape.bits), layer.shape.probes);
  }
  return 1 - passed;
}

}  // namespace nearkin

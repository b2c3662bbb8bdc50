// Tells in few bits whether a hash was seen before: never "no" for one that was, rarely "yes" for one that was not.
#pragma once

#include <vector>

#include "base/hash.h"

namespace nearkin {

/// The sizes of one layer of a Bloom filter. They decide what the filter answers, so they are computed by portable mathematics.
struct BloomShape {
  unsigned probes;
  std::uint64_t bits;  ///< a multiple of 64
  std::uint64_t full;  ///< bits set at which the rate is reached
};
/// For this many items at a rate above 0 and below 1. Throws Error(plan) if they need more than 2^48 bits.
BloomShape bloom_shape(std::uint64_t capacity, double rate);

/// A Bloom filter that grows: when a layer has reached its rate, a layer of twice the items at half the rate is added, so the rates of all
/// layers together stay below the given one (Almeida et al., "Scalable Bloom filters", 2007). The same hashes in the same order give the
/// same answers.
class BloomFilter {
 public:
  /// `false_positive_rate` bounds the probability that a new hash is taken for one seen before, at any fill.
  /// `expected_items` only sizes the first layer. Throws Error(plan) for a rate that is not above 0 and below 1.
  BloomFilter(std::uint64_t expected_items, double false_positive_rate);

  /// True when the hash was (perhaps) added before; adds it when not. `hash` must be uniform in all of its 128 bits.
  bool test_and_set(Hash128 hash);
  bool test(Hash128 hash) const;

  /// Hashes that were added as new.
  std::uint64_t size() const { return size_; }
  std::size_t bytes() const;
  /// Probability that a new hash is now taken for one seen before, from the bits set. It never falls: for all hashes added so far it
  /// is an upper bound.
  double expected_rate() const;

 private:
  struct Layer {
    std::uint64_t capacity;  // items that it was made for
    BloomShape shape;
    std::uint64_t bits_set;
    std::vector<std::uint64_t> words;
  };

  static Layer make_layer(std::uint64_t capacity, double rate);
  static bool contains(const Layer& layer, Hash128 hash);
  static void insert(Layer& layer, Hash128 hash);

  double next_rate_;
  std::uint64_t size_ = 0;
  std::vector<Layer> layers_;
};

}  // namespace nearkin

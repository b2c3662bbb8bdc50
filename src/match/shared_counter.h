// SharedCounter: a few items, each compared exactly with any number of others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace nearkin {

/// An index of the asked items' features: looking up the features of another item once gives what it shares with each of them.
class SharedCounter {
 public:
  /// Each item's features ascending and distinct. They are copied.
  explicit SharedCounter(std::span<const std::span<const std::uint64_t>> asked);

  std::size_t size() const { return sizes_.size(); }
  /// Features of an asked item.
  std::uint32_t size_of(std::size_t asked) const { return sizes_[asked]; }

  /// One per thread.
  struct Scratch {
    std::vector<std::uint32_t> shared;   ///< for each asked item; 0 but for those in `touched`
    std::vector<std::uint32_t> touched;  ///< asked items that share something, in no order
  };
  /// What the features (distinct, any order) share with each asked item. The scratch may be used again and again.
  void count(std::span<const std::uint64_t> features, Scratch& scratch) const;

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t begin = 0, end = 0;  ///< in owners_; empty: no feature
  };
  /// The place of the feature's slot, or of the empty slot that it would get.
  std::size_t place_of(std::uint64_t feature) const {
    std::size_t place = feature & mask_;
    while (slots_[place].begin != slots_[place].end && slots_[place].hash != feature) place = (place + 1) & mask_;
    return place;
  }

  std::vector<std::uint32_t> sizes_;
  std::vector<Slot> slots_;  ///< open addressing, a power of two of them, at most half used
  std::vector<std::uint32_t> owners_;
  std::uint64_t mask_ = 0;
};

}  // namespace nearkin

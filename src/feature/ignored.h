// Shingles that do not count: those of templates, and those that many items have.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace nearkin {

/// A set of shingle hashes with a fast look-up, for every shingle of a text.
class IgnoredShingles {
 public:
  /// In any order; repeated ones count once.
  explicit IgnoredShingles(std::vector<std::uint64_t> hashes);

  bool contains(std::uint64_t hash) const {
    if (hash == 0) return has_zero_;
    for (std::size_t slot = hash >> shift_;; slot = (slot + 1) & (table_.size() - 1)) {
      if (table_[slot] == hash) return true;
      if (table_[slot] == 0) return false;
    }
  }
  std::span<const std::uint64_t> hashes() const { return hashes_; }  ///< ascending, distinct
  /// FROZEN: plan lines contain it. Never 0.
  std::uint64_t identity() const { return identity_; }

 private:
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint64_t> table_;  // open addressing by the high bits, at most half full; 0 is an empty slot
  unsigned shift_ = 0;
  bool has_zero_ = false;
  std::uint64_t identity_ = 0;
};

}  // namespace nearkin

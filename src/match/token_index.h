// TokenIndex: where keys occur, looked up by key.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace nearkin {

/// An occurrence of a key in 64 bits: the key, the place of its set, and, in the remaining bits, the position of the key in the set's
/// order. A position too large for them is stored as the largest that fits.
class EntryLayout {
 public:
  /// For places up to `places`.
  explicit EntryLayout(std::size_t places);
  std::uint64_t entry(std::uint32_t key, std::size_t place, std::size_t position) const {
    return std::uint64_t{key} << 32 | std::uint64_t{place} << position_bits_ | std::min<std::uint64_t>(position, position_mask_);
  }
  std::uint32_t place(std::uint64_t entry) const { return static_cast<std::uint32_t>(entry) >> position_bits_; }
  std::uint32_t position(std::uint64_t entry) const { return static_cast<std::uint32_t>(entry) & position_mask_; }
  /// A lower bound for the entries of the key from this place on.
  std::uint64_t least(std::uint32_t key, std::size_t place) const { return entry(key, place, 0); }

 private:
  unsigned position_bits_;
  std::uint32_t position_mask_;
};

/// Entries by key, then in the order in which they were given. About 10 bytes per entry, and 8 more while it is built.
class TokenIndex {
 public:
  TokenIndex() : TokenIndex(std::vector<std::uint64_t>()) {}
  explicit TokenIndex(std::vector<std::uint64_t> entries);
  /// The entries of both; those of `first` come first.
  TokenIndex(const TokenIndex& first, const TokenIndex& second);

  std::span<const std::uint64_t> find(std::uint32_t key) const {
    const std::uint64_t cell = std::uint64_t{key} >> shift_;
    const std::uint64_t *begin = entries_.data() + starts_[cell], *end = entries_.data() + starts_[cell + 1];
    begin = std::lower_bound(begin, end, std::uint64_t{key} << 32);
    return {begin, std::upper_bound(begin, end, std::uint64_t{key} << 32 | UINT32_MAX)};
  }
  std::size_t size() const { return entries_.size(); }
  /// The number of an entry that find has given.
  std::size_t number_of(const std::uint64_t* entry) const { return static_cast<std::size_t>(entry - entries_.data()); }
  std::uint64_t operator[](std::size_t number) const { return entries_[number]; }

 private:
  void list_cells();

  std::vector<std::uint64_t> entries_;
  std::vector<std::uint64_t> starts_;  // of each cell, a range of keys about four entries wide, its first entry
  unsigned shift_ = 0;
};

}  // namespace nearkin

// A set of row numbers that tells which of its members a row is.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace nearkin {

/// A bit for each row, and the number of members before each 512 of them.
class RowSet {
 public:
  explicit RowSet(std::size_t rows) : words_((rows + 511) / 512 * 8) {}
  /// Made for no rows.
  bool empty() const { return words_.empty(); }
  void insert(std::uint32_t row) { words_[row / 64] |= std::uint64_t{1} << (row % 64); }
  bool holds(std::uint32_t row) const { return (words_[row / 64] >> (row % 64) & 1) != 0; }

  /// To be called once all are inserted, before `rank` and `size`.
  void count() {
    before_.clear();
    size_ = 0;
    for (std::size_t word = 0; word < words_.size(); ++word) {
      if (word % 8 == 0) before_.push_back(size_);
      size_ += static_cast<std::uint32_t>(std::popcount(words_[word]));
    }
  }
  std::uint32_t size() const { return size_; }
  /// Members below the row.
  std::uint32_t rank(std::uint32_t row) const {
    std::uint32_t rank = before_[row / 512];
    for (std::size_t word = std::size_t{row} / 512 * 8; word < row / 64; ++word)
      rank += static_cast<std::uint32_t>(std::popcount(words_[word]));
    return rank + static_cast<std::uint32_t>(std::popcount(words_[row / 64] & ((std::uint64_t{1} << (row % 64)) - 1)));
  }
  /// use(row) for each member, ascending.
  template <typename Use>
  void for_each(Use&& use) const {
    for (std::size_t word = 0; word < words_.size(); ++word) {
      for (std::uint64_t left = words_[word]; left != 0; left &= left - 1) {
        use(static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(left))));
      }
    }
  }

 private:
  std::vector<std::uint64_t> words_;
  std::vector<std::uint32_t> before_;
  std::uint32_t size_ = 0;
};

}  // namespace nearkin

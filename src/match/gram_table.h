// Which texts a gram occurs in: for millions of grams and billions of look-ups, most of which find nothing.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace nearkin {

/// A gram of a text, by its hash, whose bits are spread evenly.
struct GramPlace {
  std::uint64_t gram;
  std::uint32_t text;
  std::uint32_t at;  ///< the token of the text that it begins with
};

/// Ascending by gram; places of one gram stay in their order.
void sort_by_gram(std::vector<GramPlace>& places);

/// In memory, and never changed. A filter of a few bits per gram comes before the grams, so nearly every gram that is not in the table
/// costs one look at the filter.
class GramTable {
 public:
  GramTable() = default;
  /// Ascending by gram.
  explicit GramTable(std::vector<GramPlace> places);

  bool empty() const { return places_.empty(); }

  /// Calls use(position, places) for each of these grams that is in the table, in order.
  template <typename Use>
  void find(std::span<const std::uint64_t> grams, Use&& use) const {
    if (places_.empty()) return;
    std::array<std::size_t, kTogether> passed;
    for (std::size_t begin = 0; begin < grams.size(); begin += kTogether) {
      const std::span<const std::size_t> some(passed.data(), pass_filter(grams, begin, passed));
      for (const std::size_t i : some) {
        if (const std::span<const GramPlace> found = places(grams[i]); !found.empty()) use(i, found);
      }
    }
  }

 private:
  static constexpr std::size_t kAhead = 32;      // grams whose filter bits are prefetched
  static constexpr std::size_t kTogether = 256;  // grams that are tested with the filter before the first is looked up
  static std::uint64_t bits_of(std::uint64_t gram) {
    return std::uint64_t{1} << (gram & 63) | std::uint64_t{1} << (gram >> 6 & 63) | std::uint64_t{1} << (gram >> 12 & 63);
  }
  /// Tests kTogether grams from `begin` on with the filter. Returns how many may be in the table, and their positions; prefetches their
  /// places.
  std::size_t pass_filter(std::span<const std::uint64_t> grams, std::size_t begin, std::array<std::size_t, kTogether>& passed) const;
  std::span<const GramPlace> places(std::uint64_t gram) const;

  std::vector<GramPlace> places_;     // ascending by gram, then by text
  std::vector<std::uint32_t> first_;  // by the highest bits of a gram: the first place with these or higher ones
  std::vector<std::uint64_t> filter_;
  unsigned first_shift_ = 63, filter_shift_ = 63;
};

}  // namespace nearkin

// Which texts a gram occurs in, for grams by the million that are asked for by the billion and mostly are not there.
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

/// In memory, and never changed. A few bits per gram stand in front of the grams: nearly all that is not there costs one look at them.
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
  static constexpr std::size_t kAhead = 32;      // grams whose bits are on their way from memory
  static constexpr std::size_t kTogether = 256;  // grams that are held against the filter before the first is looked up
  static std::uint64_t bits_of(std::uint64_t gram) {
    return std::uint64_t{1} << (gram & 63) | std::uint64_t{1} << (gram >> 6 & 63) | std::uint64_t{1} << (gram >> 12 & 63);
  }
  /// Of the kTogether grams from `begin` on, those that may be in the table: how many, and their positions. Their places are on their way.
  std::size_t pass_filter(std::span<const std::uint64_t> grams, std::size_t begin, std::array<std::size_t, kTogether>& passed) const;
  std::span<const GramPlace> places(std::uint64_t gram) const;

  std::vector<GramPlace> places_;     // ascending by gram, then by text
  std::vector<std::uint32_t> first_;  // by the highest bits of a gram: the first place with these or higher ones
  std::vector<std::uint64_t> filter_;
  unsigned first_shift_ = 63, filter_shift_ = 63;
};

}  // namespace nearkin

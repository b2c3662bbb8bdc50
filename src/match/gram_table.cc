#include "match/gram_table.h"

#include <algorithm>
#include <bit>

namespace nearkin {
namespace {

// So many words of the filter, as a power of two, that a gram has 16 bits or more of it: about one in sixty others passes.
unsigned bits_of_filter(std::size_t grams) { return std::max(static_cast<unsigned>(std::bit_width(grams / 4)), 1u); }

}  // namespace

GramTable::GramTable(std::vector<GramPlace> places) : places_(std::move(places)) {
  std::sort(places_.begin(), places_.end(),
            [](const GramPlace& a, const GramPlace& b) { return a.gram != b.gram ? a.gram < b.gram : a.text < b.text; });
  const unsigned filter_bits = bits_of_filter(places_.size());
  filter_shift_ = 64 - filter_bits;
  filter_.assign(std::size_t{1} << filter_bits, 0);
  const unsigned first_bits = std::max(static_cast<unsigned>(std::bit_width(places_.size())), 1u);
  first_shift_ = 64 - first_bits;
  first_.assign((std::size_t{1} << first_bits) + 1, static_cast<std::uint32_t>(places_.size()));
  for (std::size_t i = places_.size(); i > 0; --i) {
    const std::uint64_t gram = places_[i - 1].gram;
    first_[gram >> first_shift_] = static_cast<std::uint32_t>(i - 1);
    filter_[gram >> filter_shift_] |= bits_of(gram);
  }
  for (std::size_t i = first_.size() - 1; i > 0; --i) first_[i - 1] = std::min(first_[i - 1], first_[i]);
}

std::span<const GramPlace> GramTable::places(std::uint64_t gram) const {
  const std::size_t prefix = gram >> first_shift_;
  std::uint32_t begin = first_[prefix];
  const std::uint32_t stop = first_[prefix + 1];
  while (begin < stop && places_[begin].gram < gram) ++begin;
  std::uint32_t end = begin;
  while (end < stop && places_[end].gram == gram) ++end;
  return std::span(places_).subspan(begin, end - begin);
}

}  // namespace nearkin

#include "match/gram_table.h"

#include <algorithm>
#include <bit>

namespace nearkin {
namespace {

// So many words of the filter, as a power of two, that a gram has 8 to 16 bits of it: of others one in thirty to one in two hundred passes.
unsigned bits_of_filter(std::size_t grams) { return std::max(static_cast<unsigned>(std::bit_width(grams / 8)), 1u); }

constexpr std::size_t kFewPlaces = 32;
constexpr unsigned kWidestDigit = 11;  // so many parts are written at a time that the cache holds an end of each

void sort_few_places(GramPlace* places, std::size_t size) {
  for (std::size_t i = 1; i < size; ++i) {
    const GramPlace moved = places[i];
    std::size_t at = i;
    for (; at > 0 && places[at - 1].gram > moved.gram; --at) places[at] = places[at - 1];
    places[at] = moved;
  }
}

// By the lowest `bits` of their grams, the others being the same: cut into parts by the highest of these, each part sorted by itself.
// `other` is scratch of the same size.
void sort_places(GramPlace* places, GramPlace* other, std::size_t size, unsigned bits) {
  if (bits == 0) return;
  if (size <= kFewPlaces) return sort_few_places(places, size);
  const unsigned width = std::min({kWidestDigit, static_cast<unsigned>(std::bit_width(size / 8)), bits}), low = bits - width;
  const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  std::vector<std::size_t> next((std::size_t{1} << width) + 1);
  for (std::size_t i = 0; i < size; ++i) ++next[(places[i].gram >> low & mask) + 1];
  for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  for (std::size_t i = 0; i < size; ++i) other[next[places[i].gram >> low & mask]++] = places[i];
  std::size_t begin = 0;
  for (std::size_t part = 0; part + 1 < next.size(); ++part) {  // by now each of `next` is the end of its part
    sort_places(other + begin, places + begin, next[part] - begin, low);
    begin = next[part];
  }
  std::copy(other, other + size, places);
}

}  // namespace

void sort_by_gram(std::vector<GramPlace>& places) {
  std::vector<GramPlace> other(places.size());
  sort_places(places.data(), other.data(), places.size(), 64);
}

GramTable::GramTable(std::vector<GramPlace> places) : places_(std::move(places)) {
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

// Without a branch that depends on a gram, and with all loads of a step under way at once: memory answers far slower than it is asked.
std::size_t GramTable::pass_filter(std::span<const std::uint64_t> grams, std::size_t begin,
                                   std::array<std::size_t, kTogether>& passed) const {
  const std::size_t end = std::min(begin + kTogether, grams.size());
  std::size_t count = 0;
  for (std::size_t i = begin; i < end; ++i) {
    if (i + kAhead < grams.size()) __builtin_prefetch(&filter_[grams[i + kAhead] >> filter_shift_]);
    const std::uint64_t gram = grams[i], bits = bits_of(gram);
    passed[count] = i;
    count += (filter_[gram >> filter_shift_] & bits) == bits;
  }
  for (std::size_t k = 0; k < count; ++k) __builtin_prefetch(&first_[grams[passed[k]] >> first_shift_]);
  for (std::size_t k = 0; k < count; ++k) __builtin_prefetch(places_.data() + first_[grams[passed[k]] >> first_shift_]);
  return count;
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

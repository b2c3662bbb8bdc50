#include "match/token_index.h"

#include <bit>

#include "base/radix_sort.h"
#include "base/system.h"

namespace nearkin {

EntryLayout::EntryLayout(std::size_t places) {
  position_bits_ = 32 - std::min(32u, static_cast<unsigned>(std::bit_width(places)));
  position_mask_ = static_cast<std::uint32_t>((std::uint64_t{1} << position_bits_) - 1);
}

TokenIndex::TokenIndex(std::vector<std::uint64_t> entries) : entries_(std::move(entries)) {
  std::vector<std::uint64_t> scratch;
  radix_sort(entries_, scratch, 4, 8);
  list_cells();
}

TokenIndex::TokenIndex(const TokenIndex& first, const TokenIndex& second) : entries_(first.size() + second.size()) {
  std::merge(first.entries_.begin(), first.entries_.end(), second.entries_.begin(), second.entries_.end(), entries_.begin(),
             [](std::uint64_t x, std::uint64_t y) { return x >> 32 < y >> 32; });
  list_cells();
}

void TokenIndex::list_cells() {
  constexpr std::size_t kCellEntries = 4;
  const unsigned bits = std::min(32u, static_cast<unsigned>(std::bit_width(entries_.size() / kCellEntries)));
  shift_ = 32 - bits;
  reserve_pages(starts_, (std::size_t{1} << bits) + 1);
  starts_.assign((std::size_t{1} << bits) + 1, 0);
  for (const std::uint64_t entry : entries_) ++starts_[(entry >> 32 >> shift_) + 1];
  for (std::size_t cell = 1; cell < starts_.size(); ++cell) starts_[cell] += starts_[cell - 1];
}

}  // namespace nearkin

#include "feature/ignored.h"

#include <algorithm>
#include <bit>

#include "base/hash.h"

namespace nearkin {

IgnoredShingles::IgnoredShingles(std::vector<std::uint64_t> hashes) : hashes_(std::move(hashes)) {
  std::sort(hashes_.begin(), hashes_.end());
  hashes_.erase(std::unique(hashes_.begin(), hashes_.end()), hashes_.end());
  hashes_.shrink_to_fit();
  const auto bits = static_cast<unsigned>(std::bit_width(2 * hashes_.size() + 1));
  shift_ = 64 - bits;
  table_.assign(std::size_t{1} << bits, 0);
  for (const std::uint64_t hash : hashes_) {
    std::size_t slot = hash >> shift_;
    while (table_[slot] != 0) slot = (slot + 1) & (table_.size() - 1);
    table_[slot] = hash;
  }
  has_zero_ = !hashes_.empty() && hashes_.front() == 0;
  identity_ = std::max<std::uint64_t>(1, checksum64(hashes_.data(), hashes_.size() * sizeof hashes_[0]));
}

}  // namespace nearkin

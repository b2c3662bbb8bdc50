#include "match/frequencies.h"

#include <algorithm>
#include <bit>

#include "base/system.h"

namespace nearkin {

Frequencies::Frequencies(const RowBytes& sets, std::span<const Row> rows, std::uint64_t most_bytes, unsigned threads) {
  std::uint64_t total = 0;
  for (const Row row : rows) total += sets.size(row) / sizeof(std::uint64_t);
  constexpr unsigned kLeast = 12, kMost = 27;  // no two parts share a counter of either kind
  const auto wanted = static_cast<unsigned>(std::bit_width(total));
  const auto allowed = std::max(1u, static_cast<unsigned>(std::bit_width(most_bytes - most_bytes / 8))) - 1;
  const unsigned bits = std::clamp(std::min(wanted, allowed), kLeast, kMost);
  shift_ = 32 - bits;
  reserve_pages(low_, std::size_t{1} << bits);
  low_.resize(std::size_t{1} << bits);
  high_.resize(low_.size() / kNeighbours);
  std::vector<Buffers> buffers(threads);
  sets.read(rows, [&](unsigned worker, std::size_t, std::span<const std::byte> bytes) { add(as_set(bytes), buffers[worker]); });
  for (Buffers& left : buffers) {
    for (std::size_t part = 0; part < left.size(); ++part) flush(part, left[part]);
  }
}

void Frequencies::add(std::span<const std::uint64_t> set, Buffers& buffers) {
  constexpr std::size_t kBuffer = 1024;
  for (const std::uint64_t element : set) {
    const std::size_t part = element >> (64 - kPartBits);
    buffers[part].push_back(key_of(element));
    if (buffers[part].size() >= kBuffer) flush(part, buffers[part]);
  }
}

void Frequencies::flush(std::size_t part, std::vector<std::uint32_t>& keys) {
  const std::lock_guard lock(mutexes_[part]);
  for (const std::uint32_t key : keys) {
    const std::uint32_t cell = key >> shift_;
    if (low_[cell] < kFull) {
      ++low_[cell];
    } else {
      ++high_[cell / kNeighbours];
    }
  }
  keys.clear();
}

std::size_t rank_prefix(std::span<const std::uint64_t> set, const Frequencies& frequency, std::size_t length,
                        std::vector<std::uint64_t>& ranked) {
  ranked.resize(set.size());
  std::size_t shared = 0;
  constexpr std::size_t kBlock = 32;
  for (std::size_t begin = 0; begin < set.size(); begin += kBlock) {
    const std::size_t end = std::min(set.size(), begin + kBlock);
    // No branch depends on a count: counts come from all over memory, and a wrong guess about one would end the wait for those after it.
    for (const std::uint64_t element : set.subspan(begin, end - begin)) {
      const std::uint32_t key = key_of(element), count = frequency(key);
      ranked[shared] = std::uint64_t{count} << 32 | key;
      shared += count > 1;
    }
    if (end - shared >= length) {  // the rest of a set is not looked up, and of most sets that is half
      ranked.clear();
      return end - shared;
    }
  }
  ranked.resize(shared);
  const std::size_t alone = set.size() - shared, kept = length - alone;
  if (kept < ranked.size()) {
    std::nth_element(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(kept), ranked.end());
    ranked.resize(kept);
  }
  std::sort(ranked.begin(), ranked.end());
  return alone;
}

}  // namespace nearkin

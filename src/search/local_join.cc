#include "search/local_join.h"

#include <algorithm>

namespace nearkin {

std::size_t LocalBatch::load(std::span<const std::uint64_t> pairs, std::size_t begin, const RowBytes& rows, std::uint64_t memory) {
  constexpr std::size_t kMostPairs = std::size_t{1} << 31;
  begin_ = begin;
  held_.clear(), starts_.clear(), place_.clear(), by_second_.clear();
  std::uint64_t bytes = 0;
  std::size_t end = begin;
  for (; end < pairs.size() && end - begin < kMostPairs; ++end) {
    const auto a = static_cast<Row>(pairs[end] >> 32);
    if (held_.empty() || held_.back() != a) {
      const std::uint64_t size = rows.size(a);
      if (!held_.empty() && bytes + size > memory) break;
      held_.push_back(a);
      starts_.push_back(bytes);
      bytes += (size + 7) / 8 * 8;
    }
    place_.push_back(static_cast<std::uint32_t>(held_.size() - 1));
    by_second_.push_back(pairs[end] << 32 | (end - begin));
  }
  read_held(rows, bytes);
  group_by_second();
  return end;
}

void LocalBatch::read_held(const RowBytes& rows, std::uint64_t bytes) {
  arena_.resize(static_cast<std::size_t>(bytes / 8));
  sizes_.assign(held_.size(), 0);
  rows.read(held_, [&](unsigned, std::size_t i, std::span<const std::byte> row) {
    if (!row.empty()) std::memcpy(arena_.data() + starts_[i] / 8, row.data(), row.size());
    sizes_[i] = row.size();
  });
}

void LocalBatch::group_by_second() {
  passing_.clear(), ranges_.clear();
  radix_sort(by_second_, scratch_, 4, 8);
  for (std::size_t i = 0; i < by_second_.size(); ++i) {
    const auto b = static_cast<Row>(by_second_[i] >> 32);
    if (!passing_.empty() && passing_.back() == b) continue;
    passing_.push_back(b);
    ranges_.push_back(i);
  }
  ranges_.push_back(by_second_.size());
}

}  // namespace nearkin

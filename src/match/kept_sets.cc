#include "match/kept_sets.h"

#include <algorithm>

namespace nearkin {

KeptSets::KeptSets(std::size_t most, bool copy) : layout_(most), copy_(copy), heads_(1 << 16) {}

FeatureSpan KeptSets::hold(FeatureSpan set) {
  if (!copy_) return set;
  constexpr std::size_t kRoom = std::size_t{1} << 13;
  if (arena_.empty() || arena_.back().capacity() - arena_.back().size() < set.size()) {
    arena_.emplace_back();
    arena_.back().reserve(std::max(kRoom, set.size()));
    held_ += arena_.back().capacity();
  }
  std::vector<std::uint64_t>& room = arena_.back();
  room.insert(room.end(), set.begin(), set.end());
  return {room.data() + room.size() - set.size(), set.size()};
}

void KeptSets::add(Row row, FeatureSpan set, const RankedKeys& ranked, std::size_t length) {
  const std::size_t place = sets_.size();
  rows_.push_back(row);
  sets_.push_back(hold(set));
  for (std::size_t i = 0; i < ranked.keys.size() && ranked.alone + i < length; ++i) {
    std::uint32_t& head = heads_[ranked.keys[i] % heads_.size()];
    batch_.push_back(layout_.entry(ranked.keys[i], place, ranked.alone + i));
    links_.push_back(head);
    head = static_cast<std::uint32_t>(batch_.size());
  }
}

void KeptSets::finish_batch() {
  constexpr std::size_t kGrowth = 3;
  std::fill(heads_.begin(), heads_.end(), 0u);
  if (batch_.empty()) return;
  levels_.emplace_back(std::move(batch_));
  batch_.clear();
  links_.clear();
  while (levels_.size() > 1 && levels_[levels_.size() - 2].size() < kGrowth * levels_.back().size()) {
    TokenIndex last = std::move(levels_.back());
    levels_.pop_back();
    levels_.back() = TokenIndex(levels_.back(), last);
  }
}

std::uint64_t KeptSets::bytes() const {
  constexpr std::uint64_t kEntry = 20;  // in an index, and in the one that it is merged into
  std::uint64_t entries = 0;
  for (const TokenIndex& level : levels_) entries += level.size();
  return kEntry * entries + sizeof(std::uint64_t) * held_ + (sizeof(Row) + sizeof(FeatureSpan)) * sets_.size();
}

}  // namespace nearkin

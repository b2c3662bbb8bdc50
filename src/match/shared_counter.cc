#include "match/shared_counter.h"

#include <algorithm>
#include <utility>

#include <nearkin/error.h>

namespace nearkin {

SharedCounter::SharedCounter(std::span<const std::span<const std::uint64_t>> asked) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> entries;
  for (std::uint32_t i = 0; i < asked.size(); ++i) {
    sizes_.push_back(static_cast<std::uint32_t>(asked[i].size()));
    for (const std::uint64_t feature : asked[i]) entries.emplace_back(feature, i);
  }
  if (entries.size() > UINT32_MAX) throw Error(ErrorCode::plan, "audit", "the items to ask for have more than 4,294,967,295 shingles; ask for fewer");
  std::sort(entries.begin(), entries.end());
  std::size_t size = 64;
  while (size < 4 * entries.size()) size *= 2;  // most lookups find nothing: a sparse table ends them at once
  slots_.resize(size);
  mask_ = size - 1;
  for (std::size_t begin = 0, end = 0; begin < entries.size(); begin = end) {
    const std::uint64_t hash = entries[begin].first;
    for (; end < entries.size() && entries[end].first == hash; ++end) owners_.push_back(entries[end].second);
    std::size_t place = hash & mask_;
    while (slots_[place].begin != slots_[place].end) place = (place + 1) & mask_;
    slots_[place] = {hash, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }
}

void SharedCounter::count(std::span<const std::uint64_t> features, Scratch& scratch) const {
  scratch.shared.resize(size());
  for (const std::uint32_t asked : scratch.touched) scratch.shared[asked] = 0;
  scratch.touched.clear();
  for (const std::uint64_t feature : features) {
    std::size_t place = feature & mask_;
    while (slots_[place].begin != slots_[place].end && slots_[place].hash != feature) place = (place + 1) & mask_;
    for (std::uint32_t i = slots_[place].begin; i < slots_[place].end; ++i) {
      const std::uint32_t asked = owners_[i];
      if (scratch.shared[asked]++ == 0) scratch.touched.push_back(asked);
    }
  }
}

}  // namespace nearkin

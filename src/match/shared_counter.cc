#include "match/shared_counter.h"

#include <utility>

#include <nearkin/error.h>

namespace nearkin {

SharedCounter::SharedCounter(std::span<const std::span<const std::uint64_t>> asked) {
  std::size_t entries = 0;
  for (const std::span<const std::uint64_t> features : asked) {
    sizes_.push_back(static_cast<std::uint32_t>(features.size()));
    entries += features.size();
  }
  if (entries > UINT32_MAX)
    throw Error(ErrorCode::plan, "audit", "the items to ask for have more than 4,294,967,295 shingles; ask for fewer");
  std::size_t size = 64;
  while (size < 2 * entries) size *= 2;
  slots_.resize(size);
  mask_ = size - 1;
  // Owners are counted, then given their places, then written: an entry is looked up twice, and nothing is sorted.
  for (const std::span<const std::uint64_t> features : asked) {
    for (const std::uint64_t feature : features) {
      Slot& slot = slots_[place_of(feature)];
      slot.hash = feature;
      ++slot.end;
    }
  }
  std::uint32_t sum = 0;
  for (Slot& slot : slots_) {
    slot.begin = sum;
    sum += std::exchange(slot.end, sum);
  }
  owners_.resize(entries);
  for (std::uint32_t i = 0; i < asked.size(); ++i) {
    for (const std::uint64_t feature : asked[i]) {
      std::size_t place = feature & mask_;
      while (slots_[place].hash != feature) place = (place + 1) & mask_;
      owners_[slots_[place].end++] = i;
    }
  }
}

void SharedCounter::count(std::span<const std::uint64_t> features, Scratch& scratch) const {
  scratch.shared.resize(size());
  for (const std::uint32_t asked : scratch.touched) scratch.shared[asked] = 0;
  scratch.touched.clear();
  for (const std::uint64_t feature : features) {
    const Slot& slot = slots_[place_of(feature)];
    for (std::uint32_t i = slot.begin; i < slot.end; ++i) {
      const std::uint32_t asked = owners_[i];
      if (scratch.shared[asked]++ == 0) scratch.touched.push_back(asked);
    }
  }
}

}  // namespace nearkin

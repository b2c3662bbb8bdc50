#include "match/band.h"

#include <cstring>

#include <nearkin/stages.h>

#include "base/hash.h"
#include "base/misuse.h"

namespace nearkin {

void band_keys(const std::uint32_t* slots, const BandPlan& plan, std::uint32_t* keys) {
  constexpr std::uint64_t kStep = 0x9e6c63d0676a9a99u;
  for (std::uint32_t band = 0; band < plan.bands; ++band) {
    const std::uint32_t* rows = slots + std::size_t{band} * plan.rows;
    std::uint64_t state = mix64(band + 1);
    std::uint32_t row = 0;
    for (; row + 2 <= plan.rows; row += 2) {
      std::uint64_t two;
      std::memcpy(&two, rows + row, sizeof two);
      state = fold_multiply(state ^ two, kStep);
    }
    if (row < plan.rows) state = fold_multiply(state ^ rows[row], kStep);
    keys[band] = static_cast<std::uint32_t>(state ^ state >> 32);
  }
}

std::vector<std::uint32_t> band_keys(std::span<const std::uint32_t> slots, const BandPlan& plan) {
  require_slots(plan, slots.size());
  std::vector<std::uint32_t> keys(plan.bands);
  band_keys(slots.data(), plan, keys.data());
  return keys;
}

}  // namespace nearkin

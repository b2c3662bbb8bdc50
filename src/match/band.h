// Bands: groups of sketch slots whose agreement makes two items share a bucket.
#pragma once

#include <cstdint>
#include <vector>

#include <nearkin/plan.h>

namespace nearkin {

/// The key of each band of one sketch: 32 bits over the band's rows and its number. FROZEN.
/// Different rows give equal keys with probability 2^-32; verification removes what that brings.
void band_keys(const std::uint32_t* slots, const BandPlan& plan, std::uint32_t* keys);

}  // namespace nearkin

// What `calibrate` measures with, and `forecast` therefore reckons from.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nearkin {

inline constexpr std::uint32_t kCalibratedHashes = 136;
inline constexpr std::size_t kCalibratedShingles = 200;

}  // namespace nearkin

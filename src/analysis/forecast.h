// The sizes with which `calibrate` measures; `forecast` scales its results from them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nearkin {

inline constexpr std::uint32_t kCalibratedHashes = 136;
inline constexpr std::size_t kCalibratedShingles = 200;

}  // namespace nearkin

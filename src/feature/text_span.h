// A part of a text.
#pragma once

#include <cstddef>

namespace nearkin {

/// Bytes of a text, from `begin` to before `end`.
struct TextSpan {
  std::size_t begin = 0, end = 0;
  bool operator==(const TextSpan&) const = default;
};

}  // namespace nearkin

// A place of a text with some text around it, for a page.
#pragma once

#include <string>
#include <string_view>

#include <nearkin/tools/compare.h>

namespace nearkin {

/// Bytes of a text that a page shows at most.
inline constexpr std::size_t kMostShownBytes = 10'000;

/// Where the place begins and ends in the excerpt.
struct Excerpt {
  std::string text;
  std::size_t begin = 0, end = 0;
};
Excerpt excerpt_of(std::string_view text, std::size_t begin, std::size_t end);

}  // namespace nearkin

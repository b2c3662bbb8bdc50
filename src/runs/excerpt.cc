#include "runs/excerpt.h"

#include <algorithm>

namespace nearkin {
namespace {

constexpr std::size_t kAround = 300;  // bytes

bool begins_character(std::string_view text, std::size_t at) {
  return at >= text.size() || (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80;
}

}  // namespace

Excerpt excerpt_of(std::string_view text, std::size_t begin, std::size_t end) {
  std::size_t first = begin - std::min(begin, kAround), last = std::min(text.size(), end + kAround);
  while (first > 0 && !begins_character(text, first)) --first;
  while (!begins_character(text, last)) ++last;
  const std::string_view before = first > 0 ? "… " : "", behind = last < text.size() ? " …" : "";
  Excerpt excerpt{.text = std::string(before), .begin = before.size() + begin - first, .end = before.size() + end - first};
  excerpt.text.append(text.substr(first, last - first)).append(behind);
  return excerpt;
}

}  // namespace nearkin

#include "colour.h"

#include <unistd.h>

#include <array>
#include <cstdlib>

#include <fmt/format.h>

namespace nearkin::cli {

bool shows_colours(int stream) {
  const char* const off = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  if (off != nullptr && *off != '\0') return false;
  if (terminal != nullptr && std::string_view(terminal) == "dumb") return false;
  return ::isatty(stream) == 1;
}

std::string coloured(std::string_view text, Colour colour, bool on) {
  constexpr std::array<const char*, 5> kCodes{"1", "2", "1;31", "33", "36"};
  if (!on) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", kCodes[static_cast<std::size_t>(colour)], text);
}

}  // namespace nearkin::cli

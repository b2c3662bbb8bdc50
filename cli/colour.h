// Colours for messages that a person reads.
#pragma once

#include <string>
#include <string_view>

namespace nearkin::cli {

/// Whether a stream (1: standard output, 2: standard error) is a terminal that shows colours. NO_COLOR and TERM=dumb say no.
bool shows_colours(int stream);

enum class Colour { bold, dim, red, yellow, cyan };
/// The text between the codes that switch a colour on and off; as it is where `on` is false.
std::string coloured(std::string_view text, Colour colour, bool on);

}  // namespace nearkin::cli

// Commands that are shown to be typed.
#pragma once

#include <string>
#include <string_view>

#include "flags.h"

namespace nearkin::cli {

/// In quotes where a shell would take the word apart or change it.
std::string shell_word(std::string_view word);

/// "nearkin COMMAND INPUT ... FLAGS": the inputs that were typed, and the flags that say how to read them.
std::string command_line(std::string_view command, const ParsedArgs& typed);

}  // namespace nearkin::cli

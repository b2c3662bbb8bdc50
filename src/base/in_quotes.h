#pragma once

#include <string>
#include <string_view>

namespace nearkin {

/// A value that somebody gave, as part of a message: in quotation marks, not too much of it, and nothing that a terminal cannot show.
std::string in_quotes(std::string_view text);

/// Appends the character at `at`, which must be before `end`, as `shown` spells it, and moves `at` behind it.
void append_shown(std::string& out, const char*& at, const char* end);

}  // namespace nearkin

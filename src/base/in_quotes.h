#pragma once

#include <string>
#include <string_view>

namespace nearkin {

/// False of what a terminal obeys or hides: controls, what has no width, and what turns the direction of writing around.
bool is_shown(char32_t c);

/// A given value for a message: in quotation marks, shortened if it is long, and with everything escaped that a terminal cannot show.
std::string in_quotes(std::string_view text);

/// Appends the character at `at`, which must be before `end`, as `shown` spells it, and moves `at` behind it.
void append_shown(std::string& out, const char*& at, const char* end);

}  // namespace nearkin

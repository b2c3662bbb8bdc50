// Which programming language a text is written in.
#pragma once

#include <string_view>

#include "theory/code_rule.h"

namespace nearkin {

/// The language that most signs in the first 16 KiB of the text speak for; the first in the order of Language where several have as many,
/// and C++ where there is no sign at all. C is taken for C++, whose lexer reads both. FROZEN. Linear time.
Language recognise_language(std::string_view text);

}  // namespace nearkin

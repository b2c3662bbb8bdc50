// Which programming language a text is written in.
#pragma once

#include <string_view>

#include "theory/code_rule.h"

namespace nearkin {

/// The language with the most signs in the first 16 KiB of the text; of several, the first in the order of Language; C++ if there is no
/// sign at all. C counts as C++, whose lexer reads both. FROZEN. Linear time.
Language recognise_language(std::string_view text);

}  // namespace nearkin

// Programs without what a disguise changes: comments, the names of things, the values of literals.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "feature/text_span.h"
#include "theory/code_rule.h"

namespace nearkin {

/// A stretch of a reduced text: from `reduced` to where the next stretch begins. It is a copy of `original`, or replaces all of it. In the
/// second case the lengths may differ.
struct CodeStretch {
  TextSpan original;
  std::size_t reduced = 0;
};

/// What every identifier and every literal becomes, by its kind. FROZEN. They are capital letters, because no keyword is one.
inline constexpr char kIdentifier = 'I', kNumber = '0', kString = 'S', kCharacter = 'C', kRegex = 'R';

/// The text without its comments; with `rule.identifiers` each identifier that is not a keyword, and each literal, is one letter or digit
/// for its kind. Everything else is kept, including white space and line ends; a blank is added where two tokens would become one.
/// Overwrites `out`, which must not hold the text. `stretches`: where each byte of `out` comes from, and an empty stretch at its end.
/// Linear time.
void reduce_code(std::string_view text, CodeRule rule, std::string& out, std::vector<CodeStretch>* stretches = nullptr);

/// The bytes that a span of the reduced text, which is not empty, was made from.
TextSpan original_of(const std::vector<CodeStretch>& stretches, TextSpan reduced);

/// The first byte of the reduced text that comes from byte `original` of the text or a later one; the length of the reduced text if there
/// is none.
std::size_t reduced_from(const std::vector<CodeStretch>& stretches, std::size_t original);

}  // namespace nearkin

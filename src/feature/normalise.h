// Text as the shinglers see it: compatibility forms, case and white space made one.
//
// All functions clear `out` first and allocate nothing when its capacity suffices (the length of the text and a little more, for text
// that does not grow), so one `out` can serve for many texts. `utf8` must not lie inside `out`. Every invalid byte becomes U+FFFD, so the
// result is always well-formed UTF-8. Time is linear in the length, but for sorting runs of combining marks that are out of order.
// The result depends on the version of the Unicode tables (unicode_version() in base/unicode.h) from the first non-ASCII byte on.
#pragma once

#include <string>
#include <string_view>

namespace nearkin {

/// NFKC_Casefold of the whole text, byte for byte what utf8proc_NFKC_Casefold yields; then every run of White_Space is one ' ', and
/// none is left at either end.
void normalise_text(std::string_view utf8, std::string& out);

/// NFKC_Casefold alone: line breaks and other white space stay as NFKC leaves them.
void fold_text(std::string_view utf8, std::string& out);

/// White space alone: every run of White_Space is one ' ', none at either end; all other code points are kept.
void collapse_space(std::string_view utf8, std::string& out);

}  // namespace nearkin

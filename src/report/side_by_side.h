// Two texts beside one another, with what they share marked.
#pragma once

#include <string>

#include <nearkin/tools/compare.h>
#include <nearkin/tools/report.h>

namespace nearkin::page {

/// Empty where the pair has no texts. `code`: in letters of one width.
std::string side_by_side(const ShownPair& pair, bool code);

/// The text escaped, with line breaks, its shared stretches in <mark>.
std::string marked(const MarkedText& text);

}  // namespace nearkin::page

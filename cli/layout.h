// Pages of plain text: numbered headings, paragraphs and tables, for `explain` and `tune --sensitive`.
#pragma once

#include <string>
#include <vector>

namespace nearkin::cli {

/// In front of everything but headings.
inline constexpr const char* kIndent = "   ";

using Cells = std::vector<std::string>;

/// Columns as wide as their widest cell; the last is not filled up.
std::string table(const std::vector<Cells>& rows, const char* indent = kIndent);
/// Broken at blanks into lines of at most 110 columns.
std::string paragraph(const std::string& text);
/// "\n2. Title\n"
std::string heading(int number, const char* title);
/// "… and 7 more" where not all of a list is shown, otherwise nothing.
std::string left_out(std::size_t all, std::size_t shown);

}  // namespace nearkin::cli

// Lists of field names as Input::text has them: with commas between them, and odd names in quotation marks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nearkin {

/// Where the quotation mark at `begin` ends: behind the closing one. Two of them within are one that belongs to the name; npos: no end.
std::size_t end_of_quoted(std::string_view text, std::size_t begin);

/// The parts between commas as they are spelled. A part that begins with a quotation mark may hold commas between this and the closing one.
/// Throws Error(plan, subject) where that is missing, or is followed by something else than a comma or ^.
std::vector<std::string> split_names(std::string_view text, const char* subject);

/// Whether a part is in quotation marks, as far as a ^ behind it.
bool is_quoted(std::string_view part);
/// The name in quotation marks, without these.
std::string unquoted_name(std::string_view part);
/// The name in quotation marks.
std::string quoted_name(std::string_view name);

}  // namespace nearkin

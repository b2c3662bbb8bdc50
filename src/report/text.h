// Text in pictures and pages: escaping, widths, lines, numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nearkin {

/// Fit for XML and HTML, in elements and in quoted attributes: well-formed UTF-8, < > & " ' as references, white space as one blank each,
/// characters that XML does not allow as U+FFFD.
std::string escape(std::string_view text);

inline constexpr double kFontSize = 12;  ///< of charts; the style sheet has the same

/// About how wide the text is in a sans-serif font of this size; rather too wide than too narrow.
double text_width(std::string_view text, double size);

/// The text, or as much of its beginning as fits `width` with an ellipsis.
std::string shorten(std::string_view text, double size, double width);

/// The text in lines of at most `width`, broken at blanks where there are any; what is beyond `most` lines becomes an ellipsis.
std::vector<std::string> wrap(std::string_view text, double size, double width, std::size_t most);

/// A length or coordinate of a picture: at most two decimals, the same on every machine.
std::string coordinate(double value);

/// A value as a table shows it: whole numbers in full, others with six digits.
std::string table_number(double value);

/// "1 point", "1,234 points"; with `many` where the plural is not the word with an s.
std::string counted(std::uint64_t count, const std::string& one, const std::string& many = {});

/// The digits before the point in groups of three: "12,500.5".
std::string grouped(std::string number);

}  // namespace nearkin

#include "report/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/unicode.h"

namespace nearkin {
namespace {

constexpr std::string_view kEllipsis = "\u2026";

bool allowed_in_xml(char32_t c) { return c >= 0x20 && c != 0xFFFE && c != 0xFFFF && !(c >= 0x7F && c < 0xA0); }

/// Turns the writing direction of what follows, so that a text could be read as another: embeddings, overrides and isolates.
bool turns_direction(char32_t c) { return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069); }

/// Shares of the font's size; the letters as wide as the widest of the usual fonts has them.
double width_of(char32_t c) {
  constexpr std::string_view kNarrow = "iljI.,:;'|! ";
  constexpr std::string_view kMedium = "ftr()[]{}-/\\\"*`";
  constexpr std::string_view kWideLetters = "mwMW@%&<>=+~^";
  if (c < 0x80) {
    const char letter = static_cast<char>(c);
    if (kNarrow.find(letter) != std::string_view::npos) return 0.34;
    if (kMedium.find(letter) != std::string_view::npos) return 0.48;
    if (kWideLetters.find(letter) != std::string_view::npos) return 0.92;
    return c >= 'A' && c <= 'Z' ? 0.74 : 0.64;
  }
  if (c >= 0x300 && c < 0x370) return 0;
  return c < 0x1100 || (c >= 0x2000 && c < 0x2E80 && c != 0x2026) ? 0.66 : 1.05;
}

/// Bytes of `text` that fit `width`, whole code points.
std::size_t fitting(std::string_view text, double size, double width) {
  const char* p = text.data();
  const char* const end = p + text.size();
  double used = 0;
  while (p != end) {
    const char* next = p;
    used += width_of(next_code_point(next, end)) * size;
    if (used > width) break;
    p = next;
  }
  return static_cast<std::size_t>(p - text.data());
}

std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
}

/// Where the first line of `text` ends: behind the last blank that fits, or in a word that is wider than a line.
std::size_t line_end(std::string_view text, double size, double width) {
  const std::size_t fits = fitting(text, size, width);
  if (fits == text.size()) return fits;
  const std::size_t blank = text.find_last_of(" \t\r\n", fits);
  if (blank != std::string_view::npos && blank > 0) return blank;
  if (fits > 0) return fits;
  const char* p = text.data();
  next_code_point(p, text.data() + text.size());
  return static_cast<std::size_t>(p - text.data());
}

}  // namespace

std::string escape(std::string_view text) {
  std::string out;
  const char* p = text.data();
  const char* const end = p + text.size();
  while (p != end) {
    const char32_t c = next_code_point(p, end);
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      case '\t':
      case '\n':
      case '\r': out += ' '; break;
      default: append_code_point(out, allowed_in_xml(c) && !turns_direction(c) ? c : kReplacement);
    }
  }
  return out;
}

double text_width(std::string_view text, double size) {
  const char* p = text.data();
  const char* const end = p + text.size();
  double width = 0;
  while (p != end) width += width_of(next_code_point(p, end)) * size;
  return width;
}

std::string shorten(std::string_view text, double size, double width) {
  if (fitting(text, size, width) == text.size()) return std::string(text);
  const double room = width - text_width(kEllipsis, size);
  return std::string(without_blanks(text.substr(0, fitting(text, size, room)))) + std::string(kEllipsis);
}

std::vector<std::string> wrap(std::string_view text, double size, double width, std::size_t most) {
  std::vector<std::string> lines;
  for (text = without_blanks(text); !text.empty();) {
    if (lines.size() + 1 == most) {
      lines.push_back(shorten(text, size, width));
      break;
    }
    const std::size_t end = line_end(text, size, width);
    lines.emplace_back(without_blanks(text.substr(0, end)));
    text = without_blanks(text.substr(end));
  }
  return lines;
}

std::string coordinate(double value) {
  const std::int64_t hundredths = std::llround(value * 100);
  const std::int64_t size = hundredths < 0 ? -hundredths : hundredths;
  std::string out = (hundredths < 0 ? "-" : "") + std::to_string(size / 100);
  if (size % 100 == 0) return out;
  out += '.';
  out += static_cast<char>('0' + size % 100 / 10);
  if (size % 10 != 0) out += static_cast<char>('0' + size % 10);
  return out;
}

std::string table_number(double value) {
  char buffer[64];
  const bool whole = value == std::trunc(value) && std::abs(value) < 1e15;
  const auto result = whole ? std::to_chars(buffer, buffer + sizeof buffer, static_cast<std::int64_t>(value))
                            : std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, 6);
  return {buffer, result.ptr};
}

std::string grouped(std::string number) {
  for (std::size_t at = std::min(number.find('.'), number.size()); at > 3;) {
    at -= 3;
    number.insert(at, 1, ',');
  }
  return number;
}

std::string counted(std::uint64_t count, const std::string& one, const std::string& many) {
  return grouped(std::to_string(count)) + ' ' + (count == 1 ? one : many.empty() ? one + 's' : many);
}

}  // namespace nearkin

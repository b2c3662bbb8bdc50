// Numbers as lines of text spell them, and dense vectors: one per line, with a comma, semicolon, tab or blanks between its numbers.
#pragma once

#include <charconv>
#include <cmath>
#include <system_error>

#include "base/library.h"
#include "io/formats/records.h"

namespace nearkin {

enum class Spelt {
  number,
  nothing,     ///< there is no number
  not_finite,  ///< inf, nan
  too_large,   ///< for the type
};

/// The decimal number at `at`, rounded to the nearest; moves `at` behind it. Too small ones are zero. A '+' before it is allowed.
template <typename Real>
Spelt read_number(const char*& at, const char* end, Real& value) {
  const char* begin = at;
  if (begin < end && *begin == '+' && begin + 1 < end && begin[1] != '-') ++begin;
  const auto [rest, error] = read_decimal(begin, end, value);
  if (error == std::errc::invalid_argument) return Spelt::nothing;
  at = rest;
  if (error == std::errc()) return std::isfinite(value) ? Spelt::number : Spelt::not_finite;
  // Out of range, one way or the other: the sign of the exponent tells, or else whether there is anything but zeros before the point.
  const std::string_view text(begin, static_cast<std::size_t>(rest - begin));
  const std::size_t exponent = text.find_first_of("eE");
  const std::size_t first = text.find_first_not_of("-0");
  const bool small = exponent != text.npos ? text.substr(exponent + 1).starts_with('-') : first != text.npos && text[first] == '.';
  value = 0;
  return small ? Spelt::number : Spelt::too_large;
}

/// Whether a whole number needs more than the 24 bits of a float: rounding would make different numbers equal.
inline bool is_too_long(double value) {
  return std::abs(value) > 0x1p24 && value == std::floor(value) && static_cast<double>(static_cast<float>(value)) != value;
}

struct DenseColumns {
  /// Between two fields; absent: whichever of comma, semicolon and tab a line has first, or else blanks, any number of them.
  std::optional<char> separator;
  std::optional<std::size_t> id;  ///< the column that is no number but the id
};

/// Length of the header line and all before it; absent when more bytes are needed to tell. The first line that says anything is the header
/// when a field of it, the id's apart, is no number, or its first one is empty; else there is none (0). Blank lines and lines that begin
/// with '#' say nothing.
std::optional<std::size_t> dense_header_length(std::string_view bytes, bool at_end, const DenseColumns& columns);

/// The id's column by the header (as dense_header_length cut it; empty: columns are called 1, 2, 3 …). Where there is no column "id" it is
/// a first one without a name, as tools that number rows write it. Throws Error(data) when another column was asked for and is missing.
std::optional<std::size_t> dense_id_column(std::string_view header, const DenseColumns& columns, const Fields& fields,
                                           const std::string& name);

void parse_dense_text(const Chunk& chunk, const DenseColumns& columns, RecordSink& sink);

}  // namespace nearkin

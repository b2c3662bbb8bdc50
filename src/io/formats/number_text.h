// Numbers as lines of text spell them.
#pragma once

#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>

namespace nearkin {

enum class Spelt {
  number,
  nothing,     ///< no number stands there
  not_finite,  ///< inf, nan
  too_large,   ///< for the type
};

/// The decimal number at `at`, rounded to the nearest; moves `at` behind it. Too small ones are zero. A '+' before it is allowed.
template <typename Real>
Spelt read_number(const char*& at, const char* end, Real& value) {
  const char* begin = at;
  if (begin < end && *begin == '+' && begin + 1 < end && begin[1] != '-') ++begin;
  const auto [rest, error] = std::from_chars(begin, end, value);
  if (error == std::errc::invalid_argument) return Spelt::nothing;
  at = rest;
  if (error == std::errc()) return std::isfinite(value) ? Spelt::number : Spelt::not_finite;
  // Out of range, one way or the other: the sign of the exponent tells, or else whether anything but zeros stands before the point.
  const std::string_view text(begin, static_cast<std::size_t>(rest - begin));
  const std::size_t exponent = text.find_first_of("eE");
  const std::size_t first = text.find_first_not_of("-0");
  const bool small = exponent != text.npos ? text.substr(exponent + 1).starts_with('-') : first != text.npos && text[first] == '.';
  value = 0;
  return small ? Spelt::number : Spelt::too_large;
}

/// A whole number that the 24 bits of a float cannot hold: rounding it would make different ones equal.
inline bool is_too_long(double value) {
  return std::abs(value) > 0x1p24 && value == std::floor(value) && static_cast<double>(static_cast<float>(value)) != value;
}

}  // namespace nearkin

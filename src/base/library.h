// Replacements for what some C++ libraries lack.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace nearkin {

// libc++ has std::from_chars for floating point from version 20 on.
#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 200000

/// The length of the decimal number, inf or nan that the text begins with, by the rules of std::from_chars.
inline std::size_t decimal_length(std::string_view text) {
  const auto digits = [&](std::size_t at) {
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    return at;
  };
  const std::size_t begin = text.starts_with('-') ? 1 : 0;
  for (const std::string_view word : {"infinity", "inf", "nan"}) {
    std::string lower(text.substr(begin, word.size()));
    for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    if (lower == word) return begin + word.size();
  }
  std::size_t end = digits(begin), count = end - begin;
  if (end < text.size() && text[end] == '.') {
    const std::size_t after = digits(end + 1);
    count += after - end - 1;
    end = after;
  }
  if (count == 0) return 0;
  if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    const bool sign = end + 1 < text.size() && (text[end + 1] == '-' || text[end + 1] == '+');
    const std::size_t exponent = end + (sign ? 2 : 1);
    if (digits(exponent) > exponent) end = digits(exponent);
  }
  return end;
}

/// As std::from_chars. Assumes the locale "C" for numbers, which nearkin never leaves.
template <typename Real>
std::from_chars_result read_decimal(const char* begin, const char* end, Real& value) {
  const std::string text(begin, decimal_length({begin, static_cast<std::size_t>(end - begin)}));
  if (text.empty()) return {begin, std::errc::invalid_argument};
  const char* const rest = begin + text.size();
  Real read{};
  if constexpr (std::is_same_v<Real, float>) {
    read = std::strtof(text.c_str(), nullptr);
  } else {
    read = std::strtod(text.c_str(), nullptr);
  }
  const bool words = text.find_first_of("nN") != text.npos;
  const std::size_t mantissa = text.find_first_of("eE");
  const bool zero = text.substr(0, mantissa).find_first_of("123456789") == text.npos;
  const bool fits = words || zero || (read != 0 && read - read == 0);
  if (!fits) return {rest, std::errc::result_out_of_range};
  value = read;
  return {rest, std::errc()};
}

#else

template <typename Real>
std::from_chars_result read_decimal(const char* begin, const char* end, Real& value) {
  return std::from_chars(begin, end, value);
}

#endif

/// An array that is not filled: std::make_unique_for_overwrite, which libc++ has from version 16 on.
template <typename T>
std::unique_ptr<T[]> unfilled(std::size_t count) {
  static_assert(std::is_trivially_default_constructible_v<T>);
  return std::unique_ptr<T[]>(new T[count]);
}

}  // namespace nearkin

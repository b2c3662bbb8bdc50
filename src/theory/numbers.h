// Numbers, and names of values, as they are in plan lines, flags and error texts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <nearkin/plan.h>

namespace nearkin {

/// `value` as a decimal fraction with at most nine decimals. If it has more, throws Error(plan) naming the two nearest fractions: rounding
/// would leave out, or take in, pairs at the border.
Ratio border_ratio(double value, const std::string& subject);

/// The names of an enum's values, in the order of their declaration.
using Names = std::span<const std::string_view>;
/// Empty for a value that is not in the enum.
template <typename Value>
std::string_view name_of(Value value, Names names) {
  const auto place = static_cast<std::size_t>(value);
  return place < names.size() ? names[place] : std::string_view();
}
template <typename Value>
std::optional<Value> find_name(std::string_view text, Names names) {
  const auto found = std::find(names.begin(), names.end(), text);
  return found == names.end() ? std::nullopt : std::optional(static_cast<Value>(found - names.begin()));
}

/// A whole number in decimal digits and nothing else; absent when it is not one or does not fit.
std::optional<std::uint64_t> parse_whole(std::string_view text);

/// 16 hexadecimal digits, and nothing else when they are read.
std::string hex_of(std::uint64_t value);
std::optional<std::uint64_t> parse_hex(std::string_view text);

/// A finite decimal number and nothing else; absent when it is not one.
std::optional<double> parse_number(std::string_view text);

/// The shortest spelling that reads back to the same value.
std::string shortest(double value);

/// Throws Error(plan) naming `subject` unless `value` is in (0, 1]. A value up to 100 is taken for a percentage in the advice.
/// `at_zero` says what 0 would mean, `example` what would be right.
void require_share(double value, const std::string& subject, const std::string& at_zero, const std::string& example);

/// "80 is not between 0 and 1; did you mean 0.8?"
std::string not_a_share(double value);

/// Throws Error(plan) naming `subject` unless `value` is in low..high.
void require_between(std::uint64_t value, std::uint64_t low, std::uint64_t high, const std::string& subject);

}  // namespace nearkin

// Numbers and values as they stand in plan lines and error texts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nearkin {

/// A whole number in decimal digits and nothing else; absent when it is not one or does not fit.
std::optional<std::uint64_t> parse_whole(std::string_view text);

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

#include "theory/numbers.h"

#include <charconv>
#include <cmath>
#include <cstdio>

#include <nearkin/error.h>
#include <nearkin/plan.h>
#include <nearkin/tools/names.h>

#include "base/in_quotes.h"
#include "base/library.h"

namespace nearkin {
namespace {

constexpr std::uint64_t kFinest = 1'000'000'000;

Ratio lowest_digits(std::uint64_t numerator, std::uint64_t denominator) {
  while (denominator > 1 && numerator % 10 == 0) {
    numerator /= 10;
    denominator /= 10;
  }
  return {numerator, denominator};
}

Ratio ratio_of(double value, const std::string& subject) {
  if (!(value >= 0 && value <= 1)) throw Error(ErrorCode::plan, subject, not_a_share(value));
  const std::uint64_t numerator = static_cast<std::uint64_t>(std::llround(value * static_cast<double>(kFinest)));
  // 1 means something else than nearly 1: an exact join, identical items.
  if (numerator == kFinest && value < 1) {
    throw Error(ErrorCode::plan, subject, shortest(value) + " has more than nine digits; use 1 or 0.999999999");
  }
  return lowest_digits(numerator, kFinest);
}

}  // namespace

std::optional<std::uint64_t> parse_whole(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string hex_of(std::uint64_t value) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(value));
  return digits;
}

std::optional<std::uint64_t> parse_hex(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (text.size() != 16 || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = read_decimal(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string shortest(double value) {
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, end};
}

std::string not_a_share(double value) {
  std::string message = shortest(value) + " is not between 0 and 1";
  if (value >= 10 && value <= 100) return message + "; did you mean " + shortest(value / 100) + "?";
  return message;
}

void require_share(double value, const std::string& subject, const std::string& at_zero, const std::string& example) {
  if (value == 0) throw Error(ErrorCode::plan, subject, "0 would " + at_zero + "; use a number above 0, such as " + example);
  // Written so that a value that is not a number fails too.
  if (!(value > 0 && value <= 1)) throw Error(ErrorCode::plan, subject, not_a_share(value));
}

void require_between(std::uint64_t value, std::uint64_t low, std::uint64_t high, const std::string& subject) {
  if (value >= low && value <= high) return;
  throw Error(ErrorCode::plan, subject, std::to_string(value) + " is not between " + std::to_string(low) + " and " + std::to_string(high));
}

Ratio ratio(double value) { return ratio_of(value, "ratio"); }

Ratio border_ratio(double value, const std::string& subject) {
  const Ratio nearest = ratio_of(value, subject);
  constexpr double kRounding = 1e-12;  // of a sum such as 0.1 + 0.2
  const double units = value * static_cast<double>(kFinest);
  if (std::abs(nearest.value() - value) <= kRounding) return nearest;
  const auto below = static_cast<std::uint64_t>(units);
  throw Error(ErrorCode::plan, subject,
              shortest(value) + " has more than nine decimals, but only nine are used; use " + to_string(lowest_digits(below, kFinest)) +
                  " or " + to_string(lowest_digits(below + 1, kFinest)));
}

Ratio parse_ratio(std::string_view text, const std::string& subject) {
  const std::optional<double> value = parse_number(text);
  if (!value) throw Error(ErrorCode::plan, subject, in_quotes(text) + " is not a number between 0 and 1, such as 0.8");
  return border_ratio(*value, subject);
}

std::string to_string(Ratio ratio) {
  const Ratio shown = lowest_digits(ratio.numerator, ratio.denominator);
  std::string digits = std::to_string(shown.numerator % shown.denominator);
  const std::string whole = std::to_string(shown.numerator / shown.denominator);
  if (shown.denominator == 1) return whole;
  const std::size_t places = std::to_string(shown.denominator).size() - 1;
  return whole + "." + std::string(places - digits.size(), '0') + digits;
}

}  // namespace nearkin

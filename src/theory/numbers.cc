#include "theory/numbers.h"

#include <charconv>
#include <cmath>

#include <nearkin/error.h>

namespace nearkin {

std::optional<std::uint64_t> parse_whole(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
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
  if (value >= 2 && value <= 100) return message + "; did you mean " + shortest(value / 100) + "?";
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

}  // namespace nearkin

#include <cmath>

#include <nearkin/error.h>
#include <nearkin/plan.h>
#include <nearkin/tools/names.h>

#include "base/in_quotes.h"
#include "theory/numbers.h"

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

Ratio ratio(double value) { return ratio_of(value, "ratio"); }

Ratio parse_ratio(std::string_view text, const std::string& subject) {
  const std::optional<double> value = parse_number(text);
  if (!value) throw Error(ErrorCode::plan, subject, in_quotes(text) + " is not a number between 0 and 1, such as 0.8");
  return ratio_of(*value, subject);
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

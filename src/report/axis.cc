#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/library.h"
#include "base/portable_math.h"
#include "report/chart.h"
#include "report/text.h"

namespace nearkin {
namespace {

constexpr double kLargest = 1e300;

/// digits × 10^exponent.
struct Decimal {
  std::int64_t digits;
  int exponent;

  /// The nearest double: reading a decimal is rounded correctly everywhere, pow is not.
  double value() const {
    const std::string text = std::to_string(digits) + 'e' + std::to_string(exponent);
    double out = 0;
    read_decimal(text.data(), text.data() + text.size(), out);
    return out;
  }
};

/// e with 10^e <= value < 10^(e+1), for value > 0.
int power_of_ten(double value) {
  char buffer[64];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  const std::string_view text(buffer, static_cast<std::size_t>(result.ptr - buffer));
  std::string_view digits = text.substr(text.find('e') + 1);
  if (digits.front() == '+') digits.remove_prefix(1);
  int exponent = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  return exponent;
}

std::string superscript(int number) {
  static constexpr std::string_view kDigits[] = {"\u2070", "\u00B9", "\u00B2", "\u00B3", "\u2074",
                                                 "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
  std::string out = number < 0 ? "\u207B" : "";
  for (const char c : std::to_string(std::abs(number))) out += kDigits[c - '0'];
  return out;
}

/// How the numbers of one axis are written.
enum class Spelling { plain, groups, suffix, power };
constexpr double kLeastPlain = 0.99e-4;  // 0.0001 is the least with all its zeros
constexpr double kLeastGroups = 1e4, kLeastSuffix = 1e5;

Spelling spelling_of(double largest, double step) {
  if (largest >= 1e15 || step < kLeastPlain) return Spelling::power;
  if (largest >= kLeastSuffix && step >= largest / 1000) return Spelling::suffix;
  return largest >= kLeastGroups ? Spelling::groups : Spelling::plain;
}

/// digits × 10^exponent as "12500", "0.50".
std::string plain(std::int64_t digits, int exponent) {
  std::string text = std::to_string(digits);
  if (exponent >= 0) return text + std::string(static_cast<std::size_t>(exponent), '0');
  const auto decimals = static_cast<std::size_t>(-exponent);
  if (text.size() <= decimals) text.insert(0, decimals + 1 - text.size(), '0');
  return text.insert(text.size() - decimals, 1, '.');
}

std::string label(Decimal number, Spelling spelling) {
  if (number.digits == 0) return "0";
  const std::string sign = number.digits < 0 ? "\u2212" : "";
  std::int64_t digits = std::abs(number.digits);
  if (spelling == Spelling::plain) return sign + plain(digits, number.exponent);
  if (spelling == Spelling::groups) return sign + grouped(plain(digits, number.exponent));
  while (digits % 10 == 0) {
    digits /= 10;
    ++number.exponent;
  }
  const int length = static_cast<int>(std::to_string(digits).size());
  const int power = number.exponent + length - 1;
  if (spelling == Spelling::suffix) {
    static constexpr std::string_view kSuffixes[] = {"", "k", "M", "G", "T"};
    const int thousands = std::clamp(power / 3, 0, 4);
    return sign + plain(digits, number.exponent - 3 * thousands) + std::string(kSuffixes[thousands]);
  }
  if (power >= -2 && power <= 3 && number.exponent >= -3) return sign + plain(digits, number.exponent);
  const std::string ten = "10" + superscript(power);
  return sign + (digits == 1 ? ten : plain(digits, 1 - length) + "\u00D7" + ten);
}

struct Range {
  double low, high;
  double width() const { return high - low; }
};

/// A range that is wide enough for a step, also where all values are equal.
Range room_around(Range range, bool near_zero) {
  const double size = std::max(std::abs(range.low), std::abs(range.high));
  if (size < 1e-280) return {0, 1};
  if (range.width() <= size * 1e-12) {
    if (range.low > 0 && range.high <= 1) return {0, 1};
    return {range.low - size / 2, range.high + size / 2};
  }
  if (near_zero && range.low > 0 && range.low <= 0.3 * range.high) range.low = 0;
  if (near_zero && range.high < 0 && range.high >= 0.3 * range.low) range.high = 0;
  return range;
}

/// The ends of an axis with ticks every `step`: at the next tick outside, or for the other axis there only where that is near.
Range ends(Range range, double step, bool from_tick_to_tick) {
  // A value that is a tick but for its last digit stands at the tick.
  const double low = std::floor(range.low / step + 1e-9) * step, high = std::ceil(range.high / step - 1e-9) * step;
  if (from_tick_to_tick) return {low, high};
  const double margin = range.width() / 40;
  const bool low_is_near = range.low - low <= step / 2, high_is_near = high - range.high <= step / 2;
  return {low_is_near ? low : range.low - margin, high_is_near ? high : range.high + margin};
}

/// `whole`: no ticks between whole numbers.
Axis linear_axis(Range values, bool whole, const AxisUse& use) {
  const Range range = room_around(values, use.from_tick_to_tick);
  int exponent = power_of_ten(range.width() / static_cast<double>(use.most_ticks)) - 1;
  if (whole && (range.width() >= 2 || !use.from_tick_to_tick)) exponent = std::max(exponent, 0);
  for (int i = 0;; ++i) {
    static constexpr int kSteps[] = {1, 2, 5};
    const Decimal step{kSteps[i % 3], exponent + i / 3};
    const double size = step.value();
    const Range shown = ends(range, size, use.from_tick_to_tick);
    const auto first = static_cast<std::int64_t>(std::ceil(shown.low / size - 1e-6));
    const auto last = static_cast<std::int64_t>(std::floor(shown.high / size + 1e-6));
    if (last - first + 1 > static_cast<std::int64_t>(use.most_ticks) && i < 12) continue;
    Axis axis{false, shown.low, shown.high, {}};
    const Spelling spelling = spelling_of(std::max(std::abs(shown.low), std::abs(shown.high)), size);
    for (std::int64_t k = first; k <= last; ++k) {
      const Decimal tick{k * step.digits, step.exponent};
      axis.ticks.push_back({tick.value(), label(tick, spelling)});
    }
    return axis;
  }
}

/// The ticks of a logarithmic axis: 1, 2 and 5 times every power of ten, or every n-th power alone.
std::vector<Decimal> log_ticks(Range range, int every) {
  std::vector<Decimal> out;
  for (int e = power_of_ten(range.low); e <= power_of_ten(range.high); ++e) {
    for (const int digit : {1, 2, 5}) {
      const Decimal tick{digit, e};
      if (every > 0 && (digit > 1 || e % every != 0)) continue;
      if (tick.value() >= range.low && tick.value() <= range.high) out.push_back(tick);
    }
  }
  return out;
}

Axis log_axis(Range values, const AxisUse& use) {
  const int e = power_of_ten(values.low), f = power_of_ten(values.high);
  Range shown{Decimal{1, e}.value(), Decimal{1, f + 1}.value()};
  for (const int digit : {1, 2, 5}) {
    if (const double tick = Decimal{digit, e}.value(); tick <= values.low) shown.low = tick;
  }
  for (const int digit : {5, 2, 1}) {
    if (const double tick = Decimal{digit, f}.value(); tick >= values.high) shown.high = tick;
  }
  std::vector<Decimal> ticks = log_ticks(shown, 0);
  for (int every = 1; ticks.size() > use.most_ticks; ++every) ticks = log_ticks(shown, every);
  Axis axis{true, shown.low, shown.high, {}};
  const bool extreme = shown.high >= 1e15 || shown.low < kLeastPlain;
  const Spelling spelling = extreme ? Spelling::power : spelling_of(shown.high, shown.high);
  for (const Decimal& tick : ticks) axis.ticks.push_back({tick.value(), label(tick, spelling)});
  return axis;
}

}  // namespace

bool can_be_shown(double value) { return std::isfinite(value) && std::abs(value) <= kLargest; }

double Axis::place(double value) const {
  if (!logarithmic) return (value - low) / (high - low);
  const double begin = portable::log(low);
  return (portable::log(value) - begin) / (portable::log(high) - begin);
}

double Axis::widest_label(double size) const {
  double width = 0;
  for (const Tick& tick : ticks) width = std::max(width, text_width(tick.label, size));
  return width;
}

Axis make_axis(std::span<const double> values, const AxisUse& use) {
  if (values.empty()) return linear_axis({0, 1}, false, use);
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  if (*low >= 1 / kLargest && *high > use.logarithmic_from * *low) return log_axis({*low, *high}, use);
  const bool whole = std::all_of(values.begin(), values.end(), [](double value) { return value == std::trunc(value); });
  return linear_axis({*low, *high}, whole, use);
}

Axis axis_between(double low, double high, std::size_t most_ticks) {
  const double third = low + (high - low) / 3;
  const bool whole = low == std::trunc(low) && high == std::trunc(high) && third == std::trunc(third);
  Axis axis = linear_axis({low, high}, whole, {.most_ticks = most_ticks});
  axis.low = low;
  axis.high = high;
  const double slack = (high - low) * 1e-9;
  std::erase_if(axis.ticks, [&](const Tick& tick) { return tick.value < low - slack || tick.value > high + slack; });
  return axis;
}

}  // namespace nearkin

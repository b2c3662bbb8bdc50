// Axis: from values to places along a side of a picture, with ticks at round numbers.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace nearkin {

struct Tick {
  double value;
  std::string label;
};

struct Axis {
  bool logarithmic = false;
  double low = 0, high = 1;  ///< values at the two ends
  std::vector<Tick> ticks;   ///< ascending, within low..high

  /// From 0 at `low` to 1 at `high`.
  double place(double value) const;
};

/// The numbers that a picture can show: finite and not beyond 1e300.
bool can_be_shown(double value);

/// What an axis is made for.
struct AxisUse {
  std::size_t most_ticks = 8;  ///< at least 2
  /// Both ends stand at a tick, and 0 is one of them where it is near: for the values, not for what they depend on.
  bool from_tick_to_tick = false;
};
/// Ticks at 1, 2 or 5 times a power of ten. Logarithmic when all values are above 0 and the greatest is more than 100 times the least.
/// All values must be fit to be shown. Uses no function of libm that could differ between machines.
Axis make_axis(std::span<const double> values, const AxisUse& use);

}  // namespace nearkin

// Charts: axes with ticks at round numbers, and one plot as the elements of an SVG picture.
#pragma once

#include <nearkin/query.h>
#include <nearkin/tools/plot.h>

#include "report/svg.h"

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
  /// Of the labels of its ticks, in letters of this size.
  double widest_label(double size) const;
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

/// A plot with what cannot be shown left out: points that are not finite.
struct ChartData {
  Plot plot;
  std::size_t left_out = 0;
};
ChartData chart_data(const Plot& plot);

struct ChartSize {
  double width = 720;
  bool titled = true;  ///< the title is part of the picture
};

/// Coloured by the classes of chart.css.
Picture draw_chart(const ChartData& data, const ChartSize& size);

/// What the picture shows, in words: axes, scales, and for each series its number of points and its ranges.
std::string describe_chart(const ChartData& data);

}  // namespace nearkin

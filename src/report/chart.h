// Charts: axes with ticks at round numbers, and one plot as the elements of an SVG picture.
#pragma once

#include <optional>
#include <utility>

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
  /// The width of the labels of its ticks in this font size.
  double widest_label(double size) const;
};

/// The numbers that a picture can show: finite and not beyond 1e300.
bool can_be_shown(double value);

/// What an axis is made for.
struct AxisUse {
  std::size_t most_ticks = 8;  ///< at least 2
  /// Both ends are at a tick, and 0 is one of them if it is near. For the axis of values, not of what they depend on.
  bool from_tick_to_tick = false;
  double logarithmic_from = 100;  ///< the scale is logarithmic if the greatest value is more than so many times the least
};
/// Ticks at 1, 2 or 5 times a power of ten. Logarithmic if all values are above 0 and far enough apart.
/// All values must be fit to be shown. Uses no function of libm that could differ between machines.
Axis make_axis(std::span<const double> values, const AxisUse& use);

/// Ticks at round numbers between two ends that stay as they are; never logarithmic.
Axis axis_between(double low, double high, std::size_t most_ticks);

/// How many there are from `low` to `high`.
struct ChartBar {
  double low = 0, high = 0, count = 0;
  bool wanted = false;  ///< on the near side of the threshold or radius
  bool rough = false;   ///< a guess from few
};
/// A level that is promised from one x to another.
struct ChartPromise {
  double y, from, to;
};
struct ChartDot {
  double x, y;
  std::string name;
};

/// A plot with what cannot be shown left out: points that are not finite. The rest is what a page draws around the curve of a run.
struct ChartData {
  Plot plot;
  std::size_t left_out = 0;
  std::vector<ChartBar> bars = {};  ///< on an axis of their own at the left; that of the series is then at the right
  std::string bars_title = {};
  bool percent = false;                                 ///< the series are shares, from 0 to 100 %, in the colour of the plan's curve
  std::optional<std::pair<double, double>> range = {};  ///< of x; otherwise that of the points and marks
  std::optional<ChartPromise> promise = {};
  std::optional<ChartDot> dot = {};
};
ChartData chart_data(const Plot& plot);

/// Whether bars are drawn by their logarithm: the greatest is more than 100 times the least.
bool bars_are_logarithmic(const std::vector<ChartBar>& bars);

/// Room that a chart keeps at its sides at least.
struct ChartEdges {
  double left = 0, right = 0;
};
struct ChartSize {
  double width = 720;
  bool titled = true;     ///< the title is part of the picture
  ChartEdges edges = {};  ///< the edges of the charts above and below, so that their axes are aligned
};

/// The room that the axes of a chart take; for several charts, the maximum.
ChartEdges edges_of(const std::vector<ChartData>& charts, double width);

/// Coloured by the classes of chart.css.
Picture draw_chart(const ChartData& data, const ChartSize& size);

/// What the picture shows, in words: axes, scales, and for each series its number of points and its ranges.
std::string describe_chart(const ChartData& data);

}  // namespace nearkin

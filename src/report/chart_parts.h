// The parts of a chart that are drawn inside its frame.
#pragma once

#include <string>
#include <vector>

#include "report/chart.h"
#include "report/svg.h"

namespace nearkin {

/// Where values are drawn.
struct Frame {
  Box area{};
  Axis x, y, bars;

  double x_of(double value) const { return area.left + x.place(value) * (area.right - area.left); }
  double y_of(double value) const { return area.bottom - y.place(value) * (area.bottom - area.top); }
  double height_of_bar(double count) const { return bars.place(count) * (area.bottom - area.top); }
};

/// One shade for what is missed and one for false positives, between a curve and the top or the bottom.
std::string draw_shade(const Plot& plot, const PlotSeries& series, const Frame& frame);
std::string draw_bars(const std::vector<ChartBar>& bars, const Frame& frame);

/// From one line of text to the next.
inline constexpr double kChartLine = 18;
/// How many lines of names the marks need above the frame: a name that would touch another is placed higher, and no line
/// runs through a name if that can be avoided.
std::size_t lines_of_marks(const std::vector<PlotMark>& marks, const Frame& frame, double width);
/// Lines across, their names above the frame and within `width`.
std::string draw_marks(const std::vector<PlotMark>& marks, const Frame& frame, double width);

std::string draw_promise(const ChartPromise& promise, const Frame& frame);
/// `promise`: where its line may be in the way of the name.
std::string draw_dot(const ChartDot& dot, const std::optional<ChartPromise>& promise, const Frame& frame);

}  // namespace nearkin

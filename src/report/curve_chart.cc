#include "report/curve_chart.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "report/svg.h"
#include "report/text.h"
#include "report/words.h"

namespace nearkin::page {
namespace {

constexpr double kText = 12;  // the style sheet has the same
constexpr double kGap = 8;

ChartBar chart_bar(const CurveData& data, const HistogramBar& bar) {
  const bool wanted = data.distance ? bar.high <= data.border * (1 + 1e-9) : bar.low >= data.border - 1e-9;
  auto [low, high] = std::pair(bar.low, bar.high);
  if (data.whole) {  // around the whole numbers that it counts
    std::tie(low, high) = values_of(data, bar);
    low -= 0.5;
    high += 0.5;
  }
  return {.low = low, .high = high, .count = bar.pairs, .wanted = wanted, .rough = bar.seen < kFewSeen && !data.counted};
}

/// The point of the curve at the pair, or next to it; absent where that is not drawn.
std::optional<ChartDot> dot_of(const CurveData& data, double pair) {
  const auto next = std::lower_bound(data.curve.begin(), data.curve.end(), std::pair(pair, 0.0));
  if (pair < data.low || pair > data.high || next == data.curve.end()) return {};
  return ChartDot{pair, next->second, "this pair"};
}

/// What a picture of this width shows.
ChartData chart_of(const CurveData& data, const CurveMarks& marks, bool narrow) {
  ChartData chart;
  chart.percent = true;
  chart.range = std::pair(data.low, data.high);
  for (const HistogramBar& bar : data.bars) {
    const ChartBar drawn = chart_bar(data, bar);
    chart.range = std::pair(data.whole ? std::min(0.0, drawn.low) : data.low, std::max(chart.range->second, drawn.high));
  }
  chart.plot.x = marks.value;
  chart.plot.y = narrow ? "becomes a candidate" : "probability of becoming a candidate";
  if (!data.curve.empty()) chart.plot.series.push_back({.name = {}, .points = data.curve});
  chart.bars_title = narrow ? "pairs" : "pairs in the collection";
  for (const HistogramBar& bar : data.bars) chart.bars.push_back(chart_bar(data, bar));
  chart.plot.marks.push_back({data.border, marks.border});
  if (data.curve.empty()) return chart;
  if (data.steepest) chart.plot.marks.push_back({*data.steepest, "steepest at " + decimals_text(*data.steepest, 4)});
  std::sort(chart.plot.marks.begin(), chart.plot.marks.end(), [](const PlotMark& x, const PlotMark& y) { return x.x < y.x; });
  chart.plot.wanted = data.border;
  chart.plot.wanted_below = data.distance;
  if (marks.promised) chart.promise = ChartPromise{*marks.promised, data.border, data.distance ? 0 : data.high};
  if (marks.pair) chart.dot = dot_of(data, *marks.pair);
  return chart;
}

/// The strip's scale begins somewhat below the least that it shows.
double strip_begin(double promised, const std::vector<StripLine>& lines) {
  double least = promised;
  for (const StripLine& line : lines) least = std::min(least, line.recall.low);
  const double begin = 1 - std::max((1 - least) * 1.4, 0.02);
  return std::max(begin, 0.0);
}

}  // namespace

bool bars_are_logarithmic(const CurveData& data) {
  std::vector<ChartBar> bars;
  for (const HistogramBar& bar : data.bars) bars.push_back(chart_bar(data, bar));
  return nearkin::bars_are_logarithmic(bars);
}

Picture draw_curve(const CurveData& data, const CurveMarks& marks, double width) {
  return draw_chart(chart_of(data, marks, width < 500), {.width = width, .titled = false});
}

Picture draw_strip(double promised, const std::string& name, const std::vector<StripLine>& lines, double width) {
  constexpr double kRow = 44, kTop = 22;
  const Axis axis = axis_between(100 * strip_begin(promised, lines), 100, width < 500 ? 5 : 9);
  const double left = kGap, right = width - 22, bottom = kTop + kRow * static_cast<double>(lines.size());
  const auto x_of = [&](double recall) { return left + axis.place(100 * recall) * (right - left); };
  std::string out, grid;
  for (const Tick& tick : axis.ticks) {
    const double x = x_of(tick.value / 100);
    grid += "M" + svg_place(x, kTop) + "V" + coordinate(bottom);
    out += svg_text(x, bottom + 18, "muted mid", tick.label + "\u00A0%");
  }
  out = svg_path("grid", grid) + svg_path("axis", "M" + svg_place(left, bottom) + "H" + coordinate(right)) + out;
  const std::string label = name + ' ' + percent_text(promised);
  const double half = text_width(label, kText) / 2;
  out += svg_text(std::clamp(x_of(promised), half, width - half), 12, "mid", label);
  out += svg_path("promise solid", "M" + svg_place(x_of(promised), kTop - 4) + "V" + coordinate(bottom));
  double y = kTop;
  for (const StripLine& line : lines) {
    const double low = x_of(line.recall.low), high = x_of(line.recall.high), middle = y + 31;
    out += svg_text(left, y + 15, "halo", line.name + ": " + rounded_percent(line.recall.estimate));
    out += svg_path("beam", "M" + svg_place(low, middle) + "H" + coordinate(high) + "M" + svg_place(low, middle - 5) + "v10M" +
                                svg_place(high, middle - 5) + "v10");
    out += "<circle class=\"dot\" cx=\"" + coordinate(x_of(line.recall.estimate)) + "\" cy=\"" + coordinate(middle) + "\" r=\"4.5\"/>\n";
    y += kRow;
  }
  return {width, bottom + 26, out};
}

}  // namespace nearkin::page

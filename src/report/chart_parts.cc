#include "report/chart_parts.h"

#include <algorithm>
#include <cmath>

#include "report/text.h"

namespace nearkin {
namespace {

constexpr double kLeastBar = 1.5;  // so that the smallest count can be seen
constexpr double kGapOfNames = 12;

bool is_wanted(const Plot& plot, double x) { return plot.wanted_below ? x <= *plot.wanted : x >= *plot.wanted; }

/// The points with one more at the border, on the line between its neighbours.
std::vector<std::pair<double, double>> with_border(const Plot& plot) {
  std::vector<std::pair<double, double>> points = plot.series.front().points;
  const double border = *plot.wanted;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const auto [x0, y0] = points[i - 1];
    const auto [x1, y1] = points[i];
    if (!(x0 < border && border < x1)) continue;
    points.insert(points.begin() + static_cast<std::ptrdiff_t>(i), {border, y0 + (y1 - y0) * (border - x0) / (x1 - x0)});
    break;
  }
  return points;
}

/// The height at which each name stands, in lines above the frame.
std::vector<std::size_t> levels_of(const std::vector<PlotMark>& marks, const Frame& frame) {
  std::vector<std::size_t> levels;
  double taken = -1e9;
  for (const PlotMark& mark : marks) {
    const double x = frame.x_of(mark.x), half = text_width(mark.name, kFontSize) / 2;
    levels.push_back(x - half < taken ? levels.back() + 1 : 0);
    taken = std::max(taken, x + half + kGapOfNames);
  }
  return levels;
}

std::string circle(double x, double y, const char* radius) {
  return "<circle class=\"dot\" cx=\"" + coordinate(x) + "\" cy=\"" + coordinate(y) + "\" r=\"" + radius + "\"/>\n";
}

}  // namespace

bool bars_are_logarithmic(const std::vector<ChartBar>& bars) {
  if (bars.empty()) return false;
  const auto [least, most] =
      std::minmax_element(bars.begin(), bars.end(), [](const ChartBar& a, const ChartBar& b) { return a.count < b.count; });
  return most->count > 100 * least->count;
}

std::string draw_shade(const Plot& plot, const Frame& frame) {
  if (!plot.wanted || plot.series.empty()) return {};
  std::string inside, outside;
  for (const auto& [x, y] : with_border(plot)) {
    const std::string spot = svg_place(frame.x_of(x), frame.y_of(y));
    const bool wanted = is_wanted(plot, x), both = x == *plot.wanted;  // the two meet at the border
    if (wanted || both) inside += (inside.empty() ? "M" + svg_place(frame.x_of(x), frame.area.top) : "") + "L" + spot;
    if (!wanted || both) outside += (outside.empty() ? "M" + svg_place(frame.x_of(x), frame.area.bottom) : "") + "L" + spot;
  }
  std::string out;
  if (!inside.empty()) out += svg_path("missed", inside + "V" + coordinate(frame.area.top) + "z");
  if (!outside.empty()) out += svg_path("in-vain", outside + "V" + coordinate(frame.area.bottom) + "z");
  return out;
}

std::string draw_bars(const std::vector<ChartBar>& bars, const Frame& frame) {
  std::string out;
  for (const ChartBar& bar : bars) {
    const double left = frame.x_of(bar.low), right = frame.x_of(bar.high);
    const double gap = right - left > 5 ? 1 : 0;
    const double height = std::max(frame.height_of_bar(bar.count), kLeastBar);
    const std::string kind = std::string("bar") + (bar.wanted ? " in" : "") + (bar.rough ? " few" : "");
    out += "<rect class=\"" + kind + "\" x=\"" + coordinate(left) + "\" y=\"" + coordinate(frame.area.bottom - height) + "\" width=\"" +
           coordinate(right - left - gap) + "\" height=\"" + coordinate(height) + "\"/>\n";
  }
  return out;
}

std::size_t lines_of_marks(const std::vector<PlotMark>& marks, const Frame& frame) {
  const std::vector<std::size_t> levels = levels_of(marks, frame);
  return levels.empty() ? 0 : *std::max_element(levels.begin(), levels.end()) + 1;
}

std::string draw_marks(const std::vector<PlotMark>& marks, const Frame& frame, double width) {
  const std::vector<std::size_t> levels = levels_of(marks, frame);
  std::string lines, names;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const double x = frame.x_of(marks[i].x), half = text_width(marks[i].name, kFontSize) / 2;
    const double base = frame.area.top - 8 - kChartLine * static_cast<double>(levels[i]);
    lines += svg_path("border", "M" + svg_place(x, base + 4) + "V" + coordinate(frame.area.bottom));
    names += svg_text(std::clamp(x, half + 4, std::max(half + 4, width - half - 4)), base, "mid halo", marks[i].name);
  }
  return lines + names;
}

std::string draw_promise(const ChartPromise& promise, const Frame& frame) {
  return svg_path("promise", "M" + svg_place(frame.x_of(promise.from), frame.y_of(promise.y)) + "H" + coordinate(frame.x_of(promise.to)));
}

std::string draw_beam(const ChartBeam& beam, const Frame& frame) {
  const double x = frame.x_of(beam.x), low = frame.y_of(beam.low), high = frame.y_of(beam.high);
  const std::string path =
      "M" + svg_place(x, low) + "V" + coordinate(high) + "M" + svg_place(x - 5, low) + "h10M" + svg_place(x - 5, high) + "h10";
  return svg_path("under", path) + svg_path("beam", path) + circle(x, frame.y_of(beam.middle), "4.5");
}

std::string draw_dot(const ChartDot& dot, const std::optional<ChartPromise>& promise, const Frame& frame) {
  const double x = frame.x_of(dot.x), y = frame.y_of(dot.y), half = text_width(dot.name, kFontSize) / 2;
  const bool in_the_way = promise && std::abs(frame.y_of(promise->y) - (y + 20)) < 12;
  return circle(x, y, "5.5") +
         svg_text(std::clamp(x, frame.area.left + half, frame.area.right - half), y + (in_the_way ? 42 : 24), "mid halo", dot.name);
}

}  // namespace nearkin

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
std::vector<std::pair<double, double>> with_border(const Plot& plot, const PlotSeries& series) {
  std::vector<std::pair<double, double>> points = series.points;
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

/// Where the name of a mark stands.
struct NamePlace {
  double line;            ///< x of the mark's line
  double middle, half;    ///< of the name, and half of its width
  std::size_t level = 0;  ///< in lines above the frame
  bool covers(double x) const { return std::abs(x - middle) < half + 3; }
};

/// Whether a name touches none of those that have a place, and no line runs through a name. The lines of `later` marks go up to any height.
bool is_free(const NamePlace& name, const std::vector<NamePlace>& placed, const std::vector<double>& later) {
  for (const NamePlace& other : placed) {
    if (name.level == other.level && std::abs(name.middle - other.middle) < name.half + other.half + kGapOfNames) return false;
    if (name.level > other.level && other.covers(name.line)) return false;
    if (name.level < other.level && name.covers(other.line)) return false;
  }
  return std::none_of(later.begin(), later.end(), [&](double x) { return name.covers(x); });
}

/// Over its line, as low as can be; else at one side of its line; else over all others.
NamePlace place_of_name(const PlotMark& mark, const Frame& frame, double width, const std::vector<NamePlace>& placed,
                        const std::vector<double>& later) {
  constexpr double kBesideLine = 5;  // a name at one side of its line still reaches over it
  const double x = frame.x_of(mark.x), half = text_width(mark.name, kFontSize) / 2;
  const auto at = [&](double middle, std::size_t level) {
    return NamePlace{x, std::clamp(middle, half + 4, std::max(half + 4, width - half - 4)), half, level};
  };
  std::size_t above = 0;
  for (const NamePlace& other : placed) above = std::max(above, other.level + 1);
  std::vector<NamePlace> tries;
  for (std::size_t level = 0; level <= above; ++level) tries.push_back(at(x, level));
  for (std::size_t level = 0; level <= above; ++level) {
    tries.push_back(at(x - half + kBesideLine, level));
    tries.push_back(at(x + half - kBesideLine, level));
  }
  const auto free = std::find_if(tries.begin(), tries.end(), [&](const NamePlace& name) { return is_free(name, placed, later); });
  return free == tries.end() ? at(x, above) : *free;
}

std::vector<NamePlace> places_of_names(const std::vector<PlotMark>& marks, const Frame& frame, double width) {
  std::vector<double> later;
  for (std::size_t i = marks.size(); i-- > 1;) later.push_back(frame.x_of(marks[i].x));
  std::vector<NamePlace> placed;
  for (const PlotMark& mark : marks) {
    placed.push_back(place_of_name(mark, frame, width, placed, later));
    if (!later.empty()) later.pop_back();
  }
  return placed;
}

std::string circle(double x, double y) {
  return "<circle class=\"dot\" cx=\"" + coordinate(x) + "\" cy=\"" + coordinate(y) + "\" r=\"5.5\"/>\n";
}

}  // namespace

bool bars_are_logarithmic(const std::vector<ChartBar>& bars) {
  if (bars.empty()) return false;
  const auto [least, most] =
      std::minmax_element(bars.begin(), bars.end(), [](const ChartBar& a, const ChartBar& b) { return a.count < b.count; });
  return most->count > 100 * least->count;
}

std::string draw_shade(const Plot& plot, const PlotSeries& series, const Frame& frame) {
  if (!plot.wanted) return {};
  std::string inside, outside;
  for (const auto& [x, y] : with_border(plot, series)) {
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

std::size_t lines_of_marks(const std::vector<PlotMark>& marks, const Frame& frame, double width) {
  std::size_t lines = 0;
  for (const NamePlace& name : places_of_names(marks, frame, width)) lines = std::max(lines, name.level + 1);
  return lines;
}

std::string draw_marks(const std::vector<PlotMark>& marks, const Frame& frame, double width) {
  const std::vector<NamePlace> places = places_of_names(marks, frame, width);
  std::string lines, names;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const double base = frame.area.top - 8 - kChartLine * static_cast<double>(places[i].level);
    lines += svg_path("border", "M" + svg_place(places[i].line, base + 4) + "V" + coordinate(frame.area.bottom));
    names += svg_text(places[i].middle, base, "mid halo", marks[i].name);
  }
  return lines + names;
}

std::string draw_promise(const ChartPromise& promise, const Frame& frame) {
  return svg_path("promise", "M" + svg_place(frame.x_of(promise.from), frame.y_of(promise.y)) + "H" + coordinate(frame.x_of(promise.to)));
}

std::string draw_dot(const ChartDot& dot, const std::optional<ChartPromise>& promise, const Frame& frame) {
  const double x = frame.x_of(dot.x), y = frame.y_of(dot.y), half = text_width(dot.name, kFontSize) / 2;
  const bool in_the_way = promise && std::abs(frame.y_of(promise->y) - (y + 20)) < 12;
  const double below = y + (in_the_way ? 42 : 24);
  return circle(x, y) + svg_text(std::clamp(x, frame.area.left + half, frame.area.right - half),
                                 below < frame.area.bottom - 4 ? below : y - 14, "mid halo", dot.name);
}

}  // namespace nearkin

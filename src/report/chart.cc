#include "report/chart.h"

#include <algorithm>
#include <iterator>

#include "report/text.h"

namespace nearkin {
namespace {

constexpr double kMargin = 12;  // between the picture's border and anything in it
constexpr double kHead = 16;
constexpr double kLine = 18;         // from one line of text to the next
constexpr double kSample = 24;       // a legend's piece of line
constexpr double kDenseSeries = 40;  // more points than this are not marked one by one
constexpr double kWide = 560;        // narrower pictures keep no room for labels beside the lines

// Each around the point at hand. Eight of them and seven colours: fifty-six series look different.
constexpr std::string_view kMarks[] = {
    "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
    "m-3.5 -3.5h7v7h-7z",
    "m0 -5l4.6 8.2h-9.2z",
    "m0 -5.2l5.2 5.2l-5.2 5.2l-5.2 -5.2z",
    "m0 5l4.6 -8.2h-9.2z",
    "m-1.5 -5h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5v-3h3.5z",
    "m0 -2.1l2.7 -2.7l2.1 2.1l-2.7 2.7l2.7 2.7l-2.1 2.1l-2.7 -2.7l-2.7 2.7l-2.1 -2.1l2.7 -2.7l-2.7 -2.7l2.1 -2.1z",
    "m-4 -4.5h8l-8 9h8z",
};
constexpr std::size_t kColours = 7;

std::string colour(std::size_t series) { return "c" + std::to_string(series % kColours); }

std::vector<double> values_of(const Plot& plot, bool y) {
  std::vector<double> out;
  for (const PlotSeries& series : plot.series) {
    for (const auto& point : series.points) out.push_back(y ? point.second : point.first);
  }
  for (std::size_t i = 0; !y && !out.empty() && i < plot.marks.size(); ++i) out.push_back(plot.marks[i].x);
  return out;
}

/// The values of x where all series were measured, if they are few and evenly readable: the axis then has its ticks there.
std::vector<double> measured_places(const Plot& plot) {
  constexpr std::size_t kMost = 10;
  if (!plot.marks.empty() || plot.series.empty()) return {};
  std::vector<double> out;
  for (const auto& point : plot.series.front().points) out.push_back(point.first);
  std::sort(out.begin(), out.end());
  const bool same = std::all_of(plot.series.begin(), plot.series.end(), [&](const PlotSeries& series) {
    return std::all_of(series.points.begin(), series.points.end(),
                       [&](const auto& point) { return std::binary_search(out.begin(), out.end(), point.first); });
  });
  return same && out.size() >= 2 && out.size() <= kMost ? out : std::vector<double>();
}

bool ticks_fit(const Axis& axis, double width) {
  for (std::size_t i = 1; i < axis.ticks.size(); ++i) {
    const double distance = (axis.place(axis.ticks[i].value) - axis.place(axis.ticks[i - 1].value)) * width;
    if (distance < (text_width(axis.ticks[i].label, kFontSize) + text_width(axis.ticks[i - 1].label, kFontSize)) / 2 + kMargin)
      return false;
  }
  return true;
}

std::string axis_title(const std::string& title, const Axis& axis) {
  return axis.logarithmic ? title + (title.empty() ? "logarithmic scale" : " (logarithmic scale)") : title;
}

/// The ticks that stand side by side without touching: where values were measured, or round ones.
Axis fitting_x_axis(const Plot& plot, double width) {
  const std::vector<double> values = values_of(plot, false), places = measured_places(plot);
  Axis axis = make_axis(values, {.most_ticks = 11});
  if (!places.empty()) {
    axis.ticks.clear();
    for (const double place : places) axis.ticks.push_back({place, table_number(place)});
    if (ticks_fit(axis, width)) return axis;
  }
  for (std::size_t most = 11;; --most) {
    axis = make_axis(values, {.most_ticks = most});
    if (most == 2 || ticks_fit(axis, width)) return axis;
  }
}

std::string left_out_note(const ChartData& data) { return counted(data.left_out, "point") + " without a finite value left out"; }

/// Draws from top to bottom; each part leaves `y_` where the next begins.
class Drawing {
 public:
  Drawing(const ChartData& data, const ChartSize& size) : data_(data), plot_(data.plot), width_(size.width), titled_(size.titled) {}

  Picture draw() {
    if (titled_) title();
    note();
    legend();
    choose_axes();
    y_title();
    shade();
    grid();
    marks();
    series();
    x_title();
    const double height = y_ + kMargin;
    const std::string paper = "<rect class=\"paper\" width=\"" + coordinate(width_) + "\" height=\"" + coordinate(height) + "\"/>\n";
    return {width_, height, paper + out_};
  }

 private:
  bool empty() const { return values_of(plot_, false).empty(); }
  double place_x(double x) const { return area_.left + x_axis_.place(x) * (area_.right - area_.left); }
  double place_y(double y) const { return area_.bottom - y_axis_.place(y) * (area_.bottom - area_.top); }

  void title() {
    for (const std::string& line : wrap(plot_.title, kHead * 1.06, width_ - 2 * kMargin, 3)) {
      out_ += svg_text(kMargin, y_ + kHead, "head", line);
      y_ += kHead + 5;
    }
    y_ += 4;
  }

  void note() {
    if (plot_.note.empty()) return;
    for (const std::string& line : wrap(plot_.note, kFontSize, width_ - 2 * kMargin, 3))
      out_ += svg_text(kMargin, y_ += kLine, "muted", line);
    y_ += 8;
  }

  /// One shade each for what is missed and for what is found in vain, between the first curve and the top or the bottom.
  void shade() {
    if (!plot_.wanted || plot_.series.empty()) return;
    std::string inside, outside;
    std::string* before = nullptr;
    for (const auto& [x, y] : plot_.series.front().points) {
      const bool wanted = plot_.wanted_below ? x <= *plot_.wanted : x >= *plot_.wanted;
      std::string& path = wanted ? inside : outside;
      const std::string spot = svg_place(place_x(x), place_y(y));
      if (before != nullptr && before != &path) *before += "L" + spot;  // the two meet
      if (path.empty()) path = "M" + svg_place(place_x(x), wanted ? area_.top : area_.bottom);
      path += "L" + spot;
      before = &path;
    }
    if (!inside.empty()) out_ += svg_path("missed", inside + "V" + coordinate(area_.top) + "z");
    if (!outside.empty()) out_ += svg_path("in-vain", outside + "V" + coordinate(area_.bottom) + "z");
  }

  /// Lines across, each with its name at the top, lower where it would touch the one before it.
  void marks() {
    double taken = -1e9, level = 0;
    for (const PlotMark& mark : plot_.marks) {
      const double x = place_x(mark.x), half = text_width(mark.name, kFontSize) / 2;
      level = x - half < taken ? level + kLine : 0;
      taken = std::max(taken, x + half + kMargin);
      out_ += svg_path("border", "M" + svg_place(x, area_.top) + "V" + coordinate(area_.bottom));
      const double middle = std::clamp(x, area_.left + half + 4, std::max(area_.left + half + 4, area_.right - half - 4));
      out_ += svg_text(middle, area_.top + 14 + level, "mid halo", mark.name);
    }
  }

  void legend() {
    const double begin = kMargin, end = width_ - kMargin;
    double x = begin;
    for (std::size_t i = 0; i < plot_.series.size(); ++i) {
      if (plot_.series[i].name.empty()) continue;
      const std::string name = shorten(plot_.series[i].name, kFontSize, end - begin - kSample - 6);
      const double need = kSample + 6 + text_width(name, kFontSize);
      if (x > begin && x + need > end) {
        x = begin;
        y_ += kLine;
      }
      const double middle = y_ + kLine / 2;
      out_ += svg_path("line " + colour(i), "M" + svg_place(x, middle) + "h" + coordinate(kSample));
      out_ += svg_path("mark " + colour(i), "M" + svg_place(x + kSample / 2, middle) + std::string(kMarks[i % std::size(kMarks)]));
      out_ += svg_text(x + kSample + 6, middle + 4, "", name);
      x += need + 18;
    }
    if (x > begin) y_ += kLine;
  }

  /// The widest name that may stand beside its line.
  double room_for_labels() const {
    if (plot_.series.size() < 2 || width_ < kWide) return 0;
    double room = 0;
    for (const PlotSeries& series : plot_.series) {
      const double need = series.points.empty() ? 0 : text_width(series.name, kFontSize) + kLabelGap;
      if (need <= width_ / 4) room = std::max(room, need);
    }
    return room;
  }

  void choose_axes() {
    const double height = std::min(340.0, width_ * 0.62);
    y_axis_ = make_axis(values_of(plot_, true), {.most_ticks = static_cast<std::size_t>(height / 38), .from_tick_to_tick = true});
    y_ += axis_title(plot_.y, y_axis_).empty() ? 14 : kLine + 14;
    area_ = {kMargin + y_axis_.widest_label(kFontSize) + 8, y_, 0, y_ + height};
    choose_x_axis(room_for_labels());
    // No more room than the labels take that found a place.
    double room = 0;
    for (const PlacedLabel& label : labels(curves())) room = std::max(room, label.right - area_.right);
    choose_x_axis(room);
  }

  void choose_x_axis(double room) {
    area_.right = width_ - kMargin - std::max(room, 8.0);
    x_axis_ = fitting_x_axis(plot_, area_.right - area_.left);
    // The last number of the axis may reach beyond its end.
    const double beyond = text_width(x_axis_.ticks.empty() ? "" : x_axis_.ticks.back().label, kFontSize) / 2;
    area_.right = std::min(area_.right, width_ - kMargin - beyond);
  }

  void y_title() {
    const std::string text = shorten(axis_title(plot_.y, y_axis_), kFontSize, width_ - 2 * kMargin);
    if (!text.empty()) out_ += svg_text(kMargin, area_.top - 16, "muted", text);
  }

  void grid() {
    std::string lines;
    for (const Tick& tick : y_axis_.ticks) {
      lines += "M" + svg_place(area_.left, place_y(tick.value)) + "H" + coordinate(area_.right);
    }
    for (const Tick& tick : x_axis_.ticks) lines += "M" + svg_place(place_x(tick.value), area_.top) + "V" + coordinate(area_.bottom);
    out_ += svg_path("grid", lines);
    out_ += svg_path("axis", "M" + svg_place(area_.left, area_.bottom) + "H" + coordinate(area_.right));
    for (const Tick& tick : y_axis_.ticks) out_ += svg_text(area_.left - 8, place_y(tick.value) + 4, "muted end", tick.label);
    for (const Tick& tick : x_axis_.ticks) out_ += svg_text(place_x(tick.value), area_.bottom + 18, "muted mid", tick.label);
    y_ = area_.bottom + 18;
  }

  std::vector<Curve> curves() const {
    std::vector<Curve> out;
    for (const PlotSeries& series : plot_.series) {
      out.push_back({series.name, {}});
      for (const auto& [x, y] : series.points) out.back().spots.push_back({place_x(x), place_y(y)});
    }
    return out;
  }

  std::vector<PlacedLabel> labels(const std::vector<Curve>& curves) const {
    if (curves.size() < 2) return {};
    return place_labels(curves, {kMargin, area_.top - 8, width_ - kMargin / 2, area_.bottom}, kFontSize);
  }

  void series() {
    const std::vector<Curve> curves = this->curves();
    std::string marks;
    for (std::size_t i = 0; i < curves.size(); ++i) {
      out_ += line_of(i, curves[i].spots);
      marks += marks_of(i, curves[i].spots);
    }
    out_ += marks;
    for (const PlacedLabel& label : labels(curves)) out_ += svg_text(label.x, label.y, "halo", curves[label.curve].name);
    if (empty()) out_ += svg_text((area_.left + area_.right) / 2, (area_.top + area_.bottom) / 2, "muted mid halo", "no data");
  }

  static std::string line_of(std::size_t i, const std::vector<Spot>& spots) {
    if (spots.size() < 2) return {};
    std::string path;
    for (const Spot& spot : spots) path += (path.empty() ? "M" : "L") + svg_place(spot.x, spot.y);
    return svg_path("line " + colour(i), path);
  }

  /// Every point, or of many a few and the last; those of different series at different places.
  static std::string marks_of(std::size_t i, const std::vector<Spot>& spots) {
    if (spots.empty()) return {};
    const std::size_t step = static_cast<double>(spots.size()) > kDenseSeries ? spots.size() / 8 : 1;
    std::string path;
    for (std::size_t p = step == 1 ? 0 : i * step / 7 % step; p < spots.size(); p += step) {
      path += "M" + svg_place(spots[p].x, spots[p].y) + std::string(kMarks[i % std::size(kMarks)]);
    }
    return svg_path("mark " + colour(i), path);
  }

  void x_title() {
    const std::string text = shorten(axis_title(plot_.x, x_axis_), kFontSize, width_ - 2 * kMargin);
    const double half = text_width(text, kFontSize) / 2;
    const double middle = std::clamp((area_.left + area_.right) / 2, kMargin + half, std::max(kMargin + half, width_ - kMargin - half));
    if (!text.empty()) out_ += svg_text(middle, y_ += kLine + 4, "muted mid", text);
    if (data_.left_out > 0) out_ += svg_text(kMargin, y_ += kLine + 4, "muted", left_out_note(data_));
  }

  const ChartData& data_;
  const Plot& plot_;
  double width_;
  bool titled_;
  double y_ = kMargin;
  Box area_{};
  Axis x_axis_, y_axis_;
  std::string out_;
};

std::string range_in_words(const Plot& plot, const PlotSeries& series, bool y) {
  double low = 0, high = 0;
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    const double value = y ? series.points[i].second : series.points[i].first;
    low = i == 0 ? value : std::min(low, value);
    high = i == 0 ? value : std::max(high, value);
  }
  const std::string& title = y ? plot.y : plot.x;
  const std::string values = low == high ? table_number(low) : table_number(low) + " to " + table_number(high);
  return (title.empty() ? (y ? "y" : "x") : title) + ' ' + values;
}

}  // namespace

ChartData chart_data(const Plot& plot) {
  ChartData data{plot, 0};
  for (PlotSeries& series : data.plot.series) {
    data.left_out +=
        std::erase_if(series.points, [](const auto& point) { return !can_be_shown(point.first) || !can_be_shown(point.second); });
  }
  return data;
}

Picture draw_chart(const ChartData& data, const ChartSize& size) { return Drawing(data, size).draw(); }

std::string describe_chart(const ChartData& data) {
  const Plot& plot = data.plot;
  const Axis x = make_axis(values_of(plot, false), {}), y = make_axis(values_of(plot, true), {});
  std::string out = "Line chart of " + (plot.y.empty() ? "y" : plot.y) + (y.logarithmic ? " (logarithmic scale)" : "") + " against " +
                    (plot.x.empty() ? "x" : plot.x) + (x.logarithmic ? " (logarithmic scale)" : "") + '.';
  for (const PlotSeries& series : plot.series) {
    out += ' ' + (series.name.empty() ? "Unnamed series" : series.name) + ": ";
    out += series.points.empty() ? "no points."
                                 : counted(series.points.size(), "point") + ", " + range_in_words(plot, series, false) + ", " +
                                       range_in_words(plot, series, true) + '.';
  }
  if (data.left_out > 0) out += ' ' + left_out_note(data) + '.';
  return out;
}

}  // namespace nearkin

#include "report/chart.h"

#include <algorithm>
#include <iterator>

#include "report/chart_parts.h"
#include "report/text.h"

namespace nearkin {
namespace {

constexpr double kMargin = 12;  // between the picture's border and anything in it
constexpr double kHead = 16;
constexpr double kLine = kChartLine;
constexpr double kSample = 24;            // a legend's piece of line
constexpr std::size_t kDenseSeries = 40;  // more points than this are not marked
constexpr double kWide = 560;             // narrower pictures keep no room for labels beside the lines

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
constexpr std::size_t kDashes = 5;  // with the unbroken line, in chart.css

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
  constexpr std::size_t kMost = 10, kShortNumber = 5;
  if (!plot.marks.empty() || plot.series.empty()) return {};
  std::vector<double> out;
  for (const auto& point : plot.series.front().points) out.push_back(point.first);
  std::sort(out.begin(), out.end());
  const bool same = std::all_of(plot.series.begin(), plot.series.end(), [&](const PlotSeries& series) {
    return std::all_of(series.points.begin(), series.points.end(),
                       [&](const auto& point) { return std::binary_search(out.begin(), out.end(), point.first); });
  });
  const bool readable = std::all_of(out.begin(), out.end(), [](double value) { return table_number(value).size() <= kShortNumber; });
  return same && readable && out.size() >= 2 && out.size() <= kMost ? out : std::vector<double>();
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
Axis fitting_x_axis(const ChartData& data, double width) {
  const std::vector<double> values = values_of(data.plot, false), places = data.range ? std::vector<double>() : measured_places(data.plot);
  const auto round_ticks = [&](std::size_t most) {
    return data.range ? axis_between(data.range->first, data.range->second, most) : make_axis(values, {.most_ticks = most});
  };
  Axis axis = round_ticks(11);
  if (!places.empty()) {
    axis.ticks.clear();
    for (const double place : places) axis.ticks.push_back({place, table_number(place)});
    if (ticks_fit(axis, width)) return axis;
  }
  for (std::size_t most = 11;; --most) {
    axis = round_ticks(most);
    if (most == 2 || ticks_fit(axis, width)) return axis;
  }
}

Axis percent_axis() {
  Axis axis;
  for (int percent = 0; percent <= 100; percent += 20) axis.ticks.push_back({percent / 100.0, std::to_string(percent) + "\u00A0%"});
  return axis;
}

Axis y_axis_of(const ChartData& data, std::size_t most_ticks) {
  constexpr double kAskedFor = 1.99;  // a narrower range has too few ticks for a logarithmic scale
  if (data.percent) return percent_axis();
  if (data.plot.probability) return axis_between(0, 1, most_ticks);
  AxisUse use{.most_ticks = most_ticks, .from_tick_to_tick = true};
  if (data.plot.logarithmic) use.logarithmic_from = kAskedFor;
  return make_axis(values_of(data.plot, true), use);
}

/// From below the shortest bar, so that every bar has a height.
Axis bars_axis(const std::vector<ChartBar>& bars) {
  if (bars.empty()) return {};
  std::vector<double> counts;
  for (const ChartBar& bar : bars) counts.push_back(bar.count);
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
  const double ends[] = {bars_are_logarithmic(bars) ? *least / 2 : 0, *most};
  return make_axis(ends, {.most_ticks = 7, .from_tick_to_tick = true});
}

std::string left_out_note(const ChartData& data) { return counted(data.left_out, "point") + " without a finite value left out"; }

/// Draws from top to bottom; each part leaves `y_` where the next begins.
class Drawing {
 public:
  Drawing(const ChartData& data, const ChartSize& size) : data_(data), plot_(data.plot), size_(size), width_(size.width) {}

  Picture draw() {
    if (size_.titled) title();
    note();
    legend();
    choose_axes();
    y_titles();
    for (const PlotSeries& series : plot_.series) out_ += draw_shade(plot_, series, frame_);
    grid();
    out_ += draw_bars(data_.bars, frame_) + draw_marks(plot_.marks, frame_, width_);
    if (data_.promise) out_ += draw_promise(*data_.promise, frame_);
    series();
    if (data_.dot) out_ += draw_dot(*data_.dot, data_.promise, frame_);
    x_title();
    const double height = y_ + kMargin;
    const std::string paper = "<rect class=\"paper\" width=\"" + coordinate(width_) + "\" height=\"" + coordinate(height) + "\"/>\n";
    return {width_, height, paper + out_};
  }

  ChartEdges edges() {
    choose_axes();
    return {frame_.area.left, width_ - frame_.area.right};
  }

 private:
  bool empty() const { return values_of(plot_, false).empty() && data_.bars.empty(); }
  bool has_bars() const { return !data_.bars.empty(); }
  bool has_series() const { return !plot_.series.empty(); }

  void title() {
    for (const std::string& line : wrap(plot_.title, kHead * 1.06, width_ - 2 * kMargin, 3)) {
      out_ += svg_text(kMargin, y_ + kHead, "head", line);
      y_ += kHead + 5;
    }
    y_ += 4;
  }

  void note() {
    if (plot_.note.empty()) return;
    for (const std::string& line : wrap(plot_.note, kFontSize, width_ - 2 * kMargin, 5))
      out_ += svg_text(kMargin, y_ += kLine, "muted", line);
    y_ += 8;
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
      out_ += svg_path(line_kind(i), "M" + svg_place(x, middle) + "h" + coordinate(kSample));
      if (!is_computed(i))
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
    frame_.y = y_axis_of(data_, static_cast<std::size_t>(height / 38));
    frame_.bars = bars_axis(data_.bars);
    y_ += title_at_left().empty() && title_at_right().empty() ? 14 : kLine + 14;
    const Axis& at_left = has_bars() ? frame_.bars : frame_.y;
    frame_.area = {std::max(kMargin + at_left.widest_label(kFontSize) + 8, size_.edges.left), y_, 0, y_ + height};
    choose_x_axis(room_for_labels());
    // No more room than the labels take that found a place.
    double room = 0;
    for (const PlacedLabel& label : labels(curves())) room = std::max(room, label.right - frame_.area.right);
    choose_x_axis(room);
    // The names of marks stand between the titles and the frame.
    const double names = kLine * static_cast<double>(lines_of_marks(plot_.marks, frame_, width_));
    frame_.area.top += names;
    frame_.area.bottom += names;
  }

  void choose_x_axis(double room) {
    if (has_bars() && has_series()) room = std::max(room, frame_.y.widest_label(kFontSize) + 8);
    frame_.area.right = width_ - std::max(kMargin + std::max(room, 8.0), size_.edges.right);
    frame_.x = fitting_x_axis(data_, frame_.area.right - frame_.area.left);
    // The last number of the axis may reach beyond its end.
    const double beyond = text_width(frame_.x.ticks.empty() ? "" : frame_.x.ticks.back().label, kFontSize) / 2;
    frame_.area.right = std::min(frame_.area.right, width_ - kMargin - beyond);
  }

  std::string title_at_left() const { return has_bars() ? axis_title(data_.bars_title, frame_.bars) : axis_title(plot_.y, frame_.y); }
  std::string title_at_right() const { return has_bars() && has_series() ? plot_.y : ""; }

  void y_titles() {
    const double base = y_ - 16, room = width_ - 2 * kMargin;
    const std::string right = shorten(title_at_right(), kFontSize, room / 2);
    const std::string left = shorten(title_at_left(), kFontSize, room - (right.empty() ? 0 : text_width(right, kFontSize) + kMargin));
    if (!left.empty()) out_ += svg_text(kMargin, base, "muted", left);
    if (!right.empty()) out_ += svg_text(width_ - kMargin, base, "muted end", right);
  }

  /// Lines at the ticks of the series, or where there are none at those of the bars.
  void grid() {
    const Box& area = frame_.area;
    const Axis& across = has_series() || !has_bars() ? frame_.y : frame_.bars;
    const auto level = [&](const Axis& axis, const Tick& tick) { return area.bottom - axis.place(tick.value) * (area.bottom - area.top); };
    std::string lines, axis = "M" + svg_place(area.left, area.bottom) + "H" + coordinate(area.right);
    for (const Tick& tick : across.ticks) lines += "M" + svg_place(area.left, level(across, tick)) + "H" + coordinate(area.right);
    for (const Tick& tick : frame_.x.ticks) lines += "M" + svg_place(frame_.x_of(tick.value), area.top) + "V" + coordinate(area.bottom);
    const Axis& at_left = has_bars() ? frame_.bars : frame_.y;
    std::string numbers;
    for (const Tick& tick : at_left.ticks) {
      if (has_bars() && has_series()) axis += "M" + svg_place(area.left - 4, level(at_left, tick)) + "h4";
      numbers += svg_text(area.left - 8, level(at_left, tick) + 4, "muted end", tick.label);
    }
    for (const Tick& tick : frame_.y.ticks) {
      if (has_bars() && has_series()) numbers += svg_text(width_ - kMargin, level(frame_.y, tick) + 4, "muted end", tick.label);
    }
    for (const Tick& tick : frame_.x.ticks) numbers += svg_text(frame_.x_of(tick.value), area.bottom + 18, "muted mid", tick.label);
    out_ += svg_path("grid", lines) + svg_path("axis", axis) + numbers;
    y_ = area.bottom + 18;
  }

  std::vector<Curve> curves() const {
    std::vector<Curve> out;
    for (const PlotSeries& series : plot_.series) {
      out.push_back({series.name, {}});
      for (const auto& [x, y] : series.points) out.back().spots.push_back({frame_.x_of(x), frame_.y_of(y)});
    }
    return out;
  }

  std::vector<PlacedLabel> labels(const std::vector<Curve>& curves) const {
    if (curves.size() < 2) return {};
    return place_labels(curves, {kMargin, frame_.area.top - 8, width_ - kMargin / 2, frame_.area.bottom}, kFontSize);
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
    const Box& area = frame_.area;
    if (empty()) out_ += svg_text((area.left + area.right) / 2, (area.top + area.bottom) / 2, "muted mid halo", "no data");
  }

  std::string line_of(std::size_t i, const std::vector<Spot>& spots) const {
    if (spots.size() < 2) return {};
    std::string path;
    for (const Spot& spot : spots) path += (path.empty() ? "M" : "L") + svg_place(spot.x, spot.y);
    return data_.percent ? svg_path("under", path) + svg_path("curve", path) : svg_path(line_kind(i), path);
  }

  /// Points that were measured.
  std::string marks_of(std::size_t i, const std::vector<Spot>& spots) const {
    if (spots.empty() || data_.percent || is_computed(i)) return {};
    const std::vector<std::size_t>& marked = plot_.series[i].marked;
    std::string path;
    const auto mark = [&](const Spot& spot) { path += "M" + svg_place(spot.x, spot.y) + std::string(kMarks[i % std::size(kMarks)]); };
    for (const std::size_t place : marked) {
      if (place < spots.size()) mark(spots[place]);
    }
    if (marked.empty()) std::for_each(spots.begin(), spots.end(), mark);
    return svg_path("mark " + colour(i), path);
  }

  /// A curve of very many points, which are not marked: marks would look like measurements.
  bool is_computed(std::size_t i) const { return plot_.series[i].points.size() > kDenseSeries && plot_.series[i].marked.empty(); }

  /// Without marks, dashes tell one line from another.
  std::string line_kind(std::size_t i) const {
    return "line " + colour(i) + (is_computed(i) && i % kDashes > 0 ? " d" + std::to_string(i % kDashes) : "");
  }

  void x_title() {
    const std::string text = shorten(axis_title(plot_.x, frame_.x), kFontSize, width_ - 2 * kMargin);
    const double half = text_width(text, kFontSize) / 2;
    const double middle =
        std::clamp((frame_.area.left + frame_.area.right) / 2, kMargin + half, std::max(kMargin + half, width_ - kMargin - half));
    if (!text.empty()) out_ += svg_text(middle, y_ += kLine + 4, "muted mid", text);
    if (data_.left_out > 0) out_ += svg_text(kMargin, y_ += kLine + 4, "muted", left_out_note(data_));
  }

  const ChartData& data_;
  const Plot& plot_;
  ChartSize size_;
  double width_;
  double y_ = kMargin;
  Frame frame_;
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

ChartEdges edges_of(const std::vector<ChartData>& charts, double width) {
  ChartEdges edges;
  for (const ChartData& chart : charts) {
    const ChartEdges own = Drawing(chart, {.width = width}).edges();
    edges = {std::max(edges.left, own.left), std::max(edges.right, own.right)};
  }
  return edges;
}

ChartData chart_data(const Plot& plot) {
  ChartData data{.plot = plot};
  for (PlotSeries& series : data.plot.series) {
    data.left_out +=
        std::erase_if(series.points, [](const auto& point) { return !can_be_shown(point.first) || !can_be_shown(point.second); });
  }
  return data;
}

Picture draw_chart(const ChartData& data, const ChartSize& size) { return Drawing(data, size).draw(); }

std::string describe_chart(const ChartData& data) {
  const Plot& plot = data.plot;
  const Axis x = make_axis(values_of(plot, false), {}), y = y_axis_of(data, 6);
  std::string out = plot.note +
                    (plot.note.empty()          ? ""
                     : plot.note.ends_with('.') ? " "
                                                : ". ") +
                    "Line chart: " + (plot.y.empty() ? "y" : plot.y) + (y.logarithmic ? " (logarithmic scale)" : "") + ", by " +
                    (plot.x.empty() ? "x" : plot.x) + (x.logarithmic ? " (logarithmic scale)" : "") + '.';
  for (const PlotSeries& series : plot.series) {
    if (!series.name.empty()) out += ' ' + series.name + ':';
    out += ' ';
    out += series.points.empty() ? "no points."
                                 : counted(series.points.size(), "point") + ", " + range_in_words(plot, series, false) + ", " +
                                       range_in_words(plot, series, true) + '.';
  }
  for (const PlotMark& mark : plot.marks) out += " A line marks: " + mark.name + '.';
  if (data.left_out > 0) out += ' ' + left_out_note(data) + '.';
  return out;
}

}  // namespace nearkin

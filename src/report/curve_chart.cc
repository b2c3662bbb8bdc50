#include "report/curve_chart.h"

#include <algorithm>
#include <cmath>

#include "report/svg.h"
#include "report/text.h"
#include "report/words.h"

namespace nearkin::page {
namespace {

constexpr double kText = 12;  // the style sheet has the same
constexpr double kGap = 8;
constexpr double kLeastBar = 1.5;  // what is there can be seen

/// Ticks at round numbers between two ends that stay as they are.
Axis fixed_axis(double low, double high, std::size_t most_ticks) {
  const double values[] = {low, low + (high - low) / 3, high};  // not all whole, unless steps of one are too small to matter
  Axis axis = make_axis(values, {.most_ticks = most_ticks});
  axis.logarithmic = false;
  axis.low = low;
  axis.high = high;
  const double slack = (high - low) * 1e-9;
  std::erase_if(axis.ticks, [&](const Tick& tick) { return tick.value < low - slack || tick.value > high + slack; });
  return axis;
}

/// From below the shortest bar, so that every bar has a height.
Axis pairs_axis(const CurveData& data) {
  std::vector<double> values;
  for (const HistogramBar& bar : data.bars) values.push_back(bar.pairs);
  if (values.empty()) return {};
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double ends[] = {bars_are_logarithmic(data) ? *least / 2 : 0, *most};
  return make_axis(ends, {.most_ticks = 7, .from_tick_to_tick = true});
}

class CurveDrawing {
 public:
  CurveDrawing(const CurveData& data, const CurveMarks& marks, double width) : data_(data), marks_(marks), width_(width) {
    const double height = std::clamp(width * 0.42, 200.0, 340.0);
    y_axis_ = pairs_axis(data);
    const double right = data.curve.empty() ? kGap : text_width("100 %", kText) + kGap;
    area_ = {data.bars.empty() ? kGap : y_axis_.widest_label(kText) + kGap, 52, width - right, 52 + height};
    x_axis_ = fixed_axis(data.low, data.high, width < 500 ? 6 : 11);
  }

  Picture draw() {
    titles();
    grid();
    bars();
    border();
    promise();
    curve();
    measured();
    pair();
    out_ += svg_text((area_.left + area_.right) / 2, area_.bottom + 38, "muted mid", marks_.value);
    return {width_, area_.bottom + 46, out_};
  }

 private:
  double x_of(double x) const { return area_.left + x_axis_.place(x) * (area_.right - area_.left); }
  double y_of(double share) const { return area_.bottom - share * (area_.bottom - area_.top); }

  void titles() {
    const bool narrow = width_ < 500;
    const std::string pairs = std::string(narrow ? "pairs" : "pairs in the collection") + (y_axis_.logarithmic ? " (logarithmic)" : "");
    if (!data_.bars.empty()) out_ += svg_text(0, 14, "muted", pairs);
    if (!data_.curve.empty()) out_ += svg_text(width_, 14, "muted end", narrow ? "found" : "found with probability");
  }

  void grid() {
    const bool curve = !data_.curve.empty();
    std::string lines, ticks;
    for (int percent = 0; curve && percent <= 100; percent += 20) {
      const double y = y_of(percent / 100.0);
      lines += "M" + svg_place(area_.left, y) + "H" + coordinate(area_.right);
      out_ += svg_text(width_, y + 4, "muted end", std::to_string(percent) + "\u00A0%");
    }
    for (const Tick& tick : y_axis_.ticks) {
      const double y = y_of(y_axis_.place(tick.value));
      (curve ? ticks : lines) += "M" + svg_place(area_.left - 4, y) + (curve ? "h4" : "H" + coordinate(area_.right));
      out_ += svg_text(area_.left - kGap, y + 4, "muted end", tick.label);
    }
    for (const Tick& tick : x_axis_.ticks) out_ += svg_text(x_of(tick.value), area_.bottom + 18, "muted mid", tick.label);
    out_ += svg_path("grid", lines) + svg_path("axis", ticks + "M" + svg_place(area_.left, area_.bottom) + "H" + coordinate(area_.right));
  }

  void bars() {
    for (const HistogramBar& bar : data_.bars) {
      const double left = x_of(bar.low), right = x_of(bar.high);
      const double gap = right - left > 5 ? 1 : 0;
      const double height = std::max(y_axis_.place(bar.pairs) * (area_.bottom - area_.top), kLeastBar);
      const bool inside = data_.distance ? bar.high <= data_.border * (1 + 1e-9) : bar.low >= data_.border - 1e-9;
      const std::string kind = std::string("bar") + (inside ? " in" : "") + (bar.seen < kFewSeen && !data_.counted ? " few" : "");
      out_ += "<rect class=\"" + kind + "\" x=\"" + coordinate(left) + "\" y=\"" + coordinate(area_.bottom - height) + "\" width=\"" +
              coordinate(right - left - gap) + "\" height=\"" + coordinate(height) + "\"/>\n";
    }
  }

  void border() {
    const double x = x_of(data_.border), half = text_width(marks_.border, kText) / 2;
    out_ += svg_path("border", "M" + svg_place(x, area_.top - 4) + "V" + coordinate(area_.bottom));
    out_ += svg_text(std::clamp(x, half, width_ - half), area_.top - 12, "mid", marks_.border);
  }

  void promise() {
    if (!marks_.promised || data_.curve.empty()) return;
    const double from = x_of(data_.border), to = data_.distance ? x_of(0) : area_.right;
    out_ += svg_path("promise", "M" + svg_place(from, y_of(*marks_.promised)) + "H" + coordinate(to));
  }

  void curve() {
    if (data_.curve.empty()) return;
    std::string line;
    for (const auto& [x, found] : data_.curve) line += (line.empty() ? "M" : "L") + svg_place(x_of(x), y_of(found));
    out_ += svg_path("under", line) + svg_path("curve", line);
  }

  void measured() {
    if (!marks_.measured || data_.curve.empty()) return;
    const double x = (x_of(data_.border) + (data_.distance ? x_of(0) : area_.right)) / 2;
    const double low = y_of(marks_.measured->low), high = y_of(marks_.measured->high);
    const std::string beam =
        "M" + svg_place(x, low) + "V" + coordinate(high) + "M" + svg_place(x - 5, low) + "h10M" + svg_place(x - 5, high) + "h10";
    out_ += svg_path("under", beam) + svg_path("beam", beam);
    out_ += "<circle class=\"dot\" cx=\"" + coordinate(x) + "\" cy=\"" + coordinate(y_of(marks_.measured->estimate)) + "\" r=\"4.5\"/>\n";
  }

  void pair() {
    if (!marks_.pair || *marks_.pair < data_.low || *marks_.pair > data_.high) return;
    const auto next = std::lower_bound(data_.curve.begin(), data_.curve.end(), std::pair(*marks_.pair, 0.0));
    if (next == data_.curve.end()) return;
    const double x = x_of(*marks_.pair), y = y_of(next->second), half = text_width("this pair", kText) / 2;
    out_ += "<circle class=\"dot\" cx=\"" + coordinate(x) + "\" cy=\"" + coordinate(y) + "\" r=\"5.5\"/>\n";
    const bool on_promise = marks_.promised && std::abs(y_of(*marks_.promised) - (y + 20)) < 12;
    out_ += svg_text(std::clamp(x, area_.left + half, area_.right - half), y + (on_promise ? 42 : 24), "mid halo", "this pair");
  }

  const CurveData& data_;
  const CurveMarks& marks_;
  double width_;
  Box area_{};
  Axis x_axis_, y_axis_;
  std::string out_;
};

/// The strip's scale begins somewhat below the least that it shows.
double strip_begin(double promised, const std::vector<StripLine>& lines) {
  double least = promised;
  for (const StripLine& line : lines) least = std::min(least, line.recall.low);
  const double begin = 1 - std::max((1 - least) * 1.4, 0.02);
  return std::max(begin, 0.0);
}

}  // namespace

bool bars_are_logarithmic(const CurveData& data) {
  double least = 0, most = 0;
  for (const HistogramBar& bar : data.bars) {
    least = most == 0 ? bar.pairs : std::min(least, bar.pairs);
    most = std::max(most, bar.pairs);
  }
  return most > 100 * least;
}

Picture draw_curve(const CurveData& data, const CurveMarks& marks, double width) { return CurveDrawing(data, marks, width).draw(); }

Picture draw_strip(double promised, const std::vector<StripLine>& lines, double width) {
  constexpr double kRow = 44, kTop = 22;
  const Axis axis = fixed_axis(100 * strip_begin(promised, lines), 100, width < 500 ? 5 : 9);
  const double left = kGap, right = width - 22, bottom = kTop + kRow * static_cast<double>(lines.size());
  const auto x_of = [&](double recall) { return left + axis.place(100 * recall) * (right - left); };
  std::string out, grid;
  for (const Tick& tick : axis.ticks) {
    const double x = x_of(tick.value / 100);
    grid += "M" + svg_place(x, kTop) + "V" + coordinate(bottom);
    out += svg_text(x, bottom + 18, "muted mid", tick.label + "\u00A0%");
  }
  out = svg_path("grid", grid) + svg_path("axis", "M" + svg_place(left, bottom) + "H" + coordinate(right)) + out;
  const std::string label = "promised " + percent_text(promised);
  const double half = text_width(label, kText) / 2;
  out += svg_text(std::clamp(x_of(promised), half, width - half), 12, "mid", label);
  double y = kTop;
  std::string promise = "M" + svg_place(x_of(promised), kTop - 4) + "v4";
  for (const StripLine& line : lines) {
    const double low = x_of(line.recall.low), high = x_of(line.recall.high), middle = y + 31;
    out += svg_text(left, y + 15, "halo", line.name + ": " + rounded_percent(line.recall.estimate));
    out += svg_path("beam", "M" + svg_place(low, middle) + "H" + coordinate(high) + "M" + svg_place(low, middle - 5) + "v10M" +
                                svg_place(high, middle - 5) + "v10");
    out += "<circle class=\"dot\" cx=\"" + coordinate(x_of(line.recall.estimate)) + "\" cy=\"" + coordinate(middle) + "\" r=\"4.5\"/>\n";
    promise += "M" + svg_place(x_of(promised), middle - 11) + "v24";  // not through the names
    y += kRow;
  }
  return {width, bottom + 26, out + svg_path("promise solid", promise)};
}

}  // namespace nearkin::page

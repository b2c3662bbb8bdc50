#include "curve_text.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nearkin/tools/plot.h>
#include <nearkin/tools/theory.h>

#include "json.h"

namespace nearkin::cli {
namespace {

constexpr int kPlotRows = 10;  // steps of 0.1 in probability
constexpr int kPlotColumns = 50;
constexpr std::size_t kMostMarked = 3;  // more curves than this have no marks at their steepest points

const char* unit(const Plan& plan) { return is_distance(plan.measure) ? "distance" : "similarity"; }

/// One hash agrees with the probability of the similarity itself: the textbook's formulas hold.
bool is_plain(const Plan& plan) { return plan.sketch.family == Family::minhash || plan.sketch.family == Family::weighted_minhash; }

/// Of Hamming distances, the greatest: shares of the places where the radius is one.
double all_places(const Plan& plan) { return has_share_radius(plan) ? 1 : plan.sketch.dimensions; }

/// The formula of about where the curve is steepest: where the chance that one hash agrees is (1/bands)^(1/rows). Empty where the point is
/// searched for on the curve.
std::string steepest_formula(const Plan& plan) {
  const std::string agreement = fmt::format("(1/{})^(1/{})", plan.band.bands, plan.band.rows);
  if (plan.sketch.family == Family::bit_sampling)
    return has_share_radius(plan) ? "1 - " + agreement : fmt::format("{} (1 - {})", all_places(plan), agreement);
  return is_plain(plan) && !is_distance(plan.measure) ? agreement : "";
}

/// Distances are shares of the places where the radius is one.
double found_at(const Plan& plan, double x) { return has_share_radius(plan) ? found_at_share(plan, x) : found_probability(plan, x); }

/// At the threshold or above, or within the radius: what a run wants to find.
bool is_near(const Plan& plan, double x, double border) { return is_distance(plan.measure) ? x <= border : x >= border; }

/// A line of a table: an arrow at the border, no blanks at the end.
std::string finished(std::string line, const Plan& plan, double x, std::optional<double> mark) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + (mark == x ? (is_distance(plan.measure) ? "  <- radius" : "  <- threshold") : "") + "\n";
}

/// How often one hash agrees, in words of its family; empty where that is the similarity s itself.
std::string agreement_formula(const Plan& plan) {
  switch (plan.sketch.family) {
    case Family::minhash: return !is_distance(plan.measure) ? "" : "p = (D \u2212 d)/(D + d) for d of D answers that differ";
    case Family::weighted_minhash: return "";
    case Family::hyperplane: return "p = 1 \u2212 \u03B8/\u03C0 for the angle \u03B8";
    case Family::bit_sampling: return fmt::format("p = 1 \u2212 d/{}", plan.sketch.dimensions);
    case Family::gaussian:
    case Family::cauchy: return fmt::format("p = chance that two points fall into one slot of width {}", plan.sketch.width);
  }
  return {};
}

std::string formula(const Plan& plan, const std::string& rows, const std::string& bands) {
  const std::string p = agreement_formula(plan);
  return fmt::format("found = 1 \u2212 (1 \u2212 {}^{})^{}{}{}", p.empty() ? "s" : "p", rows, bands, p.empty() ? "" : ", ", p);
}

PlotSeries series_of(const Plan& plan, double far) {
  constexpr int kSteps = 200;  // a multiple of kPlotColumns
  PlotSeries curve{.name = shape_name(plan), .points = {}};
  for (int step = 0; step <= kSteps; ++step) {
    const double x = far * step / kSteps;
    curve.points.emplace_back(x, found_at(plan, x));
  }
  return curve;
}

/// On the straight line between the two points beside x; beyond the last, the last.
double value_at(const PlotSeries& series, double x) {
  const auto next = std::lower_bound(series.points.begin(), series.points.end(), x,
                                     [](const std::pair<double, double>& point, double value) { return point.first < value; });
  if (next == series.points.end()) return series.points.back().second;
  if (next == series.points.begin() || next->first == x) return next->second;
  const auto before = next - 1;
  return before->second + (next->second - before->second) * (x - before->first) / (next->first - before->first);
}

/// Shades the errors of all curves; if there are several, the shades lie over one another.
void shade(Plot& plot, double border, bool distance) {
  plot.wanted = border;
  plot.wanted_below = distance;
  plot.note +=
      fmt::format(". Shaded{}: false negatives (pairs {} the {} that are missed) and false positives (pairs {} it that are found).",
                  plot.series.size() > 1 ? ", for each curve" : "", distance ? "within" : "at or above", distance ? "radius" : "threshold",
                  distance ? "beyond" : "below");
}

}  // namespace

std::string curve_table(const Plan& plan, const std::vector<double>& at, std::optional<double> mark, ErrorColumns errors) {
  const bool told = errors == ErrorColumns::false_ones && mark;
  std::string out = fmt::format("{:<10}  found     missed{}\n", unit(plan), told ? "    false negatives  false positives" : "");
  for (const double x : at) {
    const double found = found_at(plan, x);
    std::string line = fmt::format("{:<10.4g}  {:.6f}  {:.6f}", x, found, 1 - found);
    if (told) {
      const bool near = is_near(plan, x, *mark);
      line += fmt::format("  {:<15}  {:<15}", near ? fmt::format("{:.6f}", 1 - found) : "-", near ? "-" : fmt::format("{:.6f}", found));
    }
    out += finished(line, plan, x, mark);
  }
  return out;
}

std::string curves_table(const std::vector<Plan>& plans, const std::vector<double>& at, std::optional<double> mark) {
  std::string heading = fmt::format("{:<10}", unit(plans.front()));
  for (const Plan& plan : plans) heading += fmt::format("  {:<8}", shape_name(plan));
  std::string out = finished(heading, plans.front(), 0, {});
  for (const double x : at) {
    std::string line = fmt::format("{:<10.4g}", x);
    for (const Plan& plan : plans) line += fmt::format("  {:<{}.6f}", found_at(plan, x), std::max<std::size_t>(8, shape_name(plan).size()));
    out += finished(line, plans.front(), x, mark);
  }
  return out;
}

std::string shape_name(const Plan& plan) { return fmt::format("{}x{}", plan.band.bands, plan.band.rows); }

std::string curve_points(const Plan& plan) {
  std::string out;
  if (const std::optional<double> steepest = steepest_point(plan)) {
    const std::string by = steepest_formula(plan);
    out = fmt::format("steepest    {:.4f}  {}where the curve {} fastest\n", *steepest, by.empty() ? "" : by + ", about ",
                      is_distance(plan.measure) ? "falls" : "rises");
  }
  return out + fmt::format("half-point  {:.4f}  where half of the pairs are found\n", half_point(plan));
}

std::string curves_points(const std::vector<Plan>& plans) {
  const bool any = std::any_of(plans.begin(), plans.end(), [](const Plan& plan) { return steepest_point(plan).has_value(); });
  std::string out = fmt::format("{:<10}  {}half-point\n", "", any ? "steepest  " : "");
  for (const Plan& plan : plans) {
    out += fmt::format("{:<10}  ", shape_name(plan));
    const std::optional<double> steepest = steepest_point(plan);
    if (any) out += fmt::format("{:<8}  ", steepest ? fmt::format("{:.4f}", *steepest) : "-");
    out += fmt::format("{:.4f}\n", half_point(plan));
  }
  return out;
}

std::string plot_characters(const Plot& plot) {
  constexpr std::string_view kSigns = "*o+x#";
  double far = 0;
  for (const PlotSeries& series : plot.series) far = std::max(far, series.points.back().first);
  std::vector<std::string> lines(kPlotRows + 1, std::string(kPlotColumns + 1, ' '));
  std::string legend;
  for (std::size_t i = plot.series.size(); i-- > 0;) {  // where curves meet, the first is seen
    const char sign = kSigns[i % kSigns.size()];
    for (int column = 0; column <= kPlotColumns; ++column) {
      const double y = value_at(plot.series[i], far * column / kPlotColumns);
      lines[static_cast<std::size_t>(kPlotRows - std::lround(y * kPlotRows))][static_cast<std::size_t>(column)] = sign;
    }
    legend = fmt::format("{} {}{}{}", sign, plot.series[i].name, legend.empty() ? "" : "   ", legend);
  }
  std::string out = plot.series.size() > 1 ? fmt::format("{}      {}\n", plot.y, legend) : plot.y + "\n";
  for (int row = 0; row <= kPlotRows; ++row) {
    std::string& line = lines[static_cast<std::size_t>(row)];
    line.erase(line.find_last_not_of(' ') + 1);
    const double height = static_cast<double>(kPlotRows - row) / kPlotRows;
    out += fmt::format("{:>4} |{}\n", row % 5 == 0 ? fmt::format("{:.1f}", height) : "", line);
  }
  out += fmt::format("     +{}\n      ", std::string(kPlotColumns + 1, '-'));
  for (int fifth = 0; fifth < 5; ++fifth) out += fmt::format("{:<10}", fmt::format("{:.4g}", far * fifth / 5));
  return out + fmt::format("{:.4g}  {}\n", far, plot.x);
}

Plot curve_picture(const std::vector<Plan>& plans, double far, std::optional<double> border) {
  const Plan& first = plans.front();
  const bool distance = is_distance(first.measure), one = plans.size() == 1;
  Plot plot{.title = fmt::format("What {} find",
                                 one ? fmt::format("{} bands of {} rows", first.band.bands, first.band.rows) : "these bands and rows"),
            .x = unit(first),
            .y = "found",
            .series = {},
            .probability = true};
  for (const Plan& plan : plans) plot.series.push_back(series_of(plan, far));
  if (one) plot.series.front().name.clear();  // the title says it
  plot.note =
      one ? formula(first, fmt::format("{}", first.band.rows), fmt::format("{}", first.band.bands)) : formula(first, "rows", "bands");
  for (std::size_t i = 0; plans.size() <= kMostMarked && i < plans.size(); ++i) {
    const std::optional<double> steepest = steepest_point(plans[i]);
    if (!steepest) continue;
    plot.marks.push_back({*steepest, fmt::format("{}steepest at {:.4f}", one ? "" : shape_name(plans[i]) + " ", *steepest)});
  }
  if (border) {
    plot.marks.push_back({*border, fmt::format("{} {}", distance ? "radius" : "threshold", *border)});
    if (plans.size() <= kMostMarked) shade(plot, *border, distance);
  }
  std::sort(plot.marks.begin(), plot.marks.end(), [](const PlotMark& x, const PlotMark& y) { return x.x < y.x; });
  return plot;
}

std::string curve_json(const Plan& plan, const std::vector<double>& at, std::optional<double> border) {
  JsonObject object;
  object.add("bands", plan.band.bands).add("rows", plan.band.rows);
  if (const std::optional<double> steepest = steepest_point(plan)) object.add("steepest", *steepest);
  object.add("half_point", half_point(plan));
  object.raw("points", json_array(at, [&](double x) {
               const double found = found_at(plan, x);
               JsonObject point;
               point.add(unit(plan), x).add("probability", found);
               if (border && is_near(plan, x, *border)) point.add("false_negatives", 1 - found);
               if (border && !is_near(plan, x, *border)) point.add("false_positives", found);
               return point.text();
             }));
  return object.text();
}

}  // namespace nearkin::cli

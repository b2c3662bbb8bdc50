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

const char* unit(const Plan& plan) { return is_distance(plan.measure) ? "distance" : "similarity"; }

/// One hash agrees with the probability of the similarity itself: the textbook's formulas hold.
bool is_plain(const Plan& plan) { return plan.sketch.family == Family::minhash || plan.sketch.family == Family::weighted_minhash; }

/// Where half of the pairs are found: by halving, since the curve rises with similarity and falls with distance.
double half_way(const Plan& plan) {
  if (is_plain(plan) && !is_distance(plan.measure)) return half_point(plan.band.bands, plan.band.rows);
  double low = 0, high = 1;
  const bool distance = is_distance(plan.measure);
  while (distance && found_probability(plan, high) > 0.5 && high < 1e12) high *= 2;
  for (int step = 0; step < 100; ++step) {
    const double middle = (low + high) / 2;
    (found_probability(plan, middle) < 0.5) == distance ? high = middle : low = middle;
  }
  return low;
}

}  // namespace

std::string curve_table(const Plan& plan, const std::vector<double>& at, std::optional<double> mark) {
  const bool distance = is_distance(plan.measure);
  std::string out = fmt::format("{:<10}  found     missed\n", unit(plan));
  for (const double x : at) {
    const double found = found_probability(plan, x);
    out +=
        fmt::format("{:<10.4g}  {:.6f}  {:.6f}{}\n", x, found, 1 - found, mark == x ? (distance ? "  <- radius" : "  <- threshold") : "");
  }
  return out;
}

std::string curve_points(const Plan& plan) {
  const auto [bands, rows] = std::pair(plan.band.bands, plan.band.rows);
  std::string out;
  if (is_plain(plan) && !is_distance(plan.measure)) {
    out =
        fmt::format("steepest    {:.4f}  (1/{})^(1/{}), about where the curve rises fastest\n", curve_threshold(bands, rows), bands, rows);
  }
  return out + fmt::format("half-point  {:.4f}  where half of the pairs are found\n", half_way(plan));
}

std::string curve_plot(const Plan& plan, double far) {
  std::vector<std::string> lines(kPlotRows + 1, std::string(kPlotColumns + 1, ' '));
  for (int column = 0; column <= kPlotColumns; ++column) {
    const double found = found_probability(plan, far * column / kPlotColumns);
    const auto row = static_cast<std::size_t>(kPlotRows - std::lround(found * kPlotRows));
    lines[row][static_cast<std::size_t>(column)] = '*';
  }
  std::string out = "found\n";
  for (int row = 0; row <= kPlotRows; ++row) {
    std::string& line = lines[static_cast<std::size_t>(row)];
    line.erase(line.find_last_not_of(' ') + 1);
    const double height = static_cast<double>(kPlotRows - row) / kPlotRows;
    out += fmt::format("{:>4} |{}\n", row % 5 == 0 ? fmt::format("{:.1f}", height) : "", line);
  }
  out += fmt::format("     +{}\n      ", std::string(kPlotColumns + 1, '-'));
  for (int fifth = 0; fifth < 5; ++fifth) out += fmt::format("{:<10}", fmt::format("{:.4g}", far * fifth / 5));
  return out + fmt::format("{:.4g}  {}\n", far, unit(plan));
}

Plot curve_picture(const Plan& plan, double far, std::optional<double> border) {
  constexpr int kSteps = 200;
  const auto [bands, rows] = std::pair(plan.band.bands, plan.band.rows);
  const bool distance = is_distance(plan.measure), plain = is_plain(plan) && !distance;
  Plot plot{.title = fmt::format("What {} bands of {} rows find", bands, rows), .x = unit(plan), .y = "found", .series = {}};
  const std::string shape = fmt::format("{}x{}", bands, rows);
  PlotSeries curve{.name = shape, .points = {}};
  for (int step = 0; step <= kSteps; ++step) {
    const double x = far * step / kSteps;
    curve.points.emplace_back(x, found_probability(plan, x));
  }
  plot.series.push_back(std::move(curve));
  if (plain) {
    plot.note = fmt::format("found = 1 \u2212 (1 \u2212 s^{})^{}", rows, bands);
    plot.marks.push_back({curve_threshold(bands, rows), fmt::format("steepest at {:.4f}", curve_threshold(bands, rows))});
  }
  if (border) {
    plot.marks.push_back({*border, fmt::format("{} {}", distance ? "radius" : "threshold", *border)});
    plot.wanted = *border;
    plot.wanted_below = distance;
    plot.note += fmt::format("{}Shaded: pairs {} the {} that are missed, and others that are looked at in vain.",
                             plot.note.empty() ? "" : ". ", distance ? "within" : "from", distance ? "radius" : "threshold on");
  }
  std::sort(plot.marks.begin(), plot.marks.end(), [](const PlotMark& x, const PlotMark& y) { return x.x < y.x; });
  return plot;
}

std::string curve_json(const Plan& plan, const std::vector<double>& at) {
  JsonObject object;
  object.add("bands", plan.band.bands).add("rows", plan.band.rows);
  if (is_plain(plan) && !is_distance(plan.measure)) object.add("steepest", curve_threshold(plan.band.bands, plan.band.rows));
  object.add("half_point", half_way(plan));
  object.raw("points", json_array(at, [&](double x) {
               return JsonObject().add(unit(plan), x).add("probability", found_probability(plan, x)).text();
             }));
  return object.text();
}

}  // namespace nearkin::cli

// nearkin curve: the S-curve of given bands and rows.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nearkin/nearkin.h>
#include <nearkin/tools/front_end.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/plot.h>
#include <nearkin/tools/theory.h>

#include "curve_text.h"
#include "errors.h"
#include "family_plan.h"
#include "flags.h"
#include "options.h"
#include "split.h"

namespace nearkin::cli {
namespace {

/// A Hamming distance below 1 is a share of the places; the curve is drawn over places.
double in_places(const Plan& plan, double distance, const char* flag) {
  const double places = plan.measure == Measure::hamming && distance < 1 ? distance * plan.sketch.dimensions : distance;
  if (plan.measure != Measure::hamming || places <= plan.sketch.dimensions) return places;
  throw UsageError(fmt::format("{}: {} is more than the {} places of --dimensions", flag, distance, plan.sketch.dimensions));
}

/// A similarity; a cosine may be negative.
double point_of(const std::string& word, const Plan& plan) {
  if (is_distance(plan.measure)) return in_places(plan, positive(word, "--at"), "--at");
  if (plan.measure == Measure::cosine && word.starts_with('-')) return -parse_ratio(word.substr(1), "--at").value();
  return parse_ratio(word, "--at").value();
}

/// Where the picture of a curve ends: for distances where one pair in fifty is found.
double reach(const Plan& plan) {
  if (!is_distance(plan.measure)) return 1;
  if (plan.sketch.family == Family::bit_sampling) return plan.sketch.dimensions;
  double far = plan.sketch.width;
  while (found_probability(plan, far) > 0.02 && far < 1e9 * plan.sketch.width) far *= 2;
  return far;
}

std::vector<std::uint32_t> needed(const ParsedArgs::Text& text, const char* flag) {
  if (!text) throw UsageError(fmt::format("{}: missing; curve needs --bands and --rows", flag));
  std::vector<std::uint32_t> numbers;
  for (const std::string& word : split(*text, ',')) numbers.push_back(static_cast<std::uint32_t>(whole(word, flag, 1, 1'000'000)));
  return numbers;
}

/// One plan for each number of bands and of rows; a single number goes with all of the others.
std::vector<Plan> curve_plans(const ParsedArgs& typed) {
  const std::vector<std::uint32_t> bands = needed(typed.bands, "--bands"), rows = needed(typed.rows, "--rows");
  if (bands.size() != rows.size() && bands.size() != 1 && rows.size() != 1) {
    throw UsageError(
        fmt::format("--rows: has {} numbers and --bands {}; give one for each curve, or one for all", rows.size(), bands.size()));
  }
  std::vector<Plan> plans(std::max(bands.size(), rows.size()), family_plan(typed));
  for (std::size_t i = 0; i < plans.size(); ++i) {
    plans[i].band.bands = bands[bands.size() == 1 ? 0 : i];
    plans[i].band.rows = rows[rows.size() == 1 ? 0 : i];
  }
  return plans;
}

/// --threshold or --radius, whichever the measure has.
std::optional<double> curve_border(const ParsedArgs& typed, const Plan& plan) {
  const Measure measure = plan.measure;
  const bool distance = is_distance(measure);
  if (distance ? typed.threshold : typed.radius) {
    throw UsageError(fmt::format("{}: {} is a {}; give {}", distance ? "--threshold" : "--radius", name(measure),
                                 distance ? "distance" : "similarity", distance ? "--radius" : "--threshold"));
  }
  if (distance && typed.radius) return in_places(plan, positive(*typed.radius, "--radius"), "--radius");
  if (!distance && typed.threshold) return parse_ratio(*typed.threshold, "--threshold").value();
  return {};
}

/// 1, 2 or 5 times a power of ten: about ten steps to `far`.
double round_step(double far) {
  constexpr double kMostSteps = 13;
  for (double power = 1;; power *= 10) {
    for (const double digit : {1, 2, 5}) {
      if (far <= kMostSteps * digit * power) return digit * power;
    }
  }
}

/// Ten steps; of the places of bits, round numbers of them.
std::vector<double> steps_to(double far, bool places) {
  std::vector<double> at;
  if (!places) {
    for (int tenth = 1; tenth <= 10; ++tenth) at.push_back(far * tenth / 10.0);
    return at;
  }
  for (double x = round_step(far); x < far; x += round_step(far)) at.push_back(x);
  at.push_back(far);
  return at;
}

/// The points of --at, or steps with the border among them.
std::vector<double> points_of(const ParsedArgs& typed, const Plan& plan, double far, std::optional<double> border) {
  std::vector<double> at;
  if (typed.at) {
    for (const std::string& word : split(*typed.at, ',')) at.push_back(point_of(word, plan));
    return at;
  }
  at = steps_to(far, plan.measure == Measure::hamming);
  if (border && std::find(at.begin(), at.end(), *border) == at.end()) at.insert(std::lower_bound(at.begin(), at.end(), *border), *border);
  return at;
}

std::string curves_json(const std::vector<Plan>& plans, const std::vector<double>& at, std::optional<double> border) {
  std::string out;
  for (const Plan& plan : plans) out += curve_json(plan, at, border) + "\n";
  return out;
}

int run_curve(const ParsedArgs& typed) {
  const std::vector<Plan> plans = curve_plans(typed);
  const Plan& first = plans.front();
  const std::optional<double> border = curve_border(typed, first);
  double far = 0;
  for (const Plan& plan : plans) far = std::max(far, reach(plan));
  const std::vector<double> at = points_of(typed, first, far, border);
  const Plot picture = curve_picture(plans, far, border);
  if (typed.plot) write_text(plot_text({picture}, *typed.plot), *typed.plot);
  const std::string table = plans.size() > 1 ? curves_table(plans, at, border) + "\n" + curves_points(plans)
                                             : curve_table(first, at, border, ErrorColumns::false_ones) + "\n" + curve_points(first);
  write_text(typed.json ? curves_json(plans, at, border) : table + "\n" + plot_characters(picture), output_of(typed));
  return 0;
}

}  // namespace

const Command kCurveCommand{
    .bit = kCurve,
    .name = "curve",
    .arguments = "",
    .summary = "show the chance of finding a pair, by its similarity, for given bands and rows (the S-curve)",
    .about =
        "Prints a table and a rough plot of the chance 1 - (1 - p^R)^B that B bands of R rows find a pair; p is the chance that\n"
        "one hash agrees (for jaccard, p is the similarity itself). --plot FILE.svg makes a picture. Several numbers of bands and rows "
        "give\n"
        "several curves. With --threshold it also shows false negatives and false positives.",
    .examples =
        "nearkin curve --bands 20 --rows 5 --at 0.3,0.8                        # two points of the curve\n"
        "nearkin curve --bands 20,50 --rows 5,25 --threshold 0.8               # two curves\n"
        "nearkin curve --bands 20 --rows 5 --plot curve.svg                    # a picture of it",
    .run = run_curve,
};

}  // namespace nearkin::cli

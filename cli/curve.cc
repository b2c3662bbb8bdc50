// nearkin curve: the S-curve of given bands and rows.
#include <fmt/format.h>
#include <nearkin/nearkin.h>
#include <nearkin/tools/front_end.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/plot.h>
#include <nearkin/tools/theory.h>

#include "curve_text.h"
#include "errors.h"
#include "flags.h"
#include "options.h"

namespace nearkin::cli {
namespace {

std::vector<double> parsed_points(const std::string& text, bool distances) {
  std::vector<double> at;
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string::npos; begin = end + 1) {
    end = text.find(',', begin);
    const std::string word = text.substr(begin, end - begin);
    at.push_back(distances ? positive(word, "--at") : parse_ratio(word, "--at").value());
  }
  return at;
}

/// Of distances, up to where one pair in fifty is found.
std::vector<double> default_points(const Plan& plan) {
  double far = 1;
  if (is_distance(plan.measure)) {
    far = plan.sketch.family == Family::bit_sampling ? plan.sketch.dimensions : plan.sketch.width;
    while (plan.sketch.family != Family::bit_sampling && found_probability(plan, far) > 0.02 && far < 1e9 * plan.sketch.width) far *= 2;
  }
  std::vector<double> at;
  for (int tenth = 1; tenth <= 10; ++tenth) at.push_back(far * tenth / 10.0);
  return at;
}

std::uint32_t needed(const ParsedArgs::Text& text, const char* flag) {
  if (!text) throw UsageError(fmt::format("{}: missing; curve needs --bands and --rows", flag));
  return static_cast<std::uint32_t>(whole(*text, flag, 1, 1'000'000));
}

/// A plan with no more in it than its curve depends on.
Plan curve_plan(const ParsedArgs& typed) {
  Plan plan = outline_of(typed, {});
  plan.sketch.family = family_of(plan.measure, plan.kind);
  plan.band.bands = needed(typed.bands, "--bands");
  plan.band.rows = needed(typed.rows, "--rows");
  plan.sketch.hashes = 1;  // there is a sketch; the curve does not depend on its size
  const Family family = plan.sketch.family;
  if (family == Family::gaussian || family == Family::cauchy) {
    if (!typed.width) throw UsageError(fmt::format("--width: missing; the curve of {} depends on it", name(plan.measure)));
    plan.sketch.width = positive(*typed.width, "--width");
  }
  if (family == Family::bit_sampling) {
    if (!typed.dimensions) throw UsageError("--dimensions: missing; the curve of hamming depends on the number of places");
    plan.sketch.dimensions = needed(typed.dimensions, "--dimensions");
  }
  return plan;
}

int run_curve(const ParsedArgs& typed) {
  const Plan plan = curve_plan(typed);
  if (plan.measure == Measure::exact) throw UsageError("--measure: exact has no curve; equal texts are always found");
  if (plan.measure == Measure::containment) {
    throw UsageError("--measure: containment has no curve; it is joined exactly, so that every pair is found");
  }
  const std::vector<double> at = typed.at ? parsed_points(*typed.at, is_distance(plan.measure)) : default_points(plan);
  const double far = is_distance(plan.measure) ? default_points(plan).back() : 1;
  if (typed.plot) write_text(plot_text({curve_picture(plan, far)}, *typed.plot), *typed.plot);
  const std::string out =
      typed.json ? curve_json(plan, at) + "\n" : curve_table(plan, at) + "\n" + curve_points(plan) + "\n" + curve_plot(plan, far);
  write_text(out, output_of(typed));
  return 0;
}

}  // namespace

const Command kCurveCommand{
    .bit = kCurve,
    .name = "curve",
    .arguments = "",
    .summary = "show the S-curve of given bands and rows",
    .about =
        "Shows how likely B bands of R rows find a pair: 1 - (1 - p^R)^B, where p is the chance that one hash agrees\n"
        "(for jaccard the similarity itself), as a table and a plot; --plot FILE.svg\n"
        "draws it.",
    .examples =
        "nearkin curve --bands 20 --rows 5 --at 0.3,0.8                        # two points of the curve\n"
        "nearkin curve --bands 20 --rows 5 --plot curve.svg                    # a picture of it",
    .run = run_curve,
};

}  // namespace nearkin::cli

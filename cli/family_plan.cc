#include "family_plan.h"

#include <fmt/format.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/theory.h>

#include "errors.h"
#include "options.h"

namespace nearkin::cli {
namespace {

void refuse_without_hashes(Measure measure) {
  if (measure == Measure::exact) throw UsageError("--measure: exact has no curve; equal texts are always found");
  if (measure != Measure::containment) return;
  throw UsageError("--measure: containment has no curve; it is joined exactly, so every pair is found");
}

}  // namespace

Plan family_plan(const ParsedArgs& typed) {
  Plan plan = outline_of(typed, {});
  refuse_without_hashes(plan.measure);
  plan.sketch.family = family_of(plan.measure, plan.kind);
  plan.sketch.hashes = 1;  // there is a sketch; one hash does not depend on its size
  const Family family = plan.sketch.family;
  const auto refuse = [&](bool given, bool used, const char* flag, const char* measures) {
    if (given && !used)
      throw UsageError(fmt::format("{}: has no use with {}, only with {}; leave it out", flag, name(plan.measure), measures));
  };
  refuse(typed.width.has_value(), family == Family::gaussian || family == Family::cauchy, "--width", "euclidean and manhattan");
  refuse(typed.dimensions.has_value(), family == Family::bit_sampling, "--dimensions", "hamming");
  if (family == Family::gaussian || family == Family::cauchy) {
    if (!typed.width)
      throw UsageError(fmt::format("--width: missing; the curve of {} depends on it; give it, such as --width 4", name(plan.measure)));
    plan.sketch.width = positive(*typed.width, "--width");
    if (plan.sketch.width == 0) throw UsageError("--width: 0 makes every hash differ; give a number above 0, such as 4");
  }
  if (family == Family::bit_sampling) {
    if (!typed.dimensions)
      throw UsageError("--dimensions: missing; the curve of hamming depends on the number of places; give it, such as --dimensions 64");
    plan.sketch.dimensions = static_cast<std::uint32_t>(whole(*typed.dimensions, "--dimensions", 1, 1'000'000));
  }
  return plan;
}

}  // namespace nearkin::cli

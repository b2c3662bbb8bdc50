#include "theory/plan_check.h"

#include <string>

#include <nearkin/error.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/theory.h>

#include "base/misuse.h"
#include "theory/plan_rules.h"

namespace nearkin {
namespace {

void require_family(const Plan& plan) {
  const Family family = family_of(plan.measure, plan.kind);
  if (plan.sketch.family == family) return;
  refuse_plan("sketch", std::string(name(plan.sketch.family)) + " does not hash " + std::string(name(plan.kind)) + " for " +
                            std::string(name(plan.measure)) + "; use " + std::string(name(family)));
}

void require_sketch_plan(const Plan& plan) {
  if (always_exact(plan.measure))
    refuse_plan("sketch", "has no use with " + std::string(name(plan.measure)) + ", which is joined exactly; use no hashes");
  require_hashes(plan.sketch.hashes);
  require_family(plan);
  if (plan.sketch.family == Family::gaussian || plan.sketch.family == Family::cauchy) require_width(plan.sketch.width);
  if (plan.band.bands == 0) return;
  require_bands(plan.band.bands);
  require_large_bucket(plan.band.large_bucket);
  require_probes(plan.band.probes);
  if (plan.band.rows > 0) return require_fit(plan.band.bands, plan.band.rows, plan.sketch.hashes);
  if (plan.nearest == 0) refuse_plan("rows", "0 rows make no band; use 1 or more");
}

void require_border_in_range(const Plan& plan) {
  require_fraction(plan.threshold, "threshold");
  if (plan.nearest > 0) return;
  if (is_distance(plan.measure)) return require_radius(plan.measure, plan.radius);
  require_threshold(plan.threshold.value());
}

}  // namespace

void require_plan(const Plan& plan) {
  require_kind(plan.measure, plan.kind);
  require_border_in_range(plan);
  require_recall(plan.recall);
  require_binarise(plan.kind, plan.binarise, plan.levels);
  require_tfidf(plan.kind, plan.tfidf);
  require_ignoring(plan);
  require_normalise(plan.shingle);
  if (plan.sketch.hashes > 0) require_sketch_plan(plan);
}

void require_searchable(const Plan& plan) {
  require_plan(plan);
  if (plan.sketch.hashes == 0 || plan.band.bands > 0 || plan.nearest > 0) return;
  refuse_plan("bands",
              "0 bands of a sketch with " + std::to_string(plan.sketch.hashes) + " hashes find nothing; use 1 or more, or no hashes");
}

}  // namespace nearkin

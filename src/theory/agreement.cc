#include <algorithm>
#include <cmath>
#include <numbers>

#include <nearkin/error.h>
#include <nearkin/tools/theory.h>

#include "theory/numbers.h"
#include "theory/probing.h"

namespace nearkin {
namespace {

/// The share of the places in which two items differ.
double share_apart(const Plan& plan, double x) {
  if (x < 1) {
    // Below one place there is only none, but for a radius that is itself a share.
    return plan.radius < 1 ? std::max(x, 0.0) : 0;
  }
  if (plan.sketch.dimensions == 0) {
    throw Error(ErrorCode::plan, "dimensions",
                "absent, and a distance of " + shortest(x) + " places says nothing without them; add them to the plan");
  }
  return std::min(x / plan.sketch.dimensions, 1.0);
}

}  // namespace

double hyperplane_agreement(double cosine) { return 1 - std::acos(std::clamp(cosine, -1.0, 1.0)) / std::numbers::pi; }

double gaussian_agreement(double distance, double width) {
  if (!(distance > 0)) return 1;
  const double t = width / distance;
  // 1 − 2Φ(−t) = erf(t/√2). Where t is small both terms cancel: the integral of the density 2φ(u)(1 − u/t) over 0..t is t/√(2π) then.
  if (t < 1e-4) return t / std::sqrt(2 * std::numbers::pi);
  return std::erf(t / std::numbers::sqrt2) + 2 / (std::sqrt(2 * std::numbers::pi) * t) * std::expm1(-t * t / 2);
}

double cauchy_agreement(double distance, double width) {
  if (!(distance > 0)) return 1;
  const double t = width / distance;
  if (t < 1e-4) return t / std::numbers::pi;
  return (2 * std::atan(t) - std::log1p(t * t) / t) / std::numbers::pi;
}

double agreement(const Plan& plan, double x) {
  if (plan.measure == Measure::containment) return std::clamp(x, 0.0, 1.0) / (2 - std::clamp(x, 0.0, 1.0));
  switch (plan.sketch.family) {
    case Family::minhash: {
      if (plan.measure != Measure::hamming) return std::clamp(x, 0.0, 1.0);
      const double apart = share_apart(plan, x);
      return (1 - apart) / (1 + apart);
    }
    case Family::weighted_minhash: return std::clamp(x, 0.0, 1.0);
    case Family::hyperplane: return hyperplane_agreement(x);
    case Family::bit_sampling: return 1 - share_apart(plan, x);
    case Family::gaussian: return gaussian_agreement(x, plan.sketch.width);
    case Family::cauchy: return cauchy_agreement(x, plan.sketch.width);
  }
  return 0;
}

double found_probability(const Plan& plan, double x, bool probing) {
  if (plan.sketch.hashes == 0) return 1;
  BandChance chance(probing);
  return found_probability(chance(plan, x, plan.band.rows), plan.band.bands, 1);
}

}  // namespace nearkin

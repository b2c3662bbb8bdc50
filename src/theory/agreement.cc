#include <algorithm>
#include <cmath>
#include <numbers>

#include <nearkin/error.h>
#include <nearkin/tools/theory.h>

#include "base/portable_math.h"
#include "theory/chances.h"
#include "theory/numbers.h"

namespace nearkin {
namespace {

/// The share of the places in which two items differ.
double share_apart(const Plan& plan, double x) {
  if (x <= 0) return 0;
  if (x < 1 && plan.radius > 0 && plan.radius < 1) return x;  // as the radius, a share itself
  if (plan.sketch.dimensions == 0) {
    throw Error(ErrorCode::plan, "dimensions",
                "absent, and a distance of " + shortest(x) + " places says nothing without them; add them to the plan");
  }
  return std::min(x / plan.sketch.dimensions, 1.0);
}

constexpr double kPi = 3.14159265358979323846;

// erf x = 2/√π · e^(−x²) · Σ 2ⁿ x^(2n+1) / (1·3·…·(2n+1)): no term is negative.
double error_function(double x) {
  if (x > 6) return 1;
  double term = x, sum = x;
  for (int n = 1; n < 200 && term > sum * 1e-17; ++n) {
    term *= 2 * x * x / (2 * n + 1);
    sum += term;
  }
  return std::min(1.0, 2 / std::sqrt(kPi) * portable::exp(-x * x) * sum);
}

// For x ≥ 0. Halves the angle three times: atan x = 2·atan(x / (1 + √(1 + x²))).
double arc_tangent(double x) {
  if (x > 1) return kPi / 2 - arc_tangent(1 / x);
  for (int i = 0; i < 3; ++i) x = x / (1 + std::sqrt(1 + x * x));
  double series = 0;
  for (int k = 21; k >= 1; k -= 2) series = 1.0 / k - series * x * x;
  return 8 * x * series;
}

// 1 − θ/π, with θ = acos c = 2·atan √((1 − c)/(1 + c)).
double hyperplane(double cosine) {
  if (cosine >= 1) return 1;
  if (cosine <= -1) return 0;
  return 1 - 2 * arc_tangent(std::sqrt((1 - cosine) / (1 + cosine))) / kPi;
}

// With t = w/d: 1 − 2Φ(−t) − 2/(√(2π)·t) · (1 − e^(−t²/2)) (Datar, Immorlica, Indyk and Mirrokni 2004).
double gaussian(double distance, double width) {
  if (distance <= 0) return 1;
  const double t = width / distance;
  if (t < 1e-3) return t / std::sqrt(2 * kPi) * (1 - t * t / 12);  // its series
  return error_function(t / std::sqrt(2.0)) - 2 / (std::sqrt(2 * kPi) * t) * (1 - portable::exp(-t * t / 2));
}

// With t = w/d: 2·atan(t)/π − ln(1 + t²)/(π·t) (the same).
double cauchy(double distance, double width) {
  if (distance <= 0) return 1;
  const double t = width / distance;
  if (t < 1e-3) return t / kPi * (1 - t * t / 6);
  return 2 * arc_tangent(t) / kPi - portable::log(1 + t * t) / (kPi * t);
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

double found_at_share(Plan plan, double share) {
  constexpr double kAll = 1 - 1e-12;  // 1 would be a number of places
  plan.radius = 0.5;                  // so that distances below 1 are shares
  return found_probability(plan, std::min(share, kAll));
}

double found_probability(const Plan& plan, double x, bool probing) {
  if (plan.sketch.hashes == 0) return 1;
  BandChance chance(probing);
  return found_probability(chance(plan, x, plan.band.rows), plan.band.bands, 1);
}

double portable_cos_pi(double x) {
  if (x > 0.5) return -portable_cos_pi(1 - x);
  const double square = kPi * x * kPi * x;
  double series = 1;
  for (int n = 24; n >= 2; n -= 2) series = 1 - series * square / (n * (n - 1));
  return series;
}

double portable_agreement(const Plan& plan, double x) {
  const double places = plan.sketch.dimensions;
  switch (plan.sketch.family) {
    case Family::hyperplane: return hyperplane(x);
    case Family::gaussian: return gaussian(x, plan.sketch.width);
    case Family::cauchy: return cauchy(x, plan.sketch.width);
    case Family::bit_sampling: return std::clamp(1 - x / places, 0.0, 1.0);
    case Family::weighted_minhash: return std::clamp(x, 0.0, 1.0);
    case Family::minhash: break;
  }
  // Two rows of a table are sets of as many answers as there are places: they share D − d of them, of D + d in all.
  if (plan.measure == Measure::hamming) return std::clamp((places - x) / (places + x), 0.0, 1.0);
  return std::clamp(x, 0.0, 1.0);
}

}  // namespace nearkin

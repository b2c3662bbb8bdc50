#include <nearkin/tools/sensitive.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <nearkin/error.h>
#include <nearkin/query.h>
#include <nearkin/tools/theory.h>

#include "theory/numbers.h"

namespace nearkin {
namespace {

/// Where k is a whole number in real arithmetic (n = 8, p2 = 1/2), rounding must not ask for one hash more.
constexpr double kSlack = 1e-9;

double farthest(const Plan& plan) {
  if (plan.measure == Measure::hamming) return plan.sketch.dimensions > 0 ? plan.sketch.dimensions : 1;
  if (is_distance(plan.measure)) return std::numeric_limits<double>::max();
  return plan.measure == Measure::cosine ? 2 : 1;
}

std::uint32_t counted_up(double value, const char* what) {
  const double up = std::max(1.0, std::ceil(value * (1 - kSlack)));
  if (up < std::numeric_limits<std::uint32_t>::max()) return static_cast<std::uint32_t>(up);
  throw Error(ErrorCode::plan, "sensitive",
              std::string("needs more than 4294967295 ") + what + "; take distances farther apart, or fewer items");
}

}  // namespace

double as_distance(Measure measure, double x) { return is_distance(measure) ? x : 1 - x; }

Sensitivity sensitivity(const Plan& plan, double r1, double r2) {
  if (!(r1 >= 0 && r1 < r2)) {
    throw Error(ErrorCode::plan, "sensitive",
                shortest(r1) + "," + shortest(r2) + " is not a near distance and a farther one, such as 0.2,0.6");
  }
  if (r2 > farthest(plan)) {
    throw Error(ErrorCode::plan, "sensitive", shortest(r2) + " is beyond " + shortest(farthest(plan)) + ", the greatest distance there is");
  }
  const auto p = [&](double distance) { return agreement(plan, as_distance(plan.measure, distance)); };
  const Sensitivity out{r1, r2, p(r1), p(r2)};
  if (out.p1 > out.p2) return out;
  throw Error(ErrorCode::plan, "sensitive",
              "one hash agrees as often at " + shortest(r1) + " as at " + shortest(r2) + "; take distances farther apart");
}

double rho(const Sensitivity& one_hash) {
  if (one_hash.p1 >= 1 || one_hash.p2 <= 0) return 0;
  return std::log(one_hash.p1) / std::log(one_hash.p2);
}

std::uint32_t hashes_in_table(const Sensitivity& one_hash, double items) {
  if (!(items >= 1)) throw Error(ErrorCode::plan, "items", shortest(items) + " is not 1 or more");
  return one_hash.p2 > 0 ? counted_up(-std::log(items) / std::log(one_hash.p2), "hashes") : 1;
}

std::uint32_t tables_needed(const Sensitivity& one_hash, std::uint32_t k, double recall) {
  if (!(recall >= 0 && recall < 1)) throw Error(ErrorCode::plan, "recall", shortest(recall) + " is not 0 or more and below 1");
  const double in_one_table = and_of(one_hash.p1, k);
  if (in_one_table >= 1) return 1;
  return counted_up(recall > 0 ? std::log1p(-recall) / std::log1p(-in_one_table) : 1 / in_one_table, "tables");
}

double and_of(double p, std::uint32_t k) { return std::pow(std::clamp(p, 0.0, 1.0), static_cast<double>(k)); }
double or_of(double p, std::uint32_t l) { return found_probability(p, l, 1); }
double and_then_or(double p, const TextbookTables& tables) { return found_probability(p, tables.l, tables.k); }
double or_then_and(double p, const TextbookTables& tables) { return and_of(or_of(p, tables.l), tables.k); }

}  // namespace nearkin

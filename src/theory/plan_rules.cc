#include "theory/plan_rules.h"

#include <cmath>
#include <limits>

#include <nearkin/error.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/theory.h>

#include "theory/chances.h"
#include "theory/code_rule.h"
#include "theory/numbers.h"

namespace nearkin {
namespace {

std::string text(auto value) { return std::string(name(value)); }

/// What each measure compares, for an error text.
const char* kinds_of(Measure measure) {
  switch (measure) {
    case Measure::weighted_jaccard: return "shingles, numbers or tfidf";
    case Measure::cosine:
    case Measure::euclidean:
    case Measure::manhattan: return "numbers or tfidf";
    case Measure::hamming: return "bits, which binarise makes of numbers, or shingles for the rows of a table";
    default: return "shingles";
  }
}

bool compares(Measure measure, Kind kind) {
  switch (measure) {
    case Measure::weighted_jaccard: return kind != Kind::bits;
    case Measure::cosine:
    case Measure::euclidean:
    case Measure::manhattan: return kind == Kind::numbers || kind == Kind::tfidf;
    case Measure::hamming: return kind == Kind::bits || kind == Kind::shingles;
    default: return kind == Kind::shingles;
  }
}

}  // namespace

Kind usual_kind(Measure measure) {
  if (measure == Measure::cosine || measure == Measure::euclidean || measure == Measure::manhattan) return Kind::numbers;
  return measure == Measure::hamming ? Kind::bits : Kind::shingles;
}

ShinglePlan usual_shingle(Measure measure, Kind kind) {
  if (measure == Measure::hamming && kind == Kind::shingles) return {.token = Token::element, .size = 1, .normalise = Normalise::none};
  if (kind == Kind::tfidf) return {.token = Token::word, .size = 1};
  return {};
}

Family family_of(Measure measure, Kind kind) {
  if (measure == Measure::cosine) return Family::hyperplane;
  if (measure == Measure::euclidean) return Family::gaussian;
  if (measure == Measure::manhattan) return Family::cauchy;
  if (kind == Kind::bits) return Family::bit_sampling;
  return kind == Kind::shingles ? Family::minhash : Family::weighted_minhash;
}

double border_of(const Plan& plan) { return is_distance(plan.measure) ? plan.radius : plan.threshold.value(); }

std::string border_name(const Plan& plan) {
  return is_distance(plan.measure) ? "radius " + shortest(plan.radius) : "threshold " + to_string(plan.threshold);
}

void require_hashes(std::uint64_t hashes) { require_between(hashes, 1, kMostHashes, "hashes"); }
void require_bands(std::uint64_t bands) { require_between(bands, 1, kMostBands, "bands"); }
void require_rows(std::uint64_t rows) { require_between(rows, 1, kMostHashes, "rows"); }
void require_probes(std::uint64_t probes) { require_between(probes, 1, kMostProbes, "probes"); }

void require_large_bucket(std::uint64_t items) {
  require_between(items, kLeastLargeBucket, std::numeric_limits<std::uint32_t>::max(), "bucket");
}

void require_recall(double recall) { require_share(recall, "recall", "find nothing", "0.95"); }
void require_threshold(double threshold) { require_share(threshold, "threshold", "match everything", "0.8"); }

void require_recall_at(const Plan& plan, bool sketched) {
  if (plan.recall_at == RecallAt::threshold) return;
  const std::string rest = text(plan.recall_at) + " has no use with ";
  if (plan.measure == Measure::exact) refuse_plan("recall_at", rest + "measure exact, which finds all; leave it out");
  if (plan.nearest > 0) refuse_plan("recall_at", rest + "nearest, which has no threshold; leave it out");
  const std::string way = always_exact(plan.measure) ? "leave it out" : "leave it out, or ask for a recall below 1";
  if (!sketched) refuse_plan("recall_at", rest + "an exact join, which finds all; " + way);
}

void require_radius(Measure measure, double radius) {
  if (measure == Measure::hamming) {
    const bool whole = radius >= 0 && radius <= std::numeric_limits<std::uint32_t>::max() && std::floor(radius) == radius;
    if (whole || (radius > 0 && radius < 1)) return;
    refuse_plan("radius", shortest(radius) + " is neither a number of places, such as 16, nor a share of them below 1, such as 0.05");
  }
  if (!(radius > 0 && std::isfinite(radius))) refuse_plan("radius", shortest(radius) + " is not above 0; use a distance, such as 3.5");
}

void require_width(double width) {
  if (width > 0 && std::isfinite(width)) return;
  refuse_plan("width", shortest(width) + " is not above 0; use a distance, such as four times the radius");
}

void require_fit(std::uint32_t bands, std::uint32_t rows, std::uint32_t hashes) {
  const std::uint64_t needed = std::uint64_t{bands} * rows;
  if (needed <= hashes) return;
  const bool possible = needed <= kMostHashes;
  const std::string there =
      possible ? "the sketch has " + std::to_string(hashes) : "at most " + std::to_string(kMostHashes) + " are possible";
  const std::string fewer = bands <= hashes  ? "rows " + std::to_string(hashes / bands)
                            : rows <= hashes ? "bands " + std::to_string(hashes / rows)
                                             : "fewer bands and rows";
  refuse_plan("bands", std::to_string(bands) + " with rows " + std::to_string(rows) + " needs " + std::to_string(needed) + " hashes, " +
                           there + "; use " + fewer + (possible ? " or hashes " + std::to_string(needed) : ""));
}

void require_tables_fit(std::uint32_t tables, Family family, std::uint32_t hashes) {
  const std::uint64_t depth = prefix_depth(family), needed = tables * depth;
  if (needed <= hashes) return;
  const bool possible = needed <= kMostHashes;
  const std::string there =
      possible ? "the sketch has " + std::to_string(hashes) : "at most " + std::to_string(kMostHashes) + " are possible";
  const std::string fewer = hashes >= depth ? std::to_string(hashes / depth) + " tables" : "";
  const std::string more = possible ? std::to_string(needed) + " hashes" : "";
  const std::string digits = std::to_string(depth) + " digits need" + (tables == 1 ? "s " : " ");
  refuse_plan("bands", std::to_string(tables) + (tables == 1 ? " table of " : " tables of ") + digits + std::to_string(needed) +
                           " hashes, " + there + "; use " + fewer + (fewer.empty() || more.empty() ? "" : " or ") + more);
}

void require_kind(Measure measure, Kind kind) {
  if (!compares(measure, kind))
    refuse_plan("features", text(kind) + " cannot be compared by " + text(measure) + "; use " + kinds_of(measure));
}

void require_tfidf(Kind kind, const TfidfPlan& tfidf) {
  if (kind == Kind::tfidf || tfidf == TfidfPlan{}) return;
  refuse_plan("features", std::string(tfidf.sublinear ? "sublinear" : "cap") + " is about tfidf, and the plan compares " + text(kind) +
                              "; leave it out, or use tfidf");
}

void require_binarise(Kind kind, Binarise binarise, std::uint32_t levels) {
  if (binarise != Binarise::none && kind != Kind::bits) {
    refuse_plan("binarise",
                text(binarise) + " makes bits, which features=" + text(kind) + " are not; leave it out, or use measure hamming");
  }
  if (binarise == Binarise::unary) {
    require_between(levels, 1, kMostLevels, "binarise");
  } else if (levels != 0) {
    const std::string bits = std::to_string(levels);
    refuse_plan("binarise", bits + " bits per number have no use with " + text(binarise) + "; use unary:" + bits);
  }
}

void require_verify(const Plan& plan) {
  if (plan.verify == Verify::exact) return;
  const std::string given = text(plan.verify);
  if (plan.nearest > 0) refuse_plan("verify", given + " has no use with nearest, which compares true values; use exact");
  if (plan.verify == Verify::none) return;
  if (is_vector(plan.kind)) {
    refuse_plan("verify", given + " has no use with vectors, which are in memory: the exact value costs no more; use exact");
  }
  const bool sketched = plan.measure == Measure::jaccard || plan.measure == Measure::weighted_jaccard;
  if (!sketched) refuse_plan("verify", given + " has no use with " + text(plan.measure) + ", which a sketch does not estimate; use exact");
}

void require_normalise(const ShinglePlan& shingle) {
  if (shingle.token != Token::element || !code_rule(shingle.normalise)) return;
  refuse_plan("normalise",
              std::string(name(shingle.normalise)) +
                  " is for programs and has no use with the elements of sets; use none, or shingles of words, code, characters "
                  "or lines");
}

void require_probing(const Plan& plan) {
  const bool gaussian = plan.sketch.family == Family::gaussian;
  if (plan.band.probes <= 1 || (gaussian && plan.band.rows > 0)) return;
  const std::string where = gaussian ? "nearest, which looks as far as it must" : "measure " + text(plan.measure);
  refuse_plan("probes", std::to_string(plan.band.probes) + " have no use with " + where + "; leave them out" +
                            (gaussian ? "" : ", or use measure euclidean"));
}

void require_dimensions(const Plan& plan, std::uint32_t dimensions, bool sketched) {
  if (plan.measure != Measure::hamming) return;
  if (plan.nearest == 0 && dimensions > 0 && plan.radius >= dimensions) {
    refuse_plan("radius", shortest(plan.radius) + " is not below the " + std::to_string(dimensions) +
                              " places of an item: every pair would be near enough; use a smaller one");
  }
  const bool counted = plan.nearest > 0 || plan.radius >= 1;
  if (dimensions > 0 || !counted || !sketched) return;
  if (plan.nearest > 0) refuse_plan("dimensions", "unknown, and the nearest are found by them; name the input, or give dimensions");
  refuse_plan("dimensions",
              "unknown, and radius " + shortest(plan.radius) +
                  " is a number of places among them; name the input, give dimensions, or give the radius as a share, such as 0.05");
}

Ratio threshold_ratio(double threshold) {
  require_threshold(threshold);
  const Ratio fraction = border_ratio(threshold, "threshold");
  if (fraction.numerator == 0) throw Error(ErrorCode::plan, "threshold", shortest(threshold) + " is too small; use 0.000000001 at least");
  return fraction;
}

void require_ignoring(const Plan& plan) {
  if (plan.shingle.ignore == 0) return;
  const std::string cannot = " has no shingles to ignore; leave ignore out";
  if (plan.measure == Measure::exact) refuse_plan("ignore", "measure exact compares whole texts and" + cannot);
  if (!is_text(plan.kind)) refuse_plan("ignore", "a vector" + cannot);
  if (plan.measure == Measure::hamming) refuse_plan("ignore", "hamming compares all answers of a row; leave it out, or use jaccard");
}

void settle_exact(Plan& plan) {
  const Normalise normalise = plan.shingle.normalise;
  plan = Plan{};
  plan.measure = Measure::exact;
  plan.threshold = {1, 1};
  plan.recall = 1;
  plan.shingle.normalise = normalise;
}

}  // namespace nearkin

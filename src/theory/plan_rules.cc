#include "theory/plan_rules.h"

#include <limits>

#include <nearkin/error.h>

#include "theory/numbers.h"

namespace nearkin {

void require_hashes(std::uint64_t hashes) { require_between(hashes, 1, kMostHashes, "hashes"); }
void require_bands(std::uint64_t bands) { require_between(bands, 1, kMostBands, "bands"); }
void require_rows(std::uint64_t rows) { require_between(rows, 1, kMostHashes, "rows"); }

void require_large_bucket(std::uint64_t items) {
  require_between(items, kLeastLargeBucket, std::numeric_limits<std::uint32_t>::max(), "bucket");
}

void require_recall(double recall) { require_share(recall, "recall", "find nothing", "0.95"); }
void require_threshold(double threshold) { require_share(threshold, "threshold", "match everything", "0.8"); }

void require_fit(std::uint32_t bands, std::uint32_t rows, std::uint32_t hashes) {
  const std::uint64_t needed = std::uint64_t{bands} * rows;
  if (needed <= hashes) return;
  const bool possible = needed <= kMostHashes;
  const std::string there =
      possible ? "the sketch has " + std::to_string(hashes) : "at most " + std::to_string(kMostHashes) + " are possible";
  const std::string fewer = bands <= hashes ? "rows " + std::to_string(hashes / bands) : "bands " + std::to_string(hashes / rows);
  throw Error(ErrorCode::plan, "bands",
              std::to_string(bands) + " with rows " + std::to_string(rows) + " needs " + std::to_string(needed) + " hashes, " + there +
                  "; use " + fewer + (possible ? " or hashes " + std::to_string(needed) : ""));
}

Ratio threshold_ratio(double threshold) {
  require_threshold(threshold);
  const Ratio fraction = ratio(threshold);
  if (fraction.numerator == 0) throw Error(ErrorCode::plan, "threshold", shortest(threshold) + " is too small; use 0.000000001 at least");
  return fraction;
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

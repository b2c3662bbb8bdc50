// What a run keeps of its items, for those who search elsewhere.
#include <algorithm>

#include <nearkin/error.h>
#include <nearkin/stages.h>
#include <nearkin/tools/describe.h>

#include "base/misuse.h"
#include "collect/sketcher.h"
#include "kernel/kernel.h"
#include "search/search.h"
#include "theory/plan_check.h"

namespace nearkin {
namespace {

void require_describable(const Plan& plan) {
  const bool by_bands = plan.kind == Kind::shingles && plan.band.bands > 0;
  if (plan.measure == Measure::exact) return;
  if (by_bands) return require_slots(plan.band, plan.sketch.hashes);
  throw Error(ErrorCode::plan, "plan",
              "'" + to_string(plan) + "' has no bands of shingles; use jaccard or weighted-jaccard with a recall below 1");
}

}  // namespace

std::vector<std::uint8_t> signature(std::span<const std::uint32_t> slots) {
  std::vector<std::uint8_t> bytes(slots.size());
  kernel::signature_bytes(slots.data(), slots.size(), bytes.data());
  return bytes;
}

std::uint32_t least_equal_bytes(const Plan& plan) {
  require_plan(plan);
  return plan.sketch.hashes == 0 ? 0 : least_signature(plan, least_share(plan, plan.sketch.dimensions));
}

Descriptions describe(std::span<const std::string_view> texts, const Plan& plan) {
  require_describable(plan);
  require_plan(plan);
  require_countable(texts.size(), "texts");
  Sketcher sketcher(plan);
  const Sketched& sketched = *sketcher.sketch(texts);
  Descriptions result{.empty = sketched.empty, .contents = {}, .keys = sketched.keys, .signatures = sketched.signatures};
  result.contents.reserve(texts.size());
  for (const Hash128& hash : sketched.contents) result.contents.push_back({hash.low, hash.high});
  return result;
}

}  // namespace nearkin

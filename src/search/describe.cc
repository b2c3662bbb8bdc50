// What a run keeps of its items, for those who search elsewhere.
#include <algorithm>

#include <nearkin/error.h>
#include <nearkin/stages.h>
#include <nearkin/tools/describe.h>

#include "base/misuse.h"
#include "collect/sketcher.h"
#include "feature/shingler.h"
#include "io/formats/records.h"
#include "kernel/kernel.h"
#include "search/search.h"
#include "theory/plan_check.h"

namespace nearkin {
namespace {

void require_describable(const Plan& plan) {
  const bool by_bands = plan.kind == Kind::shingles && plan.band.bands > 0;
  if (plan.measure == Measure::exact || plan.measure == Measure::containment) return;
  if (by_bands) return require_slots(plan.band, plan.sketch.hashes);
  throw Error(ErrorCode::plan, "plan",
              "'" + to_string(plan) + "' has no bands of shingles; use jaccard or weighted-jaccard with a recall below 1");
}

std::vector<std::uint64_t> salts_of(std::span<const std::string_view> scopes, std::size_t texts) {
  if (!scopes.empty() && scopes.size() != texts) {
    throw Error(ErrorCode::plan, "scopes",
                std::to_string(scopes.size()) + " scopes of " + std::to_string(texts) + " texts; give one for each");
  }
  std::vector<std::uint64_t> salts;
  for (const std::string_view scope : scopes) salts.push_back(scope_hash(scope));
  return salts;
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

Descriptions describe(std::span<const std::string_view> texts, const Plan& plan, std::span<const std::string_view> scopes) {
  require_describable(plan);
  require_plan(plan);
  require_countable(texts.size(), "texts");
  Sketcher sketcher(plan);
  const Sketched& sketched = *sketcher.sketch(texts, salts_of(scopes, texts.size()));
  Descriptions result{.empty = sketched.empty, .contents = {}, .keys = sketched.keys, .signatures = sketched.signatures};
  result.contents.reserve(texts.size());
  for (const Hash128& hash : sketched.contents) result.contents.push_back({hash.low, hash.high});
  return result;
}

Features shingle(std::span<const std::string_view> texts, const ShinglePlan& plan, std::span<const std::string_view> scopes) {
  return shingle_salted(texts, plan, salts_of(scopes, texts.size()));
}

}  // namespace nearkin

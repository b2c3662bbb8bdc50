#include <unordered_map>

#include <nearkin/stages.h>
#include <nearkin/tools/compare.h>

#include "base/misuse.h"
#include "feature/ignored.h"
#include "feature/shingler.h"
#include "feature/tokens.h"
#include "theory/numbers.h"
#include "theory/plan_rules.h"

namespace nearkin {

Features shingle(const Items& items, const ShinglePlan& plan) {
  require_consistent(items);
  std::vector<std::string_view> texts(items.size());
  for (Row row = 0; row < items.size(); ++row) texts[row] = items.text(row);
  return shingle(texts, plan);
}

Features shingle(std::span<const std::string_view> texts, const ShinglePlan& plan) { return shingle_salted(texts, plan, {}); }

Features shingle_salted(std::span<const std::string_view> texts, const ShinglePlan& plan, std::span<const std::uint64_t> salts) {
  require_between(plan.size, 1, kMostShingleSize, "shingle");
  Features result;
  Shingler shingler(plan);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!salts.empty()) shingler.salt(salts[i]);
    const std::span<const std::uint64_t> features = shingler.features(texts[i]);
    result.hashes.insert(result.hashes.end(), features.begin(), features.end());
    result.ends.push_back(result.hashes.size());
  }
  return result;
}

ShingleSpans shingle_spans(std::string_view text, const ShinglePlan& plan) {
  require_between(plan.size, 1, kMostShingleSize, "shingle");
  ShingleSpans result;
  prepare_text(text, plan, result.normalised);
  require_between(result.normalised.size(), 0, UINT32_MAX, "text");
  std::vector<std::pair<std::uint32_t, std::uint32_t>> tokens;
  const char* const base = result.normalised.data();
  for_each_token(result.normalised, plan.token, [&](const char* begin, const char* end) {
    tokens.emplace_back(static_cast<std::uint32_t>(begin - base), static_cast<std::uint32_t>(end - base));
  });
  // The hashes come from the shingler itself, so that what is shown is what is compared.
  ShinglePlan every = plan;
  every.ignore = 0;
  every.ignored.reset();
  Shingler shingler(every);
  const std::span<const std::uint64_t> hashes = shingler.shingles(text);
  const std::size_t size = std::min<std::size_t>(plan.size, tokens.size());
  std::unordered_map<std::uint64_t, std::uint64_t> seen;
  result.spans.reserve(hashes.size());
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    const std::uint64_t feature = plan.bag ? occurrence_hash(hashes[i], seen[hashes[i]]++) : hashes[i];
    const bool ignored = plan.ignored && plan.ignored->contains(hashes[i]);
    result.spans.push_back({hashes[i], tokens[i].first, tokens[i + size - 1].second, feature, ignored});
  }
  return result;
}

}  // namespace nearkin

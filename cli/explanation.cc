#include "explanation.h"

#include <nearkin/tools/compare.h>
#include <nearkin/tools/describe.h>

namespace nearkin::cli {
namespace {

ExplainedItem item_of(const NamedText& named, const Plan& plan) {
  ExplainedItem item{.name = named.name, .text = named.text, .spans = shingle_spans(named.text, plan.shingle)};
  Items items;
  items.add(named.name, named.text);
  const Features features = shingle(items, plan.shingle);
  item.size = features[0].size();
  for (const ShingleSpans::Span& span : item.spans.spans) item.ignored += span.ignored;
  if (item.size == 0 || plan.sketch.hashes == 0) return item;
  const Sketches sketches = sketch(features, plan.sketch);
  item.slots.assign(sketches[0].begin(), sketches[0].end());
  item.origins = slot_origins(features[0], plan.sketch);
  item.buckets = band_keys(item.slots, plan.band);
  return item;
}

void list_shingles(Explanation& explanation) {
  for (std::size_t i = 0; i < explanation.items.size(); ++i) {
    const std::vector<ShingleSpans::Span>& spans = explanation.items[i].spans.spans;
    std::unordered_map<std::uint64_t, std::uint64_t> seen;
    for (std::size_t s = 0; s < spans.size(); ++s) {
      if (spans[s].ignored) continue;
      const std::uint64_t earlier = explanation.plan.shingle.bag ? seen[spans[s].hash]++ : 0;
      const auto [place, is_new] = explanation.places.emplace(spans[s].feature, explanation.shingles.size());
      if (is_new) explanation.shingles.push_back({.feature = spans[s].feature, .item = i, .span = s, .earlier = earlier});
      ++explanation.shingles[place->second].times[i];
    }
  }
}

}  // namespace

std::string Explanation::text_of(const ExplainedShingle& shingle) const {
  const ShingleSpans& spans = items[shingle.item].spans;
  const ShingleSpans::Span& span = spans.spans[shingle.span];
  return spans.normalised.substr(span.begin, span.end - span.begin);
}

std::size_t Explanation::equal_slots() const {
  std::size_t equal = 0;
  for (std::size_t i = 0; slots_compare() && i < items[0].slots.size(); ++i) equal += same_slot(i);
  return equal;
}

Explanation explain(const std::vector<NamedText>& texts, const Plan& plan) {
  Explanation explanation{.plan = plan, .items = {}, .shingles = {}, .places = {}, .comparison = {}};
  for (const NamedText& text : texts) explanation.items.push_back(item_of(text, plan));
  list_shingles(explanation);
  if (explanation.two()) explanation.comparison = compare(texts[0].text, texts[1].text, plan, 0);
  return explanation;
}

}  // namespace nearkin::cli

#include <algorithm>
#include <unordered_set>

#include <nearkin/run.h>
#include <nearkin/theory.h>

#include "match/verify.h"

namespace nearkin {
namespace {

// The longest stretches of `a` that are covered by shingles it shares with `b`, as text.
std::vector<std::string> shared_passages(const ShingleSpans& a, const ShingleSpans& b, std::size_t wanted) {
  std::unordered_set<std::uint64_t> in_b;
  for (const ShingleSpans::Span& span : b.spans) in_b.insert(span.hash);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> stretches;
  bool open = false;
  for (const ShingleSpans::Span& span : a.spans) {
    const bool shared = in_b.contains(span.hash);
    if (shared && open) stretches.back().second = span.end;
    if (shared && !open) stretches.emplace_back(span.begin, span.end);
    open = shared;
  }
  std::stable_sort(stretches.begin(), stretches.end(), [](const auto& x, const auto& y) { return x.second - x.first > y.second - y.first; });
  std::vector<std::string> passages;
  for (const auto& [begin, end] : stretches) {
    if (passages.size() == wanted) break;
    std::string passage = a.normalised.substr(begin, end - begin);
    if (std::find(passages.begin(), passages.end(), passage) == passages.end()) passages.push_back(std::move(passage));
  }
  return passages;
}

}  // namespace

Comparison compare(std::string_view a, std::string_view b, const Plan& plan, std::size_t passages) {
  Items items;
  items.add("a", a);
  items.add("b", b);
  Comparison result;
  if (plan.measure == Measure::exact) {
    const ShinglePlan characters{.unit = Unit::character, .size = 1, .normalise = plan.shingle.normalise};
    result.total = result.a_size = result.b_size = 1;  // the whole text is the one thing compared
    const std::string first = shingle_spans(a, characters).normalised;
    result.shared = !first.empty() && first == shingle_spans(b, characters).normalised;
    result.similarity = static_cast<double>(result.shared);
    return result;
  }
  const Features features = shingle(items, plan.shingle);
  const Match match = exact_match(0, 1, features[0], features[1]);
  result.a_size = features[0].size();
  result.b_size = features[1].size();
  result.shared = match.shared;
  result.total = match.total;
  result.similarity = match.similarity();
  if (plan.sketch.hashes > 0 && result.a_size > 0 && result.b_size > 0) {
    const Sketches sketches = sketch(features, plan.sketch);
    result.estimate = estimate(sketches[0], sketches[1]);
    result.found = found_probability(result.similarity, plan.band.bands, plan.band.rows);
    result.candidate = !candidates(sketches, plan.band).empty();
  }
  result.passages = shared_passages(shingle_spans(a, plan.shingle), shingle_spans(b, plan.shingle), passages);
  return result;
}

}  // namespace nearkin

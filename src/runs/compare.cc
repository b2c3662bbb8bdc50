#include <algorithm>
#include <unordered_set>

#include <nearkin/error.h>
#include <nearkin/run.h>
#include <nearkin/tools/compare.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/theory.h>

#include "analysis/shingle_places.h"
#include "analysis/vector_comparer.h"
#include "base/misuse.h"
#include "feature/trace.h"
#include "match/verify.h"
#include "theory/plan_check.h"

namespace nearkin {
namespace {

constexpr std::size_t kMostPlaces = 64;  // of a shingle that are followed; a passage that goes on in another place only is told in parts

// Keeps the places that the shingle follows, and moves each one further.
void follow(const ShingleSpans& text, std::uint64_t hash, std::vector<std::uint32_t>& places) {
  std::size_t left = 0;
  for (const std::uint32_t at : places) {
    if (at + std::size_t{1} < text.spans.size() && text.spans[at + 1].hash == hash) places[left++] = at + 1;
  }
  places.resize(left);
}

// The longest stretches of `a` that `b` has, too, as they are in the text of `a`, each once after normalising.
std::vector<std::string> shared_passages(std::string_view text, const ShingleSpans& a, const ShingleSpans& b, const ShinglePlan& plan,
                                         std::size_t wanted) {
  const ShinglePlaces in_b(b, &ShingleSpans::Span::hash);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> stretches;
  std::vector<std::uint32_t> there;  // of the last shingle of the stretch at hand
  for (const ShingleSpans::Span& span : a.spans) {
    std::uint32_t place = span.ignored ? ShinglePlaces::kNone : in_b.first(span.hash);
    if (place == ShinglePlaces::kNone) there.clear();
    follow(b, span.hash, there);
    if (!there.empty()) {
      stretches.back().second = span.end;
      continue;
    }
    if (place != ShinglePlaces::kNone) stretches.emplace_back(span.begin, span.end);
    for (; place != ShinglePlaces::kNone && there.size() < kMostPlaces; place = in_b.next(place)) there.push_back(place);
  }
  std::stable_sort(stretches.begin(), stretches.end(),
                   [](const auto& x, const auto& y) { return x.second - x.first > y.second - y.first; });
  const Trace trace(text, plan);
  const bool traced = trace.agrees_with(a.normalised);
  std::vector<std::string> passages;
  std::unordered_set<std::string_view> seen;
  for (const auto& [begin, end] : stretches) {
    if (passages.size() == wanted) break;
    const std::string_view normalised = std::string_view(a.normalised).substr(begin, end - begin);
    if (normalised.empty() || !seen.insert(normalised).second) continue;
    const TextSpan origin = traced ? trace.origin({begin, end}) : TextSpan{};
    passages.emplace_back(traced ? text.substr(origin.begin, origin.end - origin.begin) : normalised);
  }
  return passages;
}

// Without a sketch, every pair of items that are not EMPTY is looked at.
void find_always(const Plan& plan, bool empty, Comparison& result) {
  if (plan.sketch.hashes > 0 || empty) return;
  result.found = 1;
  result.candidate = true;
}

}  // namespace

Comparison compare(const Vectors& a, std::size_t i, const Vectors& b, std::size_t j, const Plan& plan) {
  return VectorComparer(plan).compare(a, i, b, j);
}

Comparison compare(std::string_view a, std::string_view b, const Plan& plan, std::size_t passages) {
  require_plan(plan);
  if (plan.kind != Kind::shingles) {
    throw Error(ErrorCode::plan, "features",
                "two texts are compared by their shingles, not as " + features_name(plan) + "; use a plan without features");
  }
  Items items;
  items.add("a", a);
  items.add("b", b);
  Comparison result;
  if (plan.measure == Measure::exact) {
    const ShinglePlan characters{.token = Token::character, .size = 1, .normalise = plan.shingle.normalise};
    result.total = result.a_size = result.b_size = 1;  // the whole text is the one thing compared
    const std::string first = shingle_spans(a, characters).normalised;
    result.shared = !first.empty() && first == shingle_spans(b, characters).normalised;
    result.similarity = static_cast<double>(result.shared);
    find_always(plan, first.empty(), result);
    return result;
  }
  const Features features = shingle(items, plan.shingle);
  const Match match = exact_match(0, 1, features[0], features[1]);
  result.a_size = features[0].size();
  result.b_size = features[1].size();
  result.shared = match.shared;
  result.total = plan.measure == Measure::containment ? result.a_size : match.total;
  result.similarity = measured({0, 1, match.shared, static_cast<std::uint32_t>(result.total)}, plan.measure);
  const bool empty = result.a_size == 0 || result.b_size == 0;
  find_always(plan, empty, result);
  if (plan.sketch.hashes > 0 && !empty) {
    const Sketches sketches = sketch(features, plan.sketch);
    result.estimate = estimate(sketches[0], sketches[1]);
    result.found = found_probability(plan, result.similarity);
    result.candidate = !candidates(sketches, plan.band).empty();
  }
  result.passages = shared_passages(a, shingle_spans(a, plan.shingle), shingle_spans(b, plan.shingle), plan.shingle, passages);
  return result;
}

}  // namespace nearkin

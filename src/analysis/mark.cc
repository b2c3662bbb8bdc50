#include <algorithm>
#include <tuple>

#include <nearkin/stages.h>
#include <nearkin/tools/compare.h>

#include "analysis/shingle_places.h"
#include "base/unicode.h"
#include "feature/trace.h"

namespace nearkin {
namespace {

using Stretch = MarkedText::Stretch;

// Stretches of the normalised text. White space between two shared shingles goes with them, unless it is itself what shingles are made of.
std::vector<Stretch> covered(const ShingleSpans& spans, const ShinglePlaces& others, Token token) {
  std::vector<Stretch> stretches;
  for (const ShingleSpans::Span& span : spans.spans) {
    if (span.ignored || others.first(span.feature) == ShinglePlaces::kNone) continue;
    const auto joins = [&](std::size_t end) {
      if (span.begin <= end) return true;
      return token != Token::character && only_white_space(std::string_view(spans.normalised).substr(end, span.begin - end));
    };
    if (!stretches.empty() && joins(stretches.back().end))
      stretches.back().end = std::max<std::size_t>(stretches.back().end, span.end);
    else
      stretches.push_back({span.begin, span.end});
  }
  return stretches;
}

constexpr std::uint32_t kNoPassage = UINT32_MAX;
constexpr std::size_t kMostPlaces = 64;  // of one shingle in the other text that a passage is looked for at

// How many shingles of `a` from i on are those of `b` from j on.
std::size_t common_run(const ShingleSpans& a, std::size_t i, const ShingleSpans& b, std::size_t j) {
  const auto same = [&](std::size_t k) {
    const ShingleSpans::Span &x = a.spans[i + k], &y = b.spans[j + k];
    return !x.ignored && !y.ignored && x.feature == y.feature;
  };
  std::size_t length = 0;
  while (i + length < a.spans.size() && j + length < b.spans.size() && same(length)) ++length;
  return length;
}

// The passage that each shingle of either text belongs to; none where the other text does not have it.
struct PassageNumbers {
  std::vector<std::uint32_t> of_a, of_b;
};

// Greedy, from the beginning of `a` on: each passage is as long as any that begins there. What `b` has more often than `a` joins the
// passage that has it first.
PassageNumbers number_passages(const ShingleSpans& a, const ShingleSpans& b, const ShinglePlaces& in_a, const ShinglePlaces& in_b) {
  PassageNumbers numbers{std::vector(a.spans.size(), kNoPassage), std::vector(b.spans.size(), kNoPassage)};
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < a.spans.size();) {
    std::size_t longest = 0, at = 0;
    std::uint32_t place = a.spans[i].ignored ? ShinglePlaces::kNone : in_b.first(a.spans[i].feature);
    for (std::size_t k = 0; place != ShinglePlaces::kNone && k < kMostPlaces; ++k, place = in_b.next(place)) {
      const std::size_t length = common_run(a, i, b, place);
      if (length > longest) std::tie(longest, at) = std::pair(length, std::size_t{place});
    }
    for (std::size_t k = 0; k < longest; ++k) {
      numbers.of_a[i + k] = next;
      if (numbers.of_b[at + k] == kNoPassage) numbers.of_b[at + k] = next;
    }
    next += longest > 0;
    i += std::max<std::size_t>(longest, 1);
  }
  for (std::size_t j = 0; j < b.spans.size(); ++j) {
    if (numbers.of_b[j] != kNoPassage || b.spans[j].ignored) continue;
    const std::uint32_t place = in_a.first(b.spans[j].feature);
    if (place != ShinglePlaces::kNone) numbers.of_b[j] = numbers.of_a[place];
  }
  return numbers;
}

// Stretches of the normalised text, ascending; where two passages overlap, the first has it.
std::vector<MarkedText::Part> passage_parts(const ShingleSpans& spans, const std::vector<std::uint32_t>& passages) {
  std::vector<MarkedText::Part> parts;
  for (std::size_t i = 0; i < passages.size(); ++i) {
    const ShingleSpans::Span& span = spans.spans[i];
    if (passages[i] == kNoPassage) continue;
    const bool follows = i > 0 && passages[i - 1] == passages[i] && !parts.empty() && parts.back().passage == passages[i];
    const std::size_t begin = parts.empty() ? span.begin : std::max<std::size_t>(span.begin, parts.back().end);
    if (follows)
      parts.back().end = std::max<std::size_t>(parts.back().end, span.end);
    else if (begin < span.end)
      parts.push_back({begin, span.end, passages[i]});
  }
  return parts;
}

// The last border of characters within the first `most` bytes.
std::size_t border_within(std::string_view text, std::size_t most) {
  if (most >= text.size()) return text.size();
  const char* const end = text.data() + text.size();
  const char* border = text.data();
  for (const char* p = border; p <= text.data() + most; next_code_point(p, end)) border = p;
  return static_cast<std::size_t>(border - text.data());
}

void add(std::vector<Stretch>& stretches, const Stretch& next) {
  if (next.begin >= next.end) return;
  if (!stretches.empty() && next.begin <= stretches.back().end)
    stretches.back().end = std::max(stretches.back().end, next.end);
  else
    stretches.push_back(next);
}

// A stretch of the normalised text in the text that is shown; empty where it is not shown.
Stretch shown_stretch(Stretch stretch, const Trace& trace, bool normalised, std::size_t shown) {
  if (!normalised) {
    stretch.end = std::min(stretch.end, trace.size());
    if (stretch.begin >= stretch.end) return {shown, shown};
    const TextSpan origin = trace.origin({stretch.begin, stretch.end});
    stretch = {origin.begin, origin.end};
  }
  return {stretch.begin, std::min(stretch.end, shown)};
}

MarkedText marked(std::string_view text, const ShingleSpans& spans, const ShinglePlaces& others, const std::vector<std::uint32_t>& passages,
                  const ShinglePlan& plan, std::size_t most) {
  MarkedText result;
  const Trace trace(text, plan, most);
  result.normalised = !trace.agrees_with(spans.normalised);
  const std::string_view source = result.normalised ? std::string_view(spans.normalised) : text;
  const std::size_t shown = border_within(source, most);
  result.text = source.substr(0, shown);
  result.left_out = source.size() - shown;
  for (const Stretch& stretch : covered(spans, others, plan.token)) {
    add(result.shared, shown_stretch(stretch, trace, result.normalised, shown));
  }
  std::size_t end = 0;
  for (const MarkedText::Part& part : passage_parts(spans, passages)) {
    const Stretch at = shown_stretch({part.begin, part.end}, trace, result.normalised, shown);
    const std::size_t begin = std::max(at.begin, end);
    if (begin >= at.end) continue;
    result.parts.push_back({begin, at.end, part.passage});
    end = at.end;
  }
  return result;
}

}  // namespace

MarkedPair mark_shared(std::string_view a, std::string_view b, const ShinglePlan& plan, std::size_t most) {
  const ShingleSpans of_a = shingle_spans(a, plan), of_b = shingle_spans(b, plan);
  const ShinglePlaces in_a(of_a, &ShingleSpans::Span::feature), in_b(of_b, &ShingleSpans::Span::feature);
  const PassageNumbers numbers = number_passages(of_a, of_b, in_a, in_b);
  return {marked(a, of_a, in_b, numbers.of_a, plan, most), marked(b, of_b, in_a, numbers.of_b, plan, most)};
}

}  // namespace nearkin

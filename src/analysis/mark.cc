#include <algorithm>
#include <unordered_set>

#include <nearkin/stages.h>
#include <nearkin/tools/compare.h>

#include "base/unicode.h"
#include "feature/trace.h"

namespace nearkin {
namespace {

using Stretch = MarkedText::Stretch;

using Shingles = std::unordered_set<std::uint64_t>;

Shingles shingles_of(const ShingleSpans& spans) {
  Shingles shingles;
  shingles.reserve(spans.spans.size());
  for (const ShingleSpans::Span& span : spans.spans) shingles.insert(span.feature);
  return shingles;
}

// Stretches of the normalised text. White space between two shared shingles goes with them, unless it is itself what shingles are made of.
std::vector<Stretch> covered(const ShingleSpans& spans, const Shingles& others, Token token) {
  std::vector<Stretch> stretches;
  for (const ShingleSpans::Span& span : spans.spans) {
    if (span.ignored || !others.contains(span.feature)) continue;
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

// The last border of characters within the first `most` bytes.
std::size_t border_within(std::string_view text, std::size_t most) {
  if (most >= text.size()) return text.size();
  const char* const end = text.data() + text.size();
  const char* border = text.data();
  for (const char* p = border; p <= text.data() + most; next_code_point(p, end)) border = p;
  return static_cast<std::size_t>(border - text.data());
}

void add(std::vector<Stretch>& stretches, Stretch next, std::size_t shown) {
  next.end = std::min(next.end, shown);
  if (next.begin >= next.end) return;
  if (!stretches.empty() && next.begin <= stretches.back().end)
    stretches.back().end = std::max(stretches.back().end, next.end);
  else
    stretches.push_back(next);
}

MarkedText marked(std::string_view text, const ShingleSpans& spans, const Shingles& others, const ShinglePlan& plan, std::size_t most) {
  MarkedText result;
  const Trace trace(text, plan, most);
  result.normalised = !trace.agrees_with(spans.normalised);
  const std::string_view source = result.normalised ? std::string_view(spans.normalised) : text;
  const std::size_t shown = border_within(source, most);
  result.text = source.substr(0, shown);
  result.left_out = source.size() - shown;
  for (Stretch stretch : covered(spans, others, plan.token)) {
    if (!result.normalised) {
      stretch.end = std::min(stretch.end, trace.size());
      if (stretch.begin >= stretch.end) break;
      const TextSpan origin = trace.origin({stretch.begin, stretch.end});
      stretch = {origin.begin, origin.end};
    }
    add(result.shared, stretch, shown);
  }
  return result;
}

}  // namespace

MarkedPair mark_shared(std::string_view a, std::string_view b, const ShinglePlan& plan, std::size_t most) {
  const ShingleSpans of_a = shingle_spans(a, plan), of_b = shingle_spans(b, plan);
  const Shingles in_a = shingles_of(of_a), in_b = shingles_of(of_b);
  return {marked(a, of_a, in_b, plan, most), marked(b, of_b, in_a, plan, most)};
}

}  // namespace nearkin

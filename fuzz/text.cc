// Any bytes as a text, normalised and shingled in every way.
#include <algorithm>
#include <functional>
#include <vector>

#include <nearkin/plan.h>
#include <nearkin/stages.h>
#include <nearkin/tools/compare.h>

#include "base/unicode.h"
#include "feature/normalise.h"
#include "feature/shingler.h"
#include "support.h"

namespace nearkin::fuzz {
namespace {

/// Strictly: U+FFFD may stand in a text, an invalid byte may not.
bool well_formed(std::string_view text) {
  const char* p = text.data();
  const char* const end = p + text.size();
  while (p != end) {
    const char* const begin = p;
    if (next_code_point(p, end) == kReplacement && p - begin == 1) return false;
  }
  return true;
}

void check_normalised(std::string_view text) {
  std::string out, again;
  for (const auto normalise : {normalise_text, fold_text, collapse_space}) {
    normalise(text, out);
    require(well_formed(out), "normalised text is well-formed UTF-8");
  }
  normalise_text(text, out);
  require(!out.starts_with(' ') && !out.ends_with(' ') && out.find("  ") == std::string::npos, "white space is one blank between words");
  collapse_space(text, out);
  collapse_space(out, again);
  require(out == again, "white space that is collapsed stays so");
}

void check_shingles(std::string_view text, const ShinglePlan& plan) {
  Shingler shingler(plan);
  const auto found = shingler.shingles(text);
  std::vector<std::uint64_t> shingles(found.begin(), found.end()), shown;
  const ShingleSpans spans = shingle_spans(text, plan);
  for (const ShingleSpans::Span& span : spans.spans) {
    require(span.begin <= span.end && span.end <= spans.normalised.size(), "a span is part of the text");
    shown.push_back(span.hash);
  }
  require(shingles == shown, "the shingles that are shown are those that are hashed");
  const auto features = shingler.features(text);
  const bool ascending = std::adjacent_find(features.begin(), features.end(), std::greater_equal<>()) == features.end();
  require(ascending, "features ascend and are distinct");
  require(features.empty() == shingles.empty() && features.size() <= shingles.size(), "there are features where there are shingles");
  std::sort(shingles.begin(), shingles.end());
  const auto distinct = static_cast<std::size_t>(std::unique(shingles.begin(), shingles.end()) - shingles.begin());
  require(features.size() == (plan.bag ? shingles.size() : distinct), "a set has each shingle once, a bag as often as it occurs");
}

}  // namespace
}  // namespace nearkin::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nearkin;
  const std::string_view text = fuzz::bytes_of(data, size);
  fuzz::check_normalised(text);
  for (const Token unit : {Token::character, Token::word, Token::code, Token::line, Token::element}) {
    for (int value = 0; value <= int(Normalise::code_identifiers_rust); ++value) {
      const auto normalise = static_cast<Normalise>(value);
      const std::uint32_t length = unit == Token::element ? 1 : 1 + static_cast<std::uint32_t>(size % 5);
      fuzz::check_shingles(text, {.token = unit, .size = length, .bag = size % 2 == 1, .normalise = normalise});
    }
  }
  return 0;
}

#include "search/passage_tokens.h"

#include <algorithm>

#include "feature/ignored.h"

namespace nearkin {

bool any_masked(std::span<const std::uint64_t> tokens) { return std::find(tokens.begin(), tokens.end(), kMaskedToken) != tokens.end(); }

PassageTokeniser::PassageTokeniser(const ShinglePlan& plan) : plan_(plan), tokeniser_(plan) {
  if (!plan.ignored) return;
  ShinglePlan every = plan;
  every.ignored.reset();
  every.ignore = 0;
  shingler_.emplace(every);
}

std::span<const std::uint64_t> PassageTokeniser::tokens(std::string_view text, std::vector<TextSpan>* spans) {
  const std::span<const std::uint64_t> tokens = tokeniser_.tokens(text, spans);
  if (!shingler_ || tokens.size() < plan_.size) return tokens;
  masked_.assign(tokens.begin(), tokens.end());
  const std::span<const std::uint64_t> shingles = shingler_->shingles(text);
  std::size_t done = 0;
  for (std::size_t i = 0; i < shingles.size(); ++i) {
    if (!plan_.ignored->contains(shingles[i])) continue;
    for (done = std::max(done, i); done < i + plan_.size; ++done) masked_[done] = kMaskedToken;
  }
  return masked_;
}

}  // namespace nearkin

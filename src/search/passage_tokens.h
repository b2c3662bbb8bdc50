// The tokens of texts in which passages are looked for.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <nearkin/plan.h>

#include "feature/shingler.h"
#include "feature/tokeniser.h"

namespace nearkin {

/// In place of a token that is in a run of tokens which templates have: it is equal to no token, itself included. No hash has this value
/// but by a chance of 2^-64.
inline constexpr std::uint64_t kMaskedToken = 0x5bf03635d1c2c4a7u;

/// Whether one of them is masked.
bool any_masked(std::span<const std::uint64_t> tokens);

/// A Tokeniser that masks what the plan ignores: the tokens of each shingle that it names. One for each thread.
class PassageTokeniser {
 public:
  explicit PassageTokeniser(const ShinglePlan& plan);

  /// As those of Tokeniser.
  std::span<const std::uint64_t> tokens(std::string_view text, std::vector<TextSpan>* spans = nullptr);
  std::vector<TextSpan> spans(std::string_view text) { return tokeniser_.spans(text); }
  bool spans_of_last(std::size_t first, std::size_t last, std::vector<TextSpan>& spans) const {
    return tokeniser_.spans_of_last(first, last, spans);
  }
  void give_back() { tokeniser_.give_back(); }
  /// Whether it may mask a token.
  bool masks() const { return shingler_.has_value(); }

 private:
  ShinglePlan plan_;
  Tokeniser tokeniser_;
  std::optional<Shingler> shingler_;  // of all shingles; none where nothing is ignored
  std::vector<std::uint64_t> masked_;
};

}  // namespace nearkin

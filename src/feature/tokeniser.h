// Tokeniser: texts → the hashes of their tokens, and where each token stands in its text. One for each thread; it owns the scratch.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nearkin/plan.h>

#include "feature/trace.h"

namespace nearkin {

class Tokeniser {
 public:
  /// The token and the normalisation of the plan count.
  explicit Tokeniser(const ShinglePlan& plan) : plan_(plan), rule_(code_rule(plan.normalise)) {}

  /// The hash of each token, in order. Good until the next call. With `spans` also where they are, if that costs next to nothing (words of
  /// ASCII text that is not reduced), else no spans.
  std::span<const std::uint64_t> tokens(std::string_view text, std::vector<TextSpan>* spans = nullptr);

  /// Where each token stands in the text as it was read, in the order of `tokens`. A token that was made of a part of a character (½ is
  /// 1⁄2) has the span of all of it.
  std::vector<TextSpan> spans(std::string_view text);

  /// The spans of the tokens first … last - 1 of the text whose tokens were made last, if that takes no second look at the text (words of
  /// ASCII text that is not reduced); else false.
  bool spans_of_last(std::size_t first, std::size_t last, std::vector<TextSpan>& spans) const;

  /// What one very long text needed is not kept for the next. To be called when its tokens are not needed any more.
  void give_back();

 private:
  // The text, or what is left of a program. Good until the next call.
  std::string_view reduced(std::string_view text);
  bool scan_ascii_words(std::string_view text);
  std::optional<std::size_t> hash_ascii_words(std::string_view text, std::vector<TextSpan>* spans);
  std::size_t hash_any(std::string_view reduced);

  ShinglePlan plan_;
  std::optional<CodeRule> rule_;
  std::string reduced_;
  std::string buffer_;
  std::vector<std::uint64_t> masks_;
  std::vector<std::uint64_t> tokens_;  // at least as many as there are tokens
  std::size_t masked_ = 0;             // bytes of the last text, where `masks_` are those of its words
};

}  // namespace nearkin

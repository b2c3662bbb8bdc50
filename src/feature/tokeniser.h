// Tokeniser: texts → the hashes of their tokens, and the place of each token in its text. One for each thread; it owns the scratch.
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
  /// Uses the token and the normalisation of the plan.
  explicit Tokeniser(const ShinglePlan& plan) : plan_(plan), rule_(code_rule(plan.normalise)) {}

  /// The hash of each token, in order. Good until the next call. With `spans`, also fills their places if that costs almost nothing (words
  /// of ASCII text that is not reduced); otherwise clears it.
  std::span<const std::uint64_t> tokens(std::string_view text, std::vector<TextSpan>* spans = nullptr);

  /// The place of each token in the text as it was read, in the order of `tokens`. A token that was made from a part of a character (½
  /// becomes 1⁄2) has the span of the whole character.
  std::vector<TextSpan> spans(std::string_view text);

  /// The spans of the tokens first … last - 1 of the last text, if they can be had without reading the text again (words of ASCII text that
  /// is not reduced); else returns false.
  bool spans_of_last(std::size_t first, std::size_t last, std::vector<TextSpan>& spans) const;

  /// Frees the memory that a very long text needed. Call when its tokens are no longer needed.
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

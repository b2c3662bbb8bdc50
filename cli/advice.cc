#include "advice.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <nearkin/tools/front_end.h>
#include <nearkin/tools/names.h>

#include "shell.h"
#include "talk.h"

namespace nearkin::cli {
namespace {

std::string unit_name(Token token) {
  return token == Token::character ? "character" : token == Token::code ? "code token" : std::string(name(token));
}

/// One item, or none, has nothing to be compared with.
std::string advice_for_few(const ParsedArgs& typed, const Input& input, const ShingleAdvice& advice) {
  std::string text = fmt::format("the input has {}, so nothing can be said about shingles", advice.sampled == 0 ? "no item" : "one item");
  if (advice.sampled == 1 && !typed.format && format_of(input) == Format::files) {
    ParsedArgs lines = typed;
    lines.format = "lines";
    text += fmt::format(": the whole file is one item, because its name has no known extension; if each line is an item, try: {}",
                        command_line("tune", lines));
  }
  return text;
}

/// All pairs have long passages in common, or nothing to compare.
void say_related(const ParsedArgs& typed, const Plan& plan, const ShingleAdvice& advice) {
  if (advice.related == 0) {
    return say(
        typed,
        fmt::format("the {} looked at have no {} to compare, so nothing can be said about shingles; name the field of the text with --text",
                    counted(advice.sampled, "item"), unit_name(plan.shingle.token)));
  }
  say(typed,
      fmt::format("all pairs of the {} looked at share long passages, so no shingle is shared by chance alone: the items are copies, or "
                  "have a template in common",
                  counted(advice.sampled, "item")));
  say(typed, fmt::format("to leave out the shingles that most items have: {} --shingle {} --ignore-common 0.5",
                         command_line("pairs", typed), shingle_name(plan.shingle)));
}

/// Even the longest shingles that were tried are common.
void say_common(const ParsedArgs& typed, const Plan& plan, const ShingleAdvice& advice) {
  const std::string_view token = name(plan.shingle.token);
  const ShingleChance& longest = advice.chances.back();
  say(typed, fmt::format("no size of {} shingle is rare enough: even a {}:{} shingle of one item occurs in another with a chance of {:.3f} "
                         "(advised: at most {}); many items share the same pieces, such as a heading, a place or a licence",
                         token, token, longest.size, longest.chance, ShingleAdvice::kRare));
  if (plan.shingle.token == Token::character) say(typed, fmt::format("to try words: {} --shingle word:1", command_line("tune", typed)));
  say(typed, fmt::format("to let common shingles count less: {} --shingle {} --measure cosine --features tfidf",
                         command_line("pairs", typed), shingle_name(plan.shingle)));
  say(typed,
      fmt::format("to leave them out: {} --shingle {} --ignore-common 0.05", command_line("pairs", typed), shingle_name(plan.shingle)));
}

/// A change changes as many shingles as a shingle has units.
void say_short(const ParsedArgs& typed, const Plan& plan, const ShingleAdvice& advice) {
  constexpr double kShort = 8;  // units for each unit of a shingle
  if (advice.recommended < 2 || advice.tokens >= kShort * advice.recommended) return;
  const double shingles = std::max(1.0, std::round(advice.tokens) - advice.recommended + 1);
  const std::string unit = unit_name(plan.shingle.token);
  say(typed, fmt::format("the items are short, {:.0f} {}s on average: one changed {} changes up to {} of the {:.0f} shingles of {}:{}, so "
                         "items with typing errors look less similar",
                         advice.tokens, unit, unit, std::min<double>(advice.recommended, shingles), shingles, name(plan.shingle.token),
                         advice.recommended));
  say(typed, fmt::format("to try shorter shingles and let common ones count less: {} --shingle {} --measure cosine --features tfidf "
                         "--threshold 0.5; if you know some pairs that are the same, 'nearkin tune --truth' chooses by them",
                         command_line("pairs", typed), plan.shingle.token == Token::character ? "char:3" : "word:1"));
}

}  // namespace

void say_advice(const ParsedArgs& typed, const Input& input, const Plan& plan, const ShingleAdvice& advice) {
  const std::string_view token = name(plan.shingle.token);
  if (advice.sampled < 2) return say(typed, advice_for_few(typed, input, advice));
  if (advice.compared == 0) return say_related(typed, plan, advice);
  if (advice.recommended == 0) return say_common(typed, plan, advice);
  if (advice.recommended != plan.shingle.size) {
    say(typed, fmt::format("the plan has {}, this input suggests --shingle {}:{}; see: {} --shingle {}:{}", shingle_name(plan.shingle),
                           token, advice.recommended, command_line("tune", typed), token, advice.recommended));
  }
  say_short(typed, plan, advice);
}

}  // namespace nearkin::cli

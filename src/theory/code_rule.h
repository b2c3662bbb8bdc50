// The parts of a normalisation of programs: what is done, and in which language.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <nearkin/plan.h>

namespace nearkin {

/// In the order in which the values of Normalise name them.
enum class Language : std::uint8_t { c, cpp, java, python, javascript, go, rust };
inline constexpr std::size_t kLanguages = 7;

struct CodeRule {
  bool identifiers = false;          ///< identifiers and literals are made equal, too
  std::optional<Language> language;  ///< absent: recognised from the text
};

static_assert(int(Normalise::code_no_comments_rust) - int(Normalise::code_no_comments) == int(kLanguages) &&
              int(Normalise::code_identifiers_rust) - int(Normalise::code_identifiers) == int(kLanguages));

/// Absent for text, none and code.
constexpr std::optional<CodeRule> code_rule(Normalise normalise) {
  if (normalise < Normalise::code_no_comments) return std::nullopt;
  CodeRule rule{.identifiers = normalise >= Normalise::code_identifiers, .language = std::nullopt};
  const int place = int(normalise) - int(rule.identifiers ? Normalise::code_identifiers : Normalise::code_no_comments);
  if (place > 0) rule.language = static_cast<Language>(place - 1);
  return rule;
}

}  // namespace nearkin

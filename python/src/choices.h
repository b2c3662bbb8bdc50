// Which pairs a run lists, and what a person decided about them, as Python spells these.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include <nearkin/nearkin.h>

namespace nearkin::python {

/// Two rows, as they are called, and whether they are the same.
using Decided = std::vector<std::tuple<std::string, std::string, bool>>;

inline std::vector<PairDecision> decisions_of(const Decided& decided) {
  std::vector<PairDecision> decisions;
  for (const auto& [a, b, same] : decided) decisions.push_back({a, b, same});
  return decisions;
}

/// The rule: "all", "best", "one_to_one" or "optimal".
inline Partners partners_of(const std::string& rule, std::uint32_t most, const Decided& decided) {
  const Partners::Rule chosen = rule == "optimal"      ? Partners::Rule::optimal
                                : rule == "one_to_one" ? Partners::Rule::one_to_one
                                : rule == "best"       ? Partners::Rule::best
                                                       : Partners::Rule::all;
  return {.rule = chosen, .most = most, .decisions = decisions_of(decided)};
}

}  // namespace nearkin::python

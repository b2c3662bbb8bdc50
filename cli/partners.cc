#include "partners.h"

#include <fmt/format.h>

#include <nearkin/tools/names.h>

#include "errors.h"
#include "talk.h"

namespace nearkin::cli {

Partners partners_of(const ParsedArgs& typed) {
  if (typed.best && typed.top) throw UsageError("--top: --best is given as well, which is --top 1; leave one of them out");
  if (typed.one_to_one && (typed.best || typed.top)) {
    throw UsageError(fmt::format("--one-to-one: {} is given as well; leave one of them out", typed.best ? "--best" : "--top"));
  }
  if (typed.optimal && !typed.one_to_one) throw UsageError("--optimal: says how --one-to-one matches; give --one-to-one as well");
  if (typed.optimal && !typed.against)
    throw UsageError("--optimal: matches two inputs; give the other one with --against OTHER, or leave --optimal out");
  if (typed.one_to_one) return {.rule = typed.optimal ? Partners::Rule::optimal : Partners::Rule::one_to_one};
  if (typed.best || typed.top)
    return {.rule = Partners::Rule::best, .most = typed.top ? static_cast<std::uint32_t>(whole(*typed.top, "--top", 1, UINT32_MAX)) : 1};
  return {};
}

std::string listed_text(const RunStats& stats) { return stats.listed ? fmt::format(", listed {}", counted(*stats.listed)) : ""; }

void add_listed(const RunStats& stats, JsonObject& told) {
  if (stats.listed) told.add("listed", *stats.listed);
  if (stats.too_large.groups > 0) told.add("too_large_groups", stats.too_large.groups);
}

void say_too_large(const ParsedArgs& typed, const RunStats& stats) {
  const TooLargeGroups& large = stats.too_large;
  if (large.groups == 0) return;
  warn(typed, Warning::too_large,
       fmt::format("--optimal: {} ({}) {} too large: there, the most similar pair is taken first; a higher threshold makes smaller groups",
                   counted(large.groups, "group"), counted(large.pairs, "pair"), large.groups == 1 ? "is" : "are"));
}

}  // namespace nearkin::cli

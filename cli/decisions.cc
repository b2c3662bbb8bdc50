#include "decisions.h"

#include <tuple>

#include <fmt/format.h>
#include <nearkin/tools/decisions.h>

#include "errors.h"
#include "talk.h"

namespace nearkin::cli {

std::vector<PairDecision> decisions_of(const ParsedArgs& typed) {
  if (!typed.decisions) return {};
  for (const auto& [given, flag, why] : {std::tuple(typed.unit.has_value(), "--unit", "decisions are about whole records"),
                                         {typed.bloom.has_value(), "--bloom", "a Bloom filter does not find pairs"}}) {
    if (given) throw UsageError(fmt::format("--decisions: cannot be combined with {}: {}; leave one of them out", flag, why));
  }
  return read_decisions(*typed.decisions, typed.against.has_value());
}

void say_decisions(const ParsedArgs& typed, const RunStats& stats) {
  if (!typed.decisions) return;
  const DecisionNotes notes = stats.decisions.value_or(DecisionNotes());
  if (notes.unknown > 0) {
    warn(Warning::unknown_ids,
         fmt::format("{}: {} left out; not {}: {}{}", *typed.decisions, counted(notes.unknown, "decision"),
                     typed.against ? "found (the first id of a line must be in INPUT, the second in OTHER)" : "in the input",
                     fmt::join(notes.unknown_ids, ", "), notes.unknown_ids.size() == DecisionNotes::kNamed ? " …" : ""));
  }
  say(typed, fmt::format("{}: followed {}, {} accepted and {} rejected", *typed.decisions,
                         counted(notes.accepted + notes.rejected, "decision"), counted(notes.accepted), counted(notes.rejected)));
  if (notes.not_listed > 0) {
    say(typed, fmt::format("{}: {} not listed, because of another accepted pair with the same item", *typed.decisions,
                           counted(notes.not_listed, "accepted pair")));
  }
}

void add_decisions(const RunStats& stats, JsonObject& told) {
  if (!stats.decisions) return;
  told.add("accepted", stats.decisions->accepted).add("rejected", stats.decisions->rejected);
  told.add("decisions_left_out", stats.decisions->unknown);
  if (stats.listed) told.add("accepted_not_listed", stats.decisions->not_listed);
}

}  // namespace nearkin::cli

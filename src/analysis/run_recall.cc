#include "analysis/run_recall.h"

#include <algorithm>

#include "analysis/left_out.h"
#include "analysis/recall_basis.h"
#include "collect/sketcher.h"
#include "group/linkage.h"
#include "theory/plan_rules.h"

namespace nearkin {
namespace {

// Pairs between two copies of one text are found for certain and left out: they would only make the figure look better. Those of one input
// were folded before they could match.
Matches without_copies(const RecallBasis& basis, const Matches& matches) {
  RowReader reader(basis.rows);
  Matches different;
  std::copy_if(matches.begin(), matches.end(), std::back_inserter(different),
               [&](const Match& match) { return reader.content(match.a) != reader.content(match.b); });
  return different;
}

// All matches, or, where they are more than fit, those of some components, which a hash chooses: whole ones, because pairs of one component
// are found and missed together, but for a component that is too large itself.
Matches matches_that_fit(const RecallBasis& basis, const MatchStream& matches) {
  constexpr std::uint64_t kBytes = 2 * sizeof(Match) + sizeof(FoundPairs) + 6 * sizeof(Row);
  const std::uint64_t most = share_of(basis.rows, basis.stage, 21) / 2 / kBytes;
  const double share = static_cast<double>(most) / static_cast<double>(std::max<std::uint64_t>(1, matches.count()));
  if (share >= 1) return matches.to_vector();
  Components components = components_of(matches, basis.rows.size());
  std::uint64_t in_components = 0;
  matches.for_each([&](const Match& match) { in_components += chosen(components.root(match.a), share); });
  const double thinned = static_cast<double>(most) / static_cast<double>(std::max<std::uint64_t>(1, in_components));
  Matches some;
  some.reserve(std::min(most, in_components));
  matches.for_each([&](const Match& match) {
    if (chosen(components.root(match.a), share) && chosen(std::uint64_t{match.a} << 32 | match.b, thinned)) some.push_back(match);
  });
  return some;
}

std::vector<FoundPairs> found_pairs(const RecallBasis& basis, const Matches& matches, const Plan& plan) {
  const std::vector<std::uint32_t> groups = groups_of(matches);
  std::vector<FoundPairs> pairs;
  pairs.reserve(matches.size());
  Chances chance(plan);
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const Match& match = matches[i];
    pairs.push_back({.probability = chance(match), .count = basis.pairs_of(match), .group = groups[i]});
  }
  return pairs;
}

double counted(std::span<const FoundPairs> pairs) {
  double count = 0;
  for (const FoundPairs& pair : pairs) count += pair.count;
  return count;
}

// The recall of meeting in a bucket, where pairs that were not compared met too: their similarities may be others.
Recall with_those_left_out(const Recall& of_found, double found, const LeftOut& left_out, const Plan& plan) {
  Chances chance(plan);
  double met = found, all = found / of_found.estimate;
  for (std::size_t i = 0; i < left_out.matches.size(); ++i) {
    met += left_out.counts[i];
    all += left_out.counts[i] / chance(left_out.matches[i]);
  }
  const double times = of_found.estimate < 1 ? (1 - met / all) / (1 - of_found.estimate) : 1;
  const auto moved = [&](double share) { return std::clamp(1 - (1 - share) * times, 0.0, 1.0); };
  return {.estimate = met / all, .low = moved(of_found.low), .high = moved(of_found.high)};
}

// `part`: of all matches, the share that these are.
std::optional<Recall> recall_from(const RecallBasis& basis, const Matches& all, double part) {
  const Matches different = basis.rows.across() ? without_copies(basis, all) : Matches();
  const Matches& matches = basis.rows.across() ? different : all;
  const Plan plan = counted_plan(basis.rows, basis.stage.plan);
  const LeftOut left_out = left_out_of(basis).part(part);
  if (matches.empty()) return left_out.matches.empty() ? std::nullopt : std::optional(recall_with(left_out, 0, {}));
  const std::vector<FoundPairs> pairs = found_pairs(basis, matches, plan);
  const Straying straying = rehearsed(basis, plan, matches, pairs);
  const Recall met = estimate_recall(
      pairs, {.at_threshold = found_probability(plan, border_of(plan)), .least_missed = straying.least, .most_missed = straying.most});
  if (basis.found.meetings.each == 0) return met;
  const double found = counted(pairs);
  return recall_with(left_out, found, with_those_left_out(met, found, left_out, plan));
}
}  // namespace

std::optional<Recall> recall_of(const Rows& rows, const Stage& stage, const SearchResult& found, const MatchStream& matches) {
  const Told told = told_by(stage.plan);
  if (told != Told::by_pairs) return told == Told::all ? std::optional(Recall{}) : std::nullopt;
  const RecallBasis basis{rows, stage, found, copies_of(found)};
  if (const Matches* const all = matches.in_memory()) return recall_from(basis, *all, 1);
  const Matches some = matches_that_fit(basis, matches);
  return recall_from(basis, some, static_cast<double>(some.size()) / static_cast<double>(std::max<std::uint64_t>(1, matches.count())));
}

}  // namespace nearkin

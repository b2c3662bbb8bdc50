// What a recall is estimated from: the chance of each match to be found, and rehearsals of the run with other hash functions.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <nearkin/run.h>
#include <nearkin/tools/theory.h>

#include "base/hash.h"
#include "search/search.h"
#include "theory/recall.h"
#include "theory/rehearse.h"

namespace nearkin {

struct RecallBasis {
  const Rows& rows;
  const Stage& stage;
  const SearchResult& found;
  std::vector<std::uint32_t> copies;  ///< number of items that each representative stands for; empty: one each

  /// The number of pairs of items that a match represents.
  double pairs_of(const Match& match) const { return copies.empty() ? 1 : static_cast<double>(copies[match.a]) * copies[match.b]; }
};

/// What the pairs found say about the recall: all pairs were found, nothing, or an estimate.
enum class Told { all, nothing, by_pairs };
Told told_by(const Plan& plan);

/// The plan with a radius that is given as a share turned into a number of places.
Plan counted_plan(const Rows& rows, const Plan& plan);

/// The chance of a match to be found.
class Chances {
 public:
  explicit Chances(const Plan& plan);
  double operator()(const Match& match) {
    return of_sets_ ? (*of_sets_)(match.shared, match.total) : found_probability(plan_, match.value);
  }

 private:
  const Plan& plan_;
  std::optional<FoundSets> of_sets_;
};

/// The component of each match, numbered in order of appearance.
std::vector<std::uint32_t> groups_of(const Matches& matches);

/// Chooses about `share` of all numbers, by a hash.
inline bool chosen(std::uint64_t what, double share) { return static_cast<double>(mix64(what) >> 11) * 0x1p-53 < share; }

/// In which hashes of a sketch the items of each match agree. Give matches with the same first row one after another: the row is then
/// sketched once.
Agreements agreements_of(const RecallBasis& basis, const Matches& matches, const SketchPlan& sketch);
/// The number of matches whose items can be sketched in the time that an estimate may take.
double most_sketched(const RecallBasis& basis, const Plan& plan, const Matches& matches, std::uint32_t hashes);

/// Rehearses with hashes of another seed, on some of the matches. pairs[i] belongs to matches[i].
Straying rehearsed(const RecallBasis& basis, const Plan& plan, const Matches& matches, std::span<const FoundPairs> pairs);

}  // namespace nearkin

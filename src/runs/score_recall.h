// How many of the pairs that reach a score were found, by the chances of the searches.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <nearkin/score.h>

#include "analysis/left_out.h"
#include "search/search.h"

namespace nearkin {

/// The plan of the search by a field, of pairs whose values are at least `level`.
Plan plan_of_part(const ScorePart& part, double level, const ScoreOptions& options);

/// A sample of the pairs that the searches left out in large buckets. A pair that several searches left out counts in each.
struct LeftOutOfScore {
  std::vector<std::uint64_t> pairs;  ///< of rows by all fields (a << 32 | b)
  std::vector<double> counts;        ///< of each: the pairs of records that it represents
  double each = 0;                   ///< LeftOut::each

  /// What the search of `own`, rows by one field, left out. `common`: where each of its rows is by all fields, or kNoRow.
  void add(const Rows& own, const Stage& stage, const SearchResult& found, std::span<const Row> common);
  /// Those that reach the threshold and were not found by any search. `found`: by all fields, with SearchResult::compare.
  LeftOut reaching(Ratio threshold, const SearchResult& found) const;
};

/// A search by fields that is done.
struct SearchedScore {
  const Score& score;
  const ScoreOptions& options;
  const std::vector<SearchedPart>& searched;
  std::span<const std::uint64_t> contents;  ///< of each row: a hash of what the searches know of it
  std::span<const double> values;           ///< of each match in turn: one value for each part
  const LeftOutOfScore& left_out;

  /// Whether nothing can be missed.
  bool finds_all() const;
};

/// 1 where nothing can be missed; absent where it is not known, because nothing was found that could have been missed. A pair is found
/// where one of the searches finds it.
std::optional<Recall> recall_of_score(const SearchedScore& search, const SearchResult& found);

}  // namespace nearkin

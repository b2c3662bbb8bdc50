// Pairs by a score of several fields: searches for candidates field by field, then computes every field of each candidate.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include <nearkin/score.h>

#include "runs/score_parts.h"
#include "runs/score_recall.h"
#include "search/search.h"

namespace nearkin {

/// Holds the pairs that it looks at in memory. To be asked for rows, then for what is found among them; what is found is good while this
/// is.
class ScoreSearch {
 public:
  /// Throws Error(plan) for a score or for options that cannot be followed. The score and the options must outlive this.
  ScoreSearch(const Score& score, const ScoreOptions& options, const RunOptions& run);

  /// By all fields together.
  Rows collect(const Input& input, const Input* against, const Keep& keep);
  /// All pairs that reach the threshold, but those that the recall allows to miss. Fills rows.stats.
  SearchResult find(Rows& rows, const Keep& keep);

  /// What a run follows once the pairs are known: a similarity of this threshold, by bands unless nothing is missed.
  Plan plan() const;
  const Score& score() const { return score_; }
  const std::vector<SearchedPart>& searched() const { return searched_; }
  /// Also those of pairs that a person accepted, packed as a << 32 | b.
  void know_values(const Rows& rows, std::span<const std::uint64_t> pairs);
  /// One value per part for two items, which must be copies of one another, or of the items of a match that was found or made known.
  std::vector<double> values_of(const Match& match) const;

 private:
  void choose_parts(const Rows& rows);
  void fold(const Rows& rows, SearchResult& found);
  void find_by(SearchedPart& searched, Rows& rows, const SearchResult& all);
  void note_contents(const Rows& own, std::span<const Row> common);
  void note_left_out(const Rows& own, const Stage& stage, const SearchResult& found, std::span<const Row> common, BucketNotes& all);
  void add_pairs(const SearchResult& own, std::span<const Row> common, const SearchResult& all, bool across, SearchedPart& searched,
                 std::uint64_t memory);
  void require_listable(std::uint64_t pairs, const ScorePart& part) const;
  void require_room(std::uint64_t pairs, std::uint64_t memory) const;
  Matches keep_scored(std::uint32_t& closest);

  const Score& score_;
  const ScoreOptions& options_;
  RunOptions run_;
  std::optional<ScoreInputs> inputs_;
  std::optional<ScoreParts> parts_;
  std::vector<SearchedPart> searched_;
  std::vector<std::uint64_t> contents_;  // of each row: a hash of what is in the fields that were searched
  std::vector<Row> representative_;      // of each row, as the search found them
  std::vector<std::uint64_t> pairs_;     // of rows by all fields, ascending; after the search those that are matches
  std::vector<double> values_;           // of each pair: one for each part
  std::map<std::uint64_t, std::vector<double>> known_;
  LeftOutOfScore left_out_;
};

}  // namespace nearkin

// The search over a collection that is in files: the same matches as `search` (search.h) finds in memory, stage by stage, each with a
// bounded share of memory and its results in files of the run's scratch folder. A unit of work is one file: what is there is not done
// again.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <nearkin/run.h>

#include "collect/collect.h"
#include "io/run_file/run_file.h"
#include "search/local_join.h"
#include "search/search.h"

namespace nearkin {

/// What the stages share. Memory that grows with the items: `order` and `rank` (where input order is not the order of keeping),
/// `representative`, `empty`: 5 or 13 bytes each.
struct SpillSearch {
  Collection& collection;
  const Plan& plan;
  const RunOptions& options;
  unsigned threads;
  std::uint64_t memory;                    ///< the run's bound
  std::vector<Row> order = {}, rank = {};  ///< as SearchResult::order and its inverse; both empty for input order
  std::vector<Row> representative = {};
  std::vector<std::uint8_t> empty = {};
  std::vector<std::shared_ptr<const RunFile>> matches = {};  ///< ascending, one file after the other
  std::uint64_t match_count = 0;
  std::vector<std::uint64_t> equal_across = {};  ///< measure exact: pairs of representatives of one content in two inputs

  std::size_t items() const { return representative.size(); }
  Row rank_of(Row row) const { return rank.empty() ? row : rank[row]; }
  Scratch& scratch() const { return *collection.scratch; }
  /// Bytes that a stage may take, when `held` bytes an item are in memory beside it.
  std::uint64_t share(std::uint64_t held) const;
};

/// Order of keeping and representatives of copies.
void fold_spilled(SpillSearch& search, const Keep& keep);

/// Measure exact between two collections: a match for each content that both have.
void match_equal_across(SpillSearch& search);

/// Pair files: of each band the pairs that share a bucket, packed as a << 32 | b with a < b, ascending in runs. Unit: a band.
enum PairSection : std::uint32_t { kSmallPairs = kFirstFreeSection, kLargePairs, kLargePlaces, kBandNotes };
void pair_bands(SpillSearch& search, std::span<const Row> members);

/// Candidate files: the pairs of all bands, each once, ascending, without those that their signatures rule out. Unit: a range of pairs.
enum CandidateSection : std::uint32_t { kCandidates = kFirstFreeSection, kCandidateNotes };
std::vector<std::shared_ptr<const RunFile>> test_candidates(SpillSearch& search);

/// Match files: the candidates that reach the threshold. Unit: a candidate file; before them, a stretch of rows whose shingle sets are
/// written.
enum MatchSection : std::uint32_t { kMatchPairs = kFirstFreeSection, kMatchShared, kMatchTotal, kMatchNotes };
/// Shingle sets of the candidates, read again from the input and compressed.
class SpilledSets;
void verify_candidates(SpillSearch& search, const std::vector<std::shared_ptr<const RunFile>>& candidates, SpilledSets& sets);

/// All of it.
void search_spilled(SpillSearch& search, const Keep& keep, SpilledSets& sets);

/// Rows to cut at, the first 0 and the last none: counts[i] belongs to the rows from i·width on, and no part has more than `most` where one
/// count is not more by itself.
std::vector<Row> cut_rows(std::span<const std::uint64_t> counts, std::uint64_t width, std::uint64_t most);

/// Calls use(Match) for every match, ascending.
void for_each_match(const SpillSearch& search, const std::function<void(const Match&)>& use);

/// Records of `size` bytes a row, in a section of every segment.
RowBytes fixed_rows(const SpillSearch& search, std::uint32_t section, std::size_t size);

}  // namespace nearkin

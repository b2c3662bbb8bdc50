// Candidates: pairs of items that share a bucket in at least one band.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <nearkin/plan.h>
#include <nearkin/stages.h>

#include "base/advance.h"
#include "base/row_set.h"
#include "match/meetings.h"
#include "match/pair_rule.h"

namespace nearkin {

/// What the search for candidates looks at. All spans are the caller's.
struct CandidateSearch {
  BandPlan plan;
  const std::uint32_t* keys = nullptr;  ///< plan.bands keys per item, item after item
  std::span<const Row> members;         ///< the items that take part, the one most worth keeping first
  std::size_t rows = 0;                 ///< number of rows of the collection; 0: up to the last member
  PairRule pairs = {};                  ///< the pairs that are searched for
  /// A signature test before anything is remembered: pairs with fewer than `least` equal bytes are dropped. 0: no test.
  const std::uint8_t* signatures = nullptr;  ///< signature_size bytes of each item
  std::uint32_t signature_size = 0;
  std::uint32_t least = 0;
  std::uint64_t most_pairs = UINT64_MAX;  ///< most pairs held at a time; throws TooManyCandidates above that
  Advance* advance = nullptr;             ///< is told how much of the search is done
};
struct TooManyCandidates {};

/// A bucket for reports.
struct BigBucket {
  std::uint64_t size = 0;
  std::uint32_t bands = 1;        ///< number of bands in which the same item is the first of a bucket
  std::vector<Row> members = {};  ///< the first of them, at most kNamed
  static constexpr std::size_t kNamed = 16;
};

struct CandidateResult {
  Pairs pairs;                  ///< ascending, each once
  std::uint64_t looked_at = 0;  ///< pairs met, before the signature test
  BucketNotes notes;
  TestedMeetings meetings;              ///< of large buckets; those that fail the signature test left out
  RowSet in_large{0};                   ///< the rows in large buckets; made for no rows if there is no large bucket
  std::vector<BigBucket> biggest = {};  ///< buckets of three or more items, the largest first; one per first item
  static constexpr std::size_t kBiggest = 10;
};

/// The rule for a bucket depends on that bucket only. Up to plan.large_bucket members: every pair. Above: each member with the first one;
/// and, for each group of members that also agree in one of up to four other bands, every pair if they are few, otherwise each with the
/// first of the group and with its neighbour. That is at most a few dozen pairs per member, however large the bucket is.
CandidateResult find_candidates(const CandidateSearch& search, unsigned threads);

}  // namespace nearkin

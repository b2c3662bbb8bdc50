// Candidates: pairs of items that share a bucket in at least one band.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <nearkin/plan.h>
#include <nearkin/stages.h>

#include "base/row_set.h"
#include "match/meetings.h"
#include "match/pair_rule.h"

namespace nearkin {

/// What the search for candidates looks at. All spans are the caller's.
struct CandidateSearch {
  BandPlan plan;
  const std::uint32_t* keys = nullptr;  ///< plan.bands of each item, item after item
  std::span<const Row> members;         ///< the items that take part, the one most worth keeping first
  std::size_t rows = 0;                 ///< of the collection, of which the members are some; 0: up to the last member
  PairRule pairs = {};                  ///< the pairs that are looked for
  /// A signature test before anything is remembered: pairs with fewer than `least` equal bytes are dropped. 0: no test.
  const std::uint8_t* signatures = nullptr;  ///< signature_size bytes of each item
  std::uint32_t signature_size = 0;
  std::uint32_t least = 0;
  std::uint64_t most_pairs = UINT64_MAX;  ///< that may be held at a time: more is TooManyCandidates
};
struct TooManyCandidates {};

/// A bucket as it may be told of.
struct BigBucket {
  std::uint64_t size = 0;
  std::uint32_t bands = 1;        ///< in which the same first item leads a bucket
  std::vector<Row> members = {};  ///< the first of them, at most kNamed
  static constexpr std::size_t kNamed = 16;
};

struct CandidateResult {
  Pairs pairs;                  ///< ascending, each once
  std::uint64_t looked_at = 0;  ///< pairs met, before the signature test
  BucketNotes notes;
  TestedMeetings meetings;              ///< of large buckets; those that fail the signature test left out
  RowSet in_large{0};                   ///< of `rows` rows, those in large buckets; of none where there is no large bucket
  std::vector<BigBucket> biggest = {};  ///< of three items and more, the largest first, one for each item that leads them
  static constexpr std::size_t kBiggest = 10;
};

/// The rule for a bucket looks at that bucket alone. Up to plan.large_bucket members: every pair. Above: pairs of every member with the
/// first; and, in each of up to four other bands, the members that agree there too: every pair where they are few, otherwise
/// each with the first of them and with its neighbour. That is at most a few dozen pairs for each member, however large the bucket.
CandidateResult find_candidates(const CandidateSearch& search, unsigned threads);

}  // namespace nearkin

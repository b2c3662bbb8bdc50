// Candidates for containment from MinHash sketches: LSH Ensemble (Zhu, Nargesian, Pu, Miller 2016), with classes of sizes that are
// fixed, so that whether a pair is met depends on its two items and on the buckets they share, not on the rest of the collection.
#pragma once

#include <cstdint>
#include <span>

#include <nearkin/plan.h>
#include <nearkin/stages.h>

namespace nearkin {

/// What is looked for, and in what. All spans are the caller's.
struct ContainmentSearch {
  const std::uint32_t* slots = nullptr;  ///< `hashes` of each row, row after row; P[equal] = Jaccard
  std::uint32_t hashes = 0;
  std::span<const std::uint32_t> sizes;  ///< of each row the size of its set; 0: EMPTY, never a candidate
  std::span<const Row> members;          ///< the rows that take part, in any order
  Row split = 0;                         ///< ≠ 0: only pairs a < split ≤ b
  Ratio threshold;
  double recall = 0.95;                   ///< for pairs exactly at the threshold
  std::uint32_t large_bucket = 128;       ///< in a bucket an item meets at most so many others
  std::uint64_t most_pairs = UINT64_MAX;  ///< that may be held at a time: more is TooManyCandidates (candidates.h)
};

struct ContainmentCandidates {
  Pairs pairs;                  ///< directed: of a, enough may stand in b. Ascending, each once; a may be the greater row
  std::uint64_t looked_at = 0;  ///< meetings in buckets; a pair meets once in each bucket it shares
  /// With at least this probability a pair at the threshold shares a bucket, whatever the sizes of its sets; 1 where no two members can
  /// reach the threshold. Lower than the goal where containers are so much larger that all hashes are not enough. It does not
  /// count what large buckets leave out.
  double least_recall = 1;
  BucketNotes notes;  ///< not_compared: meetings left out, each pair counted once in each bucket
};

/// Pairs (a, b) whose sketches agree in a band, and in slots enough; how many of each is decided by the classes of |A| and |B|
/// (containment_bands).
/// In a bucket with more than large_bucket possible containers of A, A meets large_bucket of them, one after the other in order of size
/// from a place that A's row and the band decide.
/// Memory: for each member 4 bytes and up to 136 a thread, and 8 bytes for each candidate and group of 16 bands in which it is met (while
/// a group is worked on: twice 8 for each of its meetings).
ContainmentCandidates containment_candidates(const ContainmentSearch& search, unsigned threads);

/// The least Jaccard similarity of sets of at least `a` and at most `b` elements when so much of the first stands in the second:
/// t·a / (a + b − t·a). It falls as b grows and as a shrinks.
double least_jaccard(std::uint64_t a, std::uint64_t b, Ratio threshold);

/// How items of two classes of sizes meet.
struct ContainmentBands {
  std::uint32_t bands = 0, rows = 0;
  std::uint32_t least_equal = 0;  ///< pairs with fewer equal slots are dropped; one at the threshold has fewer with a chance of 1e-6
};

/// The most rows with which `hashes` slots reach the recall for the least Jaccard similarity of the sizes' classes; one row and all hashes
/// where nothing reaches it. found_probability of a pair's Jaccard similarity in these bands is the probability that it is a candidate.
ContainmentBands containment_bands(std::uint64_t size_a, std::uint64_t size_b, Ratio threshold, double recall, std::uint32_t hashes);

}  // namespace nearkin

// The stages of a search, one function each, over flat arrays: Items → Features → Sketches → Pairs → Matches → Clusters. Each stage can be
// run, inspected, timed or moved to another machine by itself. Everything here is in memory; run.h has whole runs, which are faster and
// need less memory. `threads`: 0 = one per core; results do not depend on it. All functions throw Error(plan) if the arrays of an argument
// do not fit together or a row does not exist.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nearkin/items.h>
#include <nearkin/plan.h>

namespace nearkin {

/// The shingles of each item as 64-bit hashes, ascending and distinct. In a bag, each further occurrence of a shingle has a hash of its
/// own, so set operations on the hashes are bag operations on the shingles.
struct Features {
  std::vector<std::uint64_t> hashes;  ///< of all items, one after the other
  std::vector<std::uint64_t> ends;    ///< item i owns hashes[ends[i-1] .. ends[i]); one per item, ascending

  std::size_t size() const { return ends.size(); }
  /// The hashes of item i, which is not checked.
  std::span<const std::uint64_t> operator[](std::size_t i) const {
    const std::uint64_t begin = i == 0 ? 0 : ends[i - 1];
    return {hashes.data() + begin, static_cast<std::size_t>(ends[i] - begin)};
  }
};

/// Cuts texts into shingles. A text without a single token has no features: it is EMPTY, and similar to nothing.
Features shingle(const Items& items, const ShinglePlan& plan);
Features shingle(std::span<const std::string_view> texts, const ShinglePlan& plan);

/// `hashes` slots of 32 bits per item.
struct Sketches {
  std::uint32_t hashes = 0;
  std::vector<std::uint32_t> slots;  ///< size() × hashes; those of EMPTY items are 0 and mean nothing
  std::vector<std::uint8_t> empty;   ///< one per item: 1 if it is EMPTY

  std::size_t size() const { return empty.size(); }
  /// The slots of item i, which is not checked.
  std::span<const std::uint32_t> operator[](std::size_t i) const { return {slots.data() + i * hashes, hashes}; }
};

/// Bucketed MinHash (docs/theory.md). A slot of A and the same slot of B are equal with probability Jaccard(A, B). Later versions will give
/// the same values.
Sketches sketch(const Features& features, const SketchPlan& plan);

/// The share of equal slots in two sketches, an unbiased estimate of the similarity. Both must have the same number of slots.
double estimate(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b);

struct Pair {
  Row a, b;  ///< a < b
  auto operator<=>(const Pair&) const = default;
};
using Pairs = std::vector<Pair>;

/// What `candidates` found out about buckets.
struct BucketNotes {
  std::uint64_t large = 0;         ///< buckets with more than BandPlan::large_bucket items
  std::uint64_t largest = 0;       ///< items in the largest bucket
  std::uint64_t not_compared = 0;  ///< pairs in large buckets that were left out
};

/// The pairs that share a bucket in at least one band, each once, ascending. EMPTY items share no bucket. bands × rows must not exceed the
/// slots of a sketch.
Pairs candidates(const Sketches& sketches, const BandPlan& plan, BucketNotes* notes = nullptr, unsigned threads = 1);

/// A pair with its similarity: shared / total for sets, `value` for vectors.
struct Match {
  Row a, b;              ///< a < b; under containment, b contains this share of a
  std::uint32_t shared;  ///< |A∩B|, or equal slots if estimated; 1 for copies; 0 for vectors and where nothing was verified
  std::uint32_t total;  ///< |A∪B| (containment: |A|), or all slots if estimated; 1 for copies; 0 for vectors and where nothing was verified
  double value = 0;     ///< vectors: similarity or distance
  double similarity() const { return total == 0 ? value : static_cast<double>(shared) / static_cast<double>(total); }
  bool operator==(const Match&) const = default;
};
using Matches = std::vector<Match>;

/// The similarity or the distance of a match. Two rows of a table are sets of one element per column, so under hamming they differ in half
/// of what they do not share.
inline double measured(const Match& match, Measure measure) {
  if (match.total == 0 || !is_distance(measure)) return match.similarity();
  return static_cast<double>(match.total - match.shared) / 2;
}
/// The similarity with six decimals: "0.8", "0.833333". It is cut, not rounded, so nothing below a threshold reads as if it reached it.
std::string similarity_text(const Match& match);
/// The similarity, or the distance. A distance is rounded up, so nothing outside a radius reads as if it were inside.
std::string measured_text(const Match& match, Measure measure);

/// The pairs at or above the threshold, each with its exact similarity, in the order given.
Matches verify(const Pairs& pairs, const Features& features, Ratio threshold, unsigned threads = 1);

/// Every pair at or above the threshold, ascending. Compares exactly (prefix-filter join), without sketches.
Matches exact_join(const Features& features, Ratio threshold, unsigned threads = 1);

/// How matches become clusters.
enum class Linkage {
  connected,  ///< items joined by a chain of matches are one cluster
  star,       ///< every member of a cluster matches its keeper
};

struct Clusters {
  std::vector<std::uint32_t> cluster;  ///< for each item the number of its cluster; clusters are numbered from 0 by their first members
  std::vector<Row> keeper;             ///< for each cluster the item that stays
  std::size_t size() const { return keeper.size(); }
};

/// Groups items 0 to items − 1. `order` lists every row once, the one most worth keeping first; empty = input order.
/// `directed`: the matches are containments; a star then takes only items that are contained in its keeper.
Clusters cluster(const Matches& matches, std::size_t items, Linkage linkage = Linkage::connected, std::span<const Row> order = {},
                 bool directed = false);

}  // namespace nearkin

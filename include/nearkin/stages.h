// The stages, one free function each, over plain values of flat arrays:
// Items → Features → Sketches → Pairs → Matches → Clusters. Each can be run, looked at, timed or moved to another machine alone.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <nearkin/items.h>
#include <nearkin/plan.h>

namespace nearkin {

/// The shingles of each item as 64-bit hashes, ascending and distinct. In a bag the second, third … occurrence of a shingle counts as
/// a shingle of its own, so that set operations on the hashes are bag operations on the shingles.
struct Features {
  std::vector<std::uint64_t> hashes;
  std::vector<std::uint64_t> ends;  ///< item i owns hashes[ends[i-1] .. ends[i])

  std::size_t size() const { return ends.size(); }
  std::span<const std::uint64_t> operator[](std::size_t i) const {
    const std::uint64_t begin = i == 0 ? 0 : ends[i - 1];
    return {hashes.data() + begin, static_cast<std::size_t>(ends[i] - begin)};
  }
};

/// Items without a single unit have no features: they are EMPTY, and never similar to anything.
Features shingle(const Items& items, const ShinglePlan& plan);
Features shingle(std::span<const std::string_view> texts, const ShinglePlan& plan);

/// The shingles of one text as they stand in it, in order of appearance, repeated ones repeated: for showing, not for speed.
struct ShingleSpans {
  std::string normalised;  ///< the text as the shingler saw it
  struct Span {
    std::uint64_t hash;
    std::uint32_t begin, end;  ///< bytes of `normalised`
    std::uint64_t feature;     ///< what Features has of it: the hash, in a bag another for the second, third … occurrence
  };
  std::vector<Span> spans;
};
ShingleSpans shingle_spans(std::string_view text, const ShinglePlan& plan);

/// `hashes` slots of 32 bits for each item; the slots of EMPTY items are all zero and mean nothing.
struct Sketches {
  std::uint32_t hashes = 0;
  std::vector<std::uint32_t> slots;
  std::vector<std::uint8_t> empty;  ///< 1 for EMPTY items

  std::size_t size() const { return empty.size(); }
  std::span<const std::uint32_t> operator[](std::size_t i) const { return {slots.data() + i * hashes, hashes}; }
};

/// Bucketed MinHash (docs/theory.md). P[slot of A == slot of B] = Jaccard(A, B). The values are frozen by test vectors.
Sketches sketch(const Features& features, const SketchPlan& plan);

/// Where a slot of a sketch comes from.
struct SlotOrigin {
  std::uint64_t element;  ///< the shingle that gave the slot its value
  /// Counted from 0, how often all elements had been thrown before one fell into the slot; absent: none ever did, and the element is the
  /// least of all by the slot's own hash function.
  std::optional<std::uint32_t> round;
};
/// Of each slot of the sketch of `elements`, which are one at least: for showing, not for speed.
std::vector<SlotOrigin> slot_origins(std::span<const std::uint64_t> elements, const SketchPlan& plan);

/// Share of equal slots: the unbiased estimate of the similarity.
double estimate(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b);

/// The bucket of a sketch in each band. Two items share a bucket where these agree. Throws Error(plan) where the bands need more slots.
std::vector<std::uint32_t> band_keys(std::span<const std::uint32_t> slots, const BandPlan& plan);

/// A byte a slot. Two items of one similarity agree in more bytes than in slots, by chance alone.
std::vector<std::uint8_t> signature(std::span<const std::uint32_t> slots);
/// The equal bytes that two signatures must have for their pair to be verified: a pair at the threshold has them with probability
/// 1 − 10⁻⁶. 0: the plan has no such test.
std::uint32_t least_equal_bytes(const Plan& plan);

/// Equal for items that are certain to have similarity 1: the same shingles, each as often; under measure exact the same normalised text.
struct Content {
  std::uint64_t low = 0, high = 0;
  auto operator<=>(const Content&) const = default;
};

/// All that a search for pairs needs of texts or sets, so that it can be made elsewhere: copies are folded by their contents, items meet in
/// buckets by their keys, candidates are looked at by their signatures.
struct Descriptions {
  std::vector<std::uint8_t> empty;  ///< 1 for EMPTY items
  std::vector<Content> contents;
  std::vector<std::uint32_t> keys;       ///< plan.band.bands an item, as band_keys
  std::vector<std::uint8_t> signatures;  ///< plan.sketch.hashes an item
};
/// Plans of shingles with bands, and measure exact, which has contents alone. Throws Error(plan) for others.
Descriptions describe(std::span<const std::string_view> texts, const Plan& plan);

struct Pair {
  Row a, b;  ///< a < b
  auto operator<=>(const Pair&) const = default;
};
using Pairs = std::vector<Pair>;

/// What the candidate stage met, beside its pairs.
struct BucketNotes {
  std::uint64_t large = 0;         ///< buckets over BandPlan::large_bucket
  std::uint64_t largest = 0;       ///< items of the largest bucket
  std::uint64_t not_compared = 0;  ///< pairs that shared a large bucket and were left out by its linear rule
};

/// The rule for buckets over BandPlan::large_bucket (docs/architecture.md, large buckets), for searches that are made elsewhere.
struct LargeBucketRule {
  static constexpr std::uint32_t kOtherBands = 4;  ///< bands that split the bucket: this many that follow its own, the first after the last
  static constexpr std::uint32_t kFew = 8;         ///< every pair of up to this many members that agree in such a band is taken
};

/// Pairs that share a bucket in at least one band, each once, ascending. EMPTY items share no bucket.
Pairs candidates(const Sketches& sketches, const BandPlan& plan, BucketNotes* notes = nullptr, unsigned threads = 1);

/// A pair with its similarity: a fraction of counts, shared / total, or for vectors a number.
struct Match {
  Row a, b;              ///< a < b, but for containment: of a, so much stands in b
  std::uint32_t shared;  ///< |A∩B|; equal slots where only estimated; 0 where not verified and for vectors; 1 for copies
  std::uint32_t total;   ///< |A∪B|; |A| for containment; slots where only estimated; 0 where not verified and for vectors; 1 for copies
  double value = 0;      ///< vectors: the similarity or the distance
  double similarity() const { return total == 0 ? value : static_cast<double>(shared) / static_cast<double>(total); }
  bool operator==(const Match&) const = default;
};
using Matches = std::vector<Match>;

/// The similarity or the distance of a match. Rows of a table are sets of one answer a column: they differ in half of what they do not
/// share.
inline double measured(const Match& match, Measure measure) {
  if (match.total == 0 || !is_distance(measure)) return match.similarity();
  return static_cast<double>(match.total - match.shared) / 2;
}

/// The pairs at or above the threshold with their exact similarity, in the order given.
Matches verify(const Pairs& pairs, const Features& features, Ratio threshold, unsigned threads = 1);

/// Every pair at or above the threshold: an exact all-pairs join by prefix filter. Ascending.
Matches exact_join(const Features& features, Ratio threshold, unsigned threads = 1);

/// How matches become groups.
enum class Linkage {
  connected,  ///< connected components of the matches
  star,       ///< every member reaches the threshold with the group's keeper
};
Linkage parse_linkage(std::string_view text, const std::string& subject = "linkage");
std::string_view name(Linkage linkage);

struct Clusters {
  std::vector<std::uint32_t> cluster;  ///< for each item the number of its cluster, counted from 0 in order of first members
  std::vector<Row> keeper;             ///< for each cluster the item that stays
  std::size_t size() const { return keeper.size(); }
};

/// Groups `items` items. `order` lists all rows, the one most worth keeping first (empty: input order).
/// The result is a function of the set of matches and the order alone.
/// `directed`: the matches are containments, and in a star only items that stand in the keeper belong to it.
Clusters cluster(const Matches& matches, std::size_t items, Linkage linkage = Linkage::connected, std::span<const Row> order = {},
                 bool directed = false);

}  // namespace nearkin

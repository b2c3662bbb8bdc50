// Candidates for containment from MinHash sketches: LSH Ensemble (Zhu, Nargesian, Pu, Miller 2016), with classes of sizes that are
// fixed, so that whether a pair is met depends on its two items and on the buckets they share, not on the rest of the collection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <nearkin/plan.h>
#include <nearkin/stages.h>

#include "match/row_bytes.h"

namespace nearkin {

/// What is looked for, and in what. All spans are the caller's.
struct ContainmentSearch {
  RowBytes slots;  ///< sketches: `hashes` slots of 32 bits of each row, in memory or in files; P[equal] = Jaccard
  std::uint32_t hashes = 0;
  std::span<const std::uint32_t> sizes;  ///< of each row the size of its set; 0: EMPTY, never a candidate
  std::span<const Row> members;          ///< the rows that take part, in any order
  Row split = 0;                         ///< ≠ 0: only pairs a < split ≤ b
  Ratio threshold;
  double recall = 0.95;              ///< for pairs exactly at the threshold
  std::uint32_t large_bucket = 128;  ///< in a bucket an item meets at most so many others
  std::uint32_t bands_at_once = 16;  ///< whose keys are made in one pass over the sketches
};

/// How items of two classes of sizes meet.
struct ContainmentBands {
  std::uint32_t bands = 0, rows = 0;
  std::uint32_t least_equal = 0;  ///< pairs with fewer equal slots are dropped; one at the threshold has fewer with a chance of 1e-6
};

/// The tables in which sets meet others that may contain them, in groups of bands. The search must outlive them.
/// In a bucket with more than large_bucket possible containers of A, A meets large_bucket of them, one after the other in order of size
/// from a place that A's row and the band decide. Memory: 8 bytes for each row, and while a group is scanned 12 for each member and 8 more
/// for each member and band at once.
class ContainmentTables {
 public:
  explicit ContainmentTables(const ContainmentSearch& search);
  std::size_t groups() const { return groups_.size(); }
  /// Calls meet(a, b) whenever a meets a possible container b in a bucket of the group's bands. Many threads may scan, a group each.
  BucketNotes scan(std::size_t group, const std::function<void(Row a, Row b)>& meet) const;
  /// The equal slots that a pair must have to be a candidate.
  std::uint32_t least_equal(Row a, Row b) const { return plan_of(class_at(a), class_at(b)).least_equal; }
  double least_recall() const { return least_recall_; }

 private:
  // The members of one class of sizes; they are neighbours in the order of sizes.
  struct SizeClass {
    std::uint32_t number = 0;
    std::uint32_t begin = 0, end = 0;             // places
    std::uint64_t contained = 0, containers = 0;  // members that may be a, and b, of a pair
  };
  struct Places {
    std::uint32_t begin = 0, end = 0;
  };
  // Bands first .. first + count − 1 of `rows` rows.
  struct BandGroup {
    std::uint32_t rows = 0, first = 0, count = 0;
  };
  using Meet = std::function<void(Row a, Row b)>;

  std::uint32_t size(Row row) const { return search_.sizes[row]; }
  std::size_t class_at(Row row) const;
  const ContainmentBands& plan_of(std::size_t a, std::size_t b) const { return plans_[a * classes_.size() + b]; }
  bool may_be_contained(Row row) const { return search_.split == 0 || row < search_.split; }
  bool may_contain(Row row) const { return row >= search_.split; }
  void make_classes();
  bool can_match(const SizeClass& a, const SizeClass& b) const;
  void make_plans();
  void make_groups();
  std::vector<Row> rows_in(const BandGroup& group) const;
  std::vector<std::vector<std::uint64_t>> tables_of(const BandGroup& group) const;
  std::vector<Places> reach_in(std::uint32_t rows, std::uint32_t band) const;
  std::vector<bool> classes_in(std::span<const Places> reach) const;
  Places reach_of(std::uint32_t place, std::span<const Places> reach) const;
  void scan_table(std::span<const std::uint64_t> records, std::uint32_t rows, std::uint32_t band, const Meet& meet,
                  BucketNotes& notes) const;
  void meet_others(std::uint32_t place, Places reach, std::span<const std::uint32_t> containers, std::uint64_t table, const Meet& meet,
                   BucketNotes& notes) const;

  const ContainmentSearch& search_;
  std::vector<Row> order_;            // smallest set first, then by row
  std::vector<std::uint32_t> place_;  // of each member in order_
  std::vector<SizeClass> classes_;
  std::vector<std::size_t> at_;          // of each class number its place in classes_
  std::vector<ContainmentBands> plans_;  // of two classes; no bands where no pair can reach the threshold
  std::vector<BandGroup> groups_;
  double least_recall_ = 1;
};

/// Two sketches have at least so many equal slots.
bool agree_enough(std::span<const std::byte> a, std::span<const std::byte> b, std::uint32_t least);

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
/// Throws TooManyCandidates (candidates.h) where more than `most_pairs` would be held at a time. The slots must be in memory.
/// Memory: that of the tables for each thread, and 8 bytes for each candidate and group of bands in which it is met (while a group is
/// worked on: twice 8 for each of its meetings).
ContainmentCandidates containment_candidates(const ContainmentSearch& search, std::uint64_t most_pairs, unsigned threads);

/// The least Jaccard similarity of sets of at least `a` and at most `b` elements when so much of the first stands in the second:
/// t·a / (a + b − t·a). It falls as b grows and as a shrinks.
double least_jaccard(std::uint64_t a, std::uint64_t b, Ratio threshold);

/// The most rows with which `hashes` slots reach the recall for the least Jaccard similarity of the sizes' classes; one row and all hashes
/// where nothing reaches it. found_probability of a pair's Jaccard similarity in these bands is the probability that it is a candidate.
ContainmentBands containment_bands(std::uint64_t size_a, std::uint64_t size_b, Ratio threshold, double recall, std::uint32_t hashes);

}  // namespace nearkin

// Space: vectors and a measure. How near two of them are, and whether that is near enough.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nearkin/plan.h>
#include <nearkin/stages.h>
#include <nearkin/vectors.h>

#include "match/join_sink.h"
#include "match/verify.h"

namespace nearkin {

/// Numbers of each vector that measures need again and again, computed once.
struct Norms {
  std::vector<double> values;  ///< cosine: Σx²; weighted Jaccard: Σx; else empty
};
Norms norms_of(const Vectors& vectors, Measure measure);
/// The one of item i; 0 where the measure needs none.
double norm_of(const Vectors& vectors, std::size_t i, Measure measure);

/// What is near enough, decided the same way everywhere. A tie is inside: similarity ≥ threshold − 1e-12, distance ≤ radius·(1 + 1e-12), so
/// the rounding of a sum does not decide; Hamming distances are whole numbers and decided exactly.
class Border {
 public:
  /// `dimensions`: for a Hamming radius given as a share (radius < 1): at most ⌊share·dimensions⌋ places.
  Border(const Plan& plan, std::uint32_t dimensions);
  bool inside(double value) const { return distance_ ? value <= limit_ : value >= limit_; }
  double limit() const { return limit_; }
  /// The nearer of a value outside and the nearest so far (0: none).
  double closer(double outside, double so_far) const {
    return distance_ && so_far != 0 ? std::min(outside, so_far) : std::max(outside, so_far);
  }

 private:
  bool distance_;
  double limit_;
};

/// Values between vectors of `a` and of `b` (which may be the same object). All sums run in one fixed order (kernel.h; sparse ones by
/// ascending index), so value(a, b) and value(b, a) are the same bits. Both must outlive the space. A vector without length has cosine and
/// weighted Jaccard similarity 0 to any. Throws Error(data) for vectors that the measure does not compare with each other.
class Space {
 public:
  Space(const Vectors& a, const Vectors& b, Measure measure);
  /// For one query against many items: value(row, j) for this row of `a` alone. `norms_b` is norms_of(b, measure) and must outlive the
  /// space; of `a`, only this row is read.
  Space(const Vectors& a, std::size_t row, const Vectors& b, const Norms& norms_b, Measure measure);
  Space(Space&&) = default;
  Space(const Space&) = delete;
  double value(std::size_t i, std::size_t j) const { return compute_(*this, i, j); }
  /// values[k] = value(i, rows[k]), faster than one by one.
  void values(std::size_t i, std::span<const Row> rows, std::span<double> values) const;

 private:
  struct Values;
  using Compute = double (*)(const Space&, std::size_t, std::size_t);
  static Compute compute_for(const Vectors& a, const Vectors& b, Measure measure);
  double norm_a(std::size_t i) const { return norms_a_[i - first_a_]; }

  void dense_values(std::size_t i, std::span<const Row> rows, std::span<double> values) const;

  const Vectors& a_;
  const Vectors& b_;
  Measure measure_;
  Compute compute_;
  Norms own_a_, own_b_;
  std::size_t first_a_ = 0;  // the row of norms_a_[0]
  const double* norms_a_;
  const double* norms_b_;
};

/// value(x) is better than value(y): more similar, or nearer.
inline bool better(Measure measure, double x, double y) { return is_distance(measure) ? x < y : x > y; }

/// Decides each pair; matches carry Match::value. closest_below: the best value of those outside (0: none).
VerifyResult verify_vectors(const Pairs& pairs, const Vectors& vectors, const Plan& plan, unsigned threads, Advance* advance = nullptr);

using VectorJoinResult = JoinResult;  ///< looked_at: values computed
/// Every pair of `members` (any order, EMPTY ones left out) inside the border goes to `emit`; with `split` only pairs across it. Sparse
/// cosine and weighted Jaccard: by an inverted index. Other numbers: all pairs that their norms do not rule out. Bits: by pigeonhole over
/// blocks where that beats looking at all pairs, otherwise all pairs in blocks that stay in the cache. Memory beside the vectors: 8 to 50
/// bytes per member and thread, for an index 28 bytes per number; it does not depend on the matches.
JoinNotes join_vectors(const Vectors& vectors, std::span<const Row> members, Row split, const Plan& plan, unsigned threads,
                       const MatchSink& emit, const SkipPair& skip = {}, Advance* advance = nullptr);
/// The same with all matches as a list, ascending.
VectorJoinResult join_vectors(const Vectors& vectors, std::span<const Row> members, Row split, const Plan& plan, unsigned threads);

}  // namespace nearkin

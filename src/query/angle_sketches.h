// Angle sketches: sign bits of vectors, used to skip most items that are too far away without computing their distance.
#pragma once

#include <nearkin/query.h>

#include "family/family.h"
#include "match/angle_filter.h"

namespace nearkin {

/// For each item kBits hyperplane bits (seeded apart from the plan's tables), and for Euclidean distance its length. For Euclidean
/// distance, dense vectors are first centred by the mean of the collection. This does not change distances but widens the angles.
class AngleSketches {
 public:
  static constexpr std::uint32_t kBits = 512;
  static constexpr std::size_t kWords = kBits / 64;

  /// Whether the measure follows from angles (and lengths), and comparing bits is cheap enough compared with comparing the vectors.
  static bool worth(const Vectors& vectors, Measure measure);

  /// `miss`: the probability with which an item that is near enough may be passed over.
  AngleSketches(const Vectors& vectors, const Plan& plan, double miss, unsigned threads);

 private:
  friend class AngleSieve;
  AnyVectorHasher hasher(Vectors::Kind kind, std::uint32_t dimensions) const;
  /// Rows [begin, end) as they are hashed.
  void centre(const Vectors& vectors, std::size_t begin, std::size_t end, Vectors& centred) const;
  void sketch_rows(const Vectors& vectors, std::size_t begin, std::size_t end, AnyVectorHasher& hasher, std::vector<std::uint32_t>& slots,
                   std::uint64_t* words) const;

  Measure measure_;
  std::uint64_t seed_;
  AngleFilter filter_;
  std::vector<double> mean_;          // dense Euclidean; else empty
  std::vector<std::uint64_t> words_;  // kWords per item
  std::vector<double> lengths_;       // Euclidean: of the centred items
};

/// One per thread, aimed at one query after the other.
class AngleSieve {
 public:
  explicit AngleSieve(const AngleSketches& sketches) : sketches_(sketches) {}
  void aim(const Vectors& queries, Row row);

  /// Removes from `rows` those that can be skipped. An item as near as `bar`, or nearer, is removed with probability at most `miss`.
  /// Cosine: such an item has a cosine of at least `bar`. Euclidean: |x|² + |q|² − 2·|x|·|q|·cos θ ≤ bar², hence cos θ ≥ (|x|² + |q|² −
  /// bar²) / (2·|x|·|q|). AngleFilter says which cosines the bits rule out.
  void sift(std::vector<Row>& rows, double bar);

 private:
  void count_different(const std::vector<Row>& rows);

  const AngleSketches& sketches_;
  std::optional<AnyVectorHasher> hasher_;
  Vectors centred_;
  std::vector<std::uint32_t> slots_, different_;
  std::vector<std::uint64_t> gathered_;
  std::uint64_t words_[AngleSketches::kWords] = {};
  double length_ = 0;
};

}  // namespace nearkin

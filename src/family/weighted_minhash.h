// Weighted MinHash for real weights: consistent sampling by darts, after DartMinHash (Christiani 2020).
#pragma once

#include <nearkin/plan.h>
#include <nearkin/vectors.h>

namespace nearkin {

/// P[slot of x == slot of y] = Σmin(x,y) / Σmax(x,y), for every slot. One for each thread; it owns the scratch.
///
/// Every index owns a quarter-plane weight × rank on which darts lie, a Poisson process of one dart per unit of area, each of a slot chosen
/// at random. The slot of x is the dart of least rank among those at a weight below x of its index. So the slots of x and y agree
/// exactly when the lowest dart below max(x,y) lies below min(x,y). Darts are functions of seed and index alone; only those of low rank
/// are looked at.
class WeightedMinHasher {
 public:
  /// Sparse vectors, or dense ones, of which zeros are skipped. Throws Error(plan) for bits.
  WeightedMinHasher(const SketchPlan& plan, Vectors::Kind kind, std::uint32_t dimensions);

  /// plan.hashes slots of 32 bits. Weights must be finite; those that are not above 0 count as 0. Without any weight all slots are 0.
  void sketch(const Vectors& vectors, std::size_t i, std::uint32_t* slots);

 private:
  // An index and its weight 2^row·(1 + above/2^32).
  struct Weight {
    std::uint64_t key;
    std::uint64_t above;
    int row;
  };
  // Ranks from 2^begin to 2^end, in rows where they have an area of at least 2^least_area.
  struct Reach {
    int begin, end;
    int least_area;
  };
  // The weights from 2^row to 2^row·(1 + above/2^32), and ranks of the layers [begin, end).
  struct Strip {
    int row;
    int begin, end;
    std::uint64_t above;
  };
  struct Dart {
    std::uint64_t seed;
    std::uint64_t rank;   // the high bits; the lower ones are drawn
    std::uint64_t above;  // weight within its strip: the dart counts if it lies below the item's weight
    int drawn;            // how many are drawn
  };
  struct Best {
    std::uint64_t rank;
    std::uint32_t dart;
  };

  void keep_weights(const Vectors& vectors, std::size_t i);
  Reach first_reach() const;
  void throw_darts(const Reach& reach);
  void throw_strip(std::uint64_t key, std::uint32_t gate, const Strip& strip);
  void throw_low_layers(std::uint64_t key, std::uint32_t gate, const Strip& strip);
  void add_darts(std::uint64_t cell, std::uint64_t rank, int drawn, std::uint64_t above, std::uint32_t count);
  void settle_slots();

  std::uint32_t hashes_;
  std::uint64_t key_;
  std::vector<Weight> weights_;
  std::vector<Dart> darts_;
  std::size_t dart_count_ = 0;  // of darts_, which has room to spare
  std::vector<Best> best_;      // of each slot
};

}  // namespace nearkin

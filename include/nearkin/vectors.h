// Vectors: items that are numbers or bits, in flat arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nearkin/items.h>
#include <nearkin/plan.h>
#include <nearkin/stages.h>

namespace nearkin {

/// One sparse vector: indices ascending and distinct, values finite and not zero.
struct SparseView {
  std::span<const std::uint64_t> indices;
  std::span<const double> values;
};

/// Vectors of one kind, in flat arrays. Dense vectors and bit strings all have the same length. Numbers must be finite. Every function that
/// takes Vectors throws Error(plan) where the arrays do not have the sizes given here.
struct Vectors {
  enum class Kind : std::uint8_t { dense, sparse, bits };
  Kind kind = Kind::dense;
  std::uint32_t dimensions = 0;             ///< dense: numbers per item; bits: bits per item; sparse: 0
  std::size_t count = 0;                    ///< number of items
  std::vector<float> numbers = {};          ///< dense: count × dimensions
  std::vector<std::uint64_t> words = {};    ///< bits: count × word_count(); bit i is bit i % 64 of word i / 64, unused bits are 0
  std::vector<std::uint64_t> indices = {};  ///< sparse: of all items, one after the other
  std::vector<double> values = {};          ///< sparse: one per index
  std::vector<std::uint64_t> ends = {};     ///< sparse: item i owns indices and values [ends[i-1], ends[i]); `count` numbers, ascending

  std::size_t size() const { return count; }
  std::size_t word_count() const { return (std::size_t{dimensions} + 63) / 64; }  ///< words per bit string
  // Item i, which is not checked.
  std::span<const float> dense(std::size_t i) const { return {numbers.data() + i * dimensions, dimensions}; }
  std::span<const std::uint64_t> bits(std::size_t i) const { return {words.data() + i * word_count(), word_count()}; }
  SparseView sparse(std::size_t i) const {
    const std::uint64_t begin = i == 0 ? 0 : ends[i - 1];
    const auto length = static_cast<std::size_t>(ends[i] - begin);
    return {{indices.data() + begin, length}, {values.data() + begin, length}};
  }
};

struct VectorItems {
  Strings ids;
  Vectors vectors;
};

/// All items of an input of format sparse, dense or bits. A vector whose length differs from the first one's, a number that is not finite
/// and a repeated index are faults; read_items says how faults are handled and what is thrown.
VectorItems read_vectors(const Input& input, Faults* faults = nullptr);

/// The vectors as the plan compares them: made binary if the plan says so, their length checked against the plan's. Call it before the
/// functions below. Throws Error(data) for vectors that the measure does not compare, Error(plan) for a length that is not the plan's.
Vectors prepare(Vectors vectors, const Plan& plan);

/// True for vectors that are EMPTY, which are similar to nothing: those of zeros under cosine and weighted Jaccard.
bool is_empty(const Vectors& vectors, std::size_t i, Measure measure);
/// Similarity or distance of vector i of `a` and vector j of `b`, which must be of the same kind and length (else Error(data)).
double value_between(const Vectors& a, std::size_t i, const Vectors& b, std::size_t j, Measure measure);

// The stages (stages.h) for vectors. `threads`: 0 = one per core; the result does not depend on it.

/// plan.sketch.hashes slots per vector, by the plan's family.
Sketches sketch(const Vectors& vectors, const Plan& plan, unsigned threads = 1);
/// The pairs within the plan's threshold or radius, each with its exact similarity or distance (Match::value), in the order given.
Matches verify(const Pairs& pairs, const Vectors& vectors, const Plan& plan, unsigned threads = 1);
/// Every pair within the plan's threshold or radius, ascending. Compares exactly; the plan needs no sketch.
Matches exact_join(const Vectors& vectors, const Plan& plan, unsigned threads = 1);

}  // namespace nearkin

// Vectors: items that are numbers or bits, in flat arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
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

/// Vectors of one kind; dense ones and bits all of one length.
struct Vectors {
  enum class Kind : std::uint8_t { dense, sparse, bits };
  Kind kind = Kind::dense;
  std::uint32_t dimensions = 0;             ///< dense: numbers an item; bits: bits an item; sparse: 0
  std::size_t count = 0;                    ///< items
  std::vector<float> numbers = {};          ///< dense: `dimensions` an item
  std::vector<std::uint64_t> words = {};    ///< bits: words() an item; bit i is bit i % 64 of word i / 64, the rest of the last word is 0
  std::vector<std::uint64_t> indices = {};  ///< sparse
  std::vector<double> values = {};          ///< sparse
  std::vector<std::uint64_t> ends = {};     ///< sparse: item i owns [ends[i-1], ends[i])

  std::size_t size() const { return count; }
  std::size_t word_count() const { return (std::size_t{dimensions} + 63) / 64; }
  std::span<const float> dense(std::size_t i) const { return {numbers.data() + i * dimensions, dimensions}; }
  std::span<const std::uint64_t> bits(std::size_t i) const { return {words.data() + i * word_count(), word_count()}; }
  SparseView sparse(std::size_t i) const {
    const std::uint64_t begin = i == 0 ? 0 : ends[i - 1];
    const auto length = static_cast<std::size_t>(ends[i] - begin);
    return {{indices.data() + begin, length}, {values.data() + begin, length}};
  }
};

/// "dense vectors", "sparse vectors", "bits"
constexpr std::string_view name(Vectors::Kind kind) {
  switch (kind) {
    case Vectors::Kind::dense: return "dense vectors";
    case Vectors::Kind::sparse: return "sparse vectors";
    case Vectors::Kind::bits: return "bits";
  }
  return {};
}

struct VectorItems {
  Strings ids;
  Vectors vectors;
};

/// All items of an input of format sparse, dense or bits. Dense rows and bit strings of another length than the first, numbers that are
/// not finite, indices given twice are faults (Faults, or Error(data) with `strict`). Throws Error(file) as read_items does.
VectorItems read_vectors(const Input& input, Faults* faults = nullptr);

/// The vectors as the plan compares them: made binary where it says so, checked against its dimensions. Throws Error(data) for vectors
/// of a kind that the measure does not compare, naming what would do.
Vectors prepare(Vectors vectors, const Plan& plan);

/// 1 for vectors that are EMPTY under the measure, never similar to anything: zero vectors under cosine and weighted Jaccard.
bool is_empty(const Vectors& vectors, std::size_t i, Measure measure);

/// `hashes` slots for each vector by the plan's family. EMPTY items as in Sketches.
Sketches sketch(const Vectors& vectors, const Plan& plan, unsigned threads = 1);
/// The pairs within the plan's threshold or radius, with their exact similarity or distance (Match::value), in the order given.
Matches verify(const Pairs& pairs, const Vectors& vectors, const Plan& plan, unsigned threads = 1);
/// Every pair within the plan's threshold or radius. Ascending.
Matches exact_join(const Vectors& vectors, const Plan& plan, unsigned threads = 1);
/// Similarity or distance of two vectors, by the measure.
double value_between(const Vectors& a, std::size_t i, const Vectors& b, std::size_t j, Measure measure);

/// For `tune`: the number of items and the values of `pairs` random pairs, seeded.
DataSample sample_data(const Vectors& vectors, Measure measure, std::uint64_t seed = 1, std::size_t pairs = 20000);
/// The same for an input, which is read to its end. Absent where it can be read only once (standard input).
std::optional<DataSample> sample_data(const Input& input, const Plan& plan, const std::optional<std::uint64_t>& seed = {});

}  // namespace nearkin

#include "query/angle_sketches.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/hash.h"
#include "base/parallel.h"
#include "kernel/kernel.h"

namespace nearkin {
namespace {

constexpr std::uint32_t kLeastDimensions = 128;  // of dense vectors: shorter ones are compared as fast as their sketches
constexpr std::size_t kSketchBlock = 256;        // items sketched in a row

std::vector<double> mean_of(const Vectors& vectors) {
  std::vector<double> mean(vectors.dimensions);
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    const std::span<const float> row = vectors.dense(i);
    for (std::size_t place = 0; place < row.size(); ++place) mean[place] += static_cast<double>(row[place]);
  }
  for (double& sum : mean) sum /= static_cast<double>(vectors.size());
  return mean;
}

double length_of(const Vectors& vectors, std::size_t i) {
  if (vectors.kind == Vectors::Kind::dense) {
    const float* numbers = vectors.dense(i).data();
    return std::sqrt(kernel::dot(numbers, numbers, vectors.dimensions));
  }
  double sum = 0;
  for (const double x : vectors.sparse(i).values) sum += x * x;
  return std::sqrt(sum);
}

void pack(const std::uint32_t* slots, std::uint64_t* words) {
  std::fill_n(words, AngleSketches::kWords, 0);
  for (std::size_t bit = 0; bit < AngleSketches::kBits; ++bit) words[bit / 64] |= std::uint64_t{slots[bit] & 1} << (bit % 64);
}

}  // namespace

bool AngleSketches::worth(const Vectors& vectors, Measure measure) {
  if (measure != Measure::cosine && measure != Measure::euclidean) return false;
  return vectors.kind == Vectors::Kind::sparse || (vectors.kind == Vectors::Kind::dense && vectors.dimensions >= kLeastDimensions);
}

AngleSketches::AngleSketches(const Vectors& vectors, const Plan& plan, double miss, unsigned threads)
    : measure_(plan.measure), seed_(mix64(plan.sketch.seed ^ 0x5e71e5a9c0de2b1du)), filter_(kBits, miss), words_(vectors.size() * kWords) {
  if (measure_ == Measure::euclidean) lengths_.resize(vectors.size());
  if (measure_ == Measure::euclidean && vectors.kind == Vectors::Kind::dense) mean_ = mean_of(vectors);
  parallel_for(vectors.size(), std::max(kSketchBlock, vectors.size() / thread_count(threads) + 1), thread_count(threads),
               [&](std::size_t begin, std::size_t end, unsigned) {
                 AnyVectorHasher own = hasher(vectors.kind, vectors.dimensions);
                 std::vector<std::uint32_t> slots;
                 Vectors centred;
                 for (std::size_t at = begin; at < end; at += kSketchBlock) {
                   const std::size_t last = std::min(end, at + kSketchBlock);
                   if (mean_.empty()) {
                     sketch_rows(vectors, at, last, own, slots, words_.data() + at * kWords);
                     for (std::size_t i = at; i < last && !lengths_.empty(); ++i) lengths_[i] = length_of(vectors, i);
                     continue;
                   }
                   centre(vectors, at, last, centred);
                   sketch_rows(centred, 0, centred.size(), own, slots, words_.data() + at * kWords);
                   for (std::size_t i = at; i < last; ++i) lengths_[i] = length_of(centred, i - at);
                 }
               });
}

AnyVectorHasher AngleSketches::hasher(Vectors::Kind kind, std::uint32_t dimensions) const {
  return vector_hasher({.hashes = kBits, .seed = seed_, .family = Family::hyperplane}, kind, dimensions);
}

void AngleSketches::centre(const Vectors& vectors, std::size_t begin, std::size_t end, Vectors& centred) const {
  centred.kind = Vectors::Kind::dense;
  centred.dimensions = vectors.dimensions;
  centred.count = end - begin;
  centred.numbers.resize(centred.count * vectors.dimensions);
  float* out = centred.numbers.data();
  for (std::size_t i = begin; i < end; ++i) {
    const std::span<const float> row = vectors.dense(i);
    for (std::size_t place = 0; place < row.size(); ++place) *out++ = static_cast<float>(static_cast<double>(row[place]) - mean_[place]);
  }
}

void AngleSketches::sketch_rows(const Vectors& vectors, std::size_t begin, std::size_t end, AnyVectorHasher& hasher,
                                std::vector<std::uint32_t>& slots, std::uint64_t* words) const {
  slots.resize((end - begin) * kBits);
  sketch_range(hasher, vectors, begin, end, slots.data(), kBits);
  for (std::size_t i = 0; i < end - begin; ++i) pack(slots.data() + i * kBits, words + i * kWords);
}

void AngleSieve::aim(const Vectors& queries, Row row) {
  if (!hasher_) hasher_.emplace(sketches_.hasher(queries.kind, queries.dimensions));
  if (sketches_.mean_.empty()) {
    sketches_.sketch_rows(queries, row, row + std::size_t{1}, *hasher_, slots_, words_);
    length_ = length_of(queries, row);
    return;
  }
  sketches_.centre(queries, row, row + std::size_t{1}, centred_);
  sketches_.sketch_rows(centred_, 0, 1, *hasher_, slots_, words_);
  length_ = length_of(centred_, 0);
}

void AngleSieve::count_different(const std::vector<Row>& rows) {
  constexpr std::size_t kWords = AngleSketches::kWords;
  gathered_.resize(rows.size() * kWords);
  different_.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::memcpy(gathered_.data() + i * kWords, sketches_.words_.data() + rows[i] * kWords, kWords * sizeof(std::uint64_t));
  }
  kernel::bit_distances(words_, gathered_.data(), kWords, rows.size(), different_.data());
}

void AngleSieve::sift(std::vector<Row>& rows, double bar) {
  constexpr double kSlack = 1e-6;  // sketches are of floats: what their rounding decides is not passed over
  count_different(rows);
  std::size_t kept = 0;
  const bool by_length = !sketches_.lengths_.empty();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double limit = sketches_.filter_.passes_above(different_[i]);
    bool passed_over = bar > limit + kSlack;
    if (by_length) {
      const double length = sketches_.lengths_[rows[i]], squares = length * length + length_ * length_;
      passed_over = squares * (1 - kSlack) - bar * bar > 2 * length * length_ * limit;
    }
    if (!passed_over) rows[kept++] = rows[i];
  }
  rows.resize(kept);
}

}  // namespace nearkin

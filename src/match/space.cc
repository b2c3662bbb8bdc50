#include "match/space.h"

#include <cmath>
#include <string>

#include <nearkin/error.h>
#include <nearkin/tools/names.h>

#include "base/parallel.h"
#include "kernel/kernel.h"
#include "match/join_parts.h"

namespace nearkin {
namespace {

// Calls both(x, y) where the two have an index in common, by ascending index.
template <typename Both>
void for_common(const SparseView& a, const SparseView& b, Both&& both) {
  std::size_t i = 0, j = 0;
  while (i < a.indices.size() && j < b.indices.size()) {
    const std::uint64_t x = a.indices[i], y = b.indices[j];
    if (x == y) both(a.values[i], b.values[j]);
    i += x <= y;
    j += y <= x;
  }
}

// Calls term(x − y) for every index of either, by ascending index.
template <typename Term>
void for_differences(const SparseView& a, const SparseView& b, Term&& term) {
  std::size_t i = 0, j = 0;
  while (i < a.indices.size() && j < b.indices.size()) {
    const std::uint64_t x = a.indices[i], y = b.indices[j];
    term(x == y ? a.values[i] - b.values[j] : x < y ? a.values[i] : -b.values[j]);
    i += x <= y;
    j += y <= x;
  }
  for (; i < a.indices.size(); ++i) term(a.values[i]);
  for (; j < b.indices.size(); ++j) term(-b.values[j]);
}

double cosine_of(double dot, double squares_a, double squares_b) {
  const double product = squares_a * squares_b;
  return product > 0 ? std::clamp(dot / std::sqrt(product), -1.0, 1.0) : 0;
}

// The power of two just above the largest number.
int exponent_of(const SparseView& view) {
  double largest = 0;
  for (const double x : view.values) largest = std::max(largest, std::abs(x));
  int exponent = 0;
  std::frexp(largest, &exponent);
  return exponent;
}

// For numbers whose squares are no numbers, or none of full precision: each vector is first scaled by a power of two.
double scaled_cosine(const SparseView& a, const SparseView& b) {
  const int shift_a = -exponent_of(a), shift_b = -exponent_of(b);
  double dot = 0, squares_a = 0, squares_b = 0;
  for (const double x : a.values) squares_a += std::ldexp(x, shift_a) * std::ldexp(x, shift_a);
  for (const double y : b.values) squares_b += std::ldexp(y, shift_b) * std::ldexp(y, shift_b);
  for_common(a, b, [&](double x, double y) { dot += std::ldexp(x, shift_a) * std::ldexp(y, shift_b); });
  return cosine_of(dot, squares_a, squares_b);
}

// Σmax = Σa + Σb − Σmin. Sums of the same terms in the same order, so that equal vectors give 1 and none more.
double weighted_jaccard_of(double least, double sum_a, double sum_b) {
  const double most = sum_a + sum_b - least;
  return most > 0 ? least / most : 0;
}

// Σmin = (S − D) / 2 and Σmax = (S + D) / 2 with S = Σa + Σb and D = Σ|a−b|.
double weighted_jaccard_by_difference(double difference, double sum_a, double sum_b) {
  const double sum = sum_a + sum_b;
  return sum + difference > 0 ? std::max(0.0, (sum - difference) / (sum + difference)) : 0;
}

// For numbers whose sum is no number.
double scaled_weighted_jaccard(const SparseView& a, const SparseView& b) {
  const auto small = [](double x) { return std::ldexp(x, -64); };
  double least = 0, sum_a = 0, sum_b = 0;
  for (const double x : a.values) sum_a += small(x);
  for (const double y : b.values) sum_b += small(y);
  for_common(a, b, [&](double x, double y) { least += small(std::min(x, y)); });
  return weighted_jaccard_of(least, sum_a, sum_b);
}

double dense_norm(std::span<const float> numbers, Measure measure) {
  if (measure == Measure::cosine) return kernel::dot(numbers.data(), numbers.data(), numbers.size());
  double sum = 0;
  for (const float x : numbers) sum += static_cast<double>(x);
  return sum;
}

double sparse_norm(const SparseView& view, Measure measure) {
  double sum = 0;
  for (const double x : view.values) sum += measure == Measure::cosine ? x * x : x;
  return sum;
}

bool has_norms(Measure measure) { return measure == Measure::cosine || measure == Measure::weighted_jaccard; }

}  // namespace

double norm_of(const Vectors& vectors, std::size_t i, Measure measure) {
  if (!has_norms(measure) || vectors.kind == Vectors::Kind::bits) return 0;
  return vectors.kind == Vectors::Kind::dense ? dense_norm(vectors.dense(i), measure) : sparse_norm(vectors.sparse(i), measure);
}

Norms norms_of(const Vectors& vectors, Measure measure) {
  Norms norms;
  if (!has_norms(measure)) return norms;
  norms.values.resize(vectors.size());
  for (std::size_t i = 0; i < norms.values.size(); ++i) norms.values[i] = norm_of(vectors, i, measure);
  return norms;
}

Border::Border(const Plan& plan, std::uint32_t dimensions) : distance_(is_distance(plan.measure)) {
  constexpr double kTie = 1e-12;
  if (!distance_) {
    limit_ = plan.threshold.value() - kTie;
  } else if (plan.measure == Measure::hamming) {
    // 0.29 of 100 places are 29, though 0.29·100 is a little less.
    limit_ = std::floor(plan.radius < 1 ? plan.radius * dimensions * (1 + kTie) : plan.radius);
  } else {
    limit_ = plan.radius * (1 + kTie);
  }
}

struct Space::Values {
  static double dense_cosine(const Space& s, std::size_t i, std::size_t j) {
    return cosine_of(kernel::dot(s.a_.dense(i).data(), s.b_.dense(j).data(), s.a_.dimensions), s.norm_a(i), s.norms_b_[j]);
  }
  static double dense_weighted_jaccard(const Space& s, std::size_t i, std::size_t j) {
    return weighted_jaccard_by_difference(dense_manhattan(s, i, j), s.norm_a(i), s.norms_b_[j]);
  }
  static double dense_euclidean(const Space& s, std::size_t i, std::size_t j) {
    return std::sqrt(kernel::squared_distance(s.a_.dense(i).data(), s.b_.dense(j).data(), s.a_.dimensions));
  }
  static double dense_manhattan(const Space& s, std::size_t i, std::size_t j) {
    return kernel::absolute_distance(s.a_.dense(i).data(), s.b_.dense(j).data(), s.a_.dimensions);
  }
  static double sparse_cosine(const Space& s, std::size_t i, std::size_t j) {
    const SparseView a = s.a_.sparse(i), b = s.b_.sparse(j);
    if (!squares_are_safe(s.norm_a(i)) || !squares_are_safe(s.norms_b_[j])) return scaled_cosine(a, b);
    double dot = 0;
    for_common(a, b, [&](double x, double y) { dot += x * y; });
    return cosine_of(dot, s.norm_a(i), s.norms_b_[j]);
  }
  static double sparse_weighted_jaccard(const Space& s, std::size_t i, std::size_t j) {
    const SparseView a = s.a_.sparse(i), b = s.b_.sparse(j);
    if (!sums_are_safe(s.norm_a(i)) || !sums_are_safe(s.norms_b_[j])) return scaled_weighted_jaccard(a, b);
    double least = 0;
    for_common(a, b, [&](double x, double y) { least += std::min(x, y); });
    return weighted_jaccard_of(least, s.norm_a(i), s.norms_b_[j]);
  }
  static double sparse_euclidean(const Space& s, std::size_t i, std::size_t j) {
    double sum = 0;
    for_differences(s.a_.sparse(i), s.b_.sparse(j), [&](double d) { sum += d * d; });
    return std::sqrt(sum);
  }
  static double sparse_manhattan(const Space& s, std::size_t i, std::size_t j) {
    double sum = 0;
    for_differences(s.a_.sparse(i), s.b_.sparse(j), [&](double d) { sum += std::abs(d); });
    return sum;
  }
  static double bits_hamming(const Space& s, std::size_t i, std::size_t j) {
    return kernel::bit_distance(s.a_.bits(i).data(), s.b_.bits(j).data(), s.a_.word_count());
  }
};

Space::Compute Space::compute_for(const Vectors& a, const Vectors& b, Measure measure) {
  if (a.size() > 0 && b.size() > 0 && (a.kind != b.kind || a.dimensions != b.dimensions)) {
    throw Error(ErrorCode::data, "vectors",
                std::to_string(a.dimensions) + " dimensions (" + std::string(name(a.kind)) + ") and " + std::to_string(b.dimensions) +
                    " (" + std::string(name(b.kind)) + ") cannot be compared; both must be the same");
  }
  if (a.size() == 0 && b.size() == 0) return Values::bits_hamming;  // there is nothing to compare, whatever the measure
  const Vectors::Kind kind = a.size() > 0 ? a.kind : b.kind;
  const bool dense = kind == Vectors::Kind::dense;
  if ((kind == Vectors::Kind::bits) == (measure == Measure::hamming)) {
    switch (measure) {
      case Measure::hamming: return Values::bits_hamming;
      case Measure::cosine: return dense ? Values::dense_cosine : Values::sparse_cosine;
      case Measure::weighted_jaccard: return dense ? Values::dense_weighted_jaccard : Values::sparse_weighted_jaccard;
      case Measure::euclidean: return dense ? Values::dense_euclidean : Values::sparse_euclidean;
      case Measure::manhattan: return dense ? Values::dense_manhattan : Values::sparse_manhattan;
      default: break;
    }
  }
  throw Error(ErrorCode::data, "measure",
              std::string(name(measure)) + " does not compare " + std::string(name(kind)) +
                  (kind == Vectors::Kind::bits ? "; hamming does" : "; cosine or euclidean do"));
}

Space::Space(const Vectors& a, const Vectors& b, Measure measure)
    : a_(a),
      b_(b),
      measure_(measure),
      compute_(compute_for(a, b, measure)),
      own_a_(norms_of(a, measure)),
      own_b_(&a == &b ? Norms{} : norms_of(b, measure)),
      norms_a_(own_a_.values.data()),
      norms_b_(&a == &b ? norms_a_ : own_b_.values.data()) {}

Space::Space(const Vectors& a, std::size_t row, const Vectors& b, const Norms& norms_b, Measure measure)
    : a_(a),
      b_(b),
      measure_(measure),
      compute_(compute_for(a, b, measure)),
      own_a_{{norm_of(a, row, measure)}},
      first_a_(row),
      norms_a_(own_a_.values.data()),
      norms_b_(norms_b.values.data()) {}

void Space::values(std::size_t i, std::span<const Row> rows, std::span<double> values) const {
  if (b_.kind == Vectors::Kind::dense) return dense_values(i, rows, values);
  for (std::size_t k = 0; k < rows.size(); ++k) values[k] = value(i, rows[k]);
}

void Space::dense_values(std::size_t i, std::span<const Row> rows, std::span<double> values) const {
  const auto sums = [&](kernel::FloatSum sum) {
    kernel::float_sums(sum, a_.dense(i).data(), b_.numbers.data(), rows.data(), a_.dimensions, rows.size(), values.data());
  };
  switch (measure_) {
    case Measure::cosine:
      sums(kernel::FloatSum::dot);
      for (std::size_t k = 0; k < rows.size(); ++k) values[k] = cosine_of(values[k], norm_a(i), norms_b_[rows[k]]);
      return;
    case Measure::euclidean:
      sums(kernel::FloatSum::squared_distance);
      for (std::size_t k = 0; k < rows.size(); ++k) values[k] = std::sqrt(values[k]);
      return;
    case Measure::manhattan: return sums(kernel::FloatSum::absolute_distance);
    default:
      sums(kernel::FloatSum::absolute_distance);
      for (std::size_t k = 0; k < rows.size(); ++k) values[k] = weighted_jaccard_by_difference(values[k], norm_a(i), norms_b_[rows[k]]);
  }
}

VerifyResult verify_vectors(const Pairs& pairs, const Vectors& vectors, const Plan& plan, unsigned threads, Advance* advance) {
  constexpr std::size_t kBlock = 1024;
  const Space space(vectors, vectors, plan.measure);
  const Border border(plan, vectors.dimensions);
  std::vector<VerifyResult> parts((pairs.size() + kBlock - 1) / kBlock);
  expect(advance, pairs.size());
  parallel_for(pairs.size(), kBlock, thread_count(threads), [&](std::size_t begin, std::size_t end, unsigned worker) {
    VerifyResult& part = parts[begin / kBlock];
    for (std::size_t i = begin; i < end; ++i) settle(pairs[i].a, pairs[i].b, space.value(pairs[i].a, pairs[i].b), border, part);
    add(advance, worker, end - begin);
  });
  VerifyResult result;
  for (const VerifyResult& part : parts) {
    result.matches.insert(result.matches.end(), part.matches.begin(), part.matches.end());
    if (part.closest_below != 0) result.closest_below = border.closer(part.closest_below, result.closest_below);
  }
  return result;
}

}  // namespace nearkin

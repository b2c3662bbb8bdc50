#include "analysis/cross_validate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/hash.h"

namespace nearkin {
namespace {

double f1_of(double right, double wrong, double labels) { return right == 0 ? 0 : 2 * right / (right + wrong + labels); }

/// The 97.5 % point of Student's distribution, by its expansion about the Gaussian; within 0.3 % from 5 degrees of freedom on.
double student_point(double degrees) {
  const double z = 1.959963984540054, z3 = z * z * z, z5 = z3 * z * z;
  return z + (z3 + z) / (4 * degrees) + (5 * z5 + 16 * z3 + 3 * z) / (96 * degrees * degrees);
}

/// The numbers below `count` in a random order.
std::vector<std::uint32_t> shuffled(std::uint32_t count, std::uint64_t seed) {
  std::vector<std::uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0u);
  SplitMix random(seed);
  for (std::uint32_t i = count; i > 1; --i) std::swap(numbers[i - 1], numbers[random() % i]);
  return numbers;
}

/// Counts of one division: of each fold the pairs within it, and those with an item in it.
struct DividedCounts {
  std::vector<StepCounts> within, touching;
};

DividedCounts divide(const std::vector<ScoredPair>& pairs, const std::vector<WeighedPair>& labels, const std::vector<std::uint8_t>& fold,
                     std::uint32_t folds) {
  DividedCounts counts{std::vector<StepCounts>(folds), std::vector<StepCounts>(folds)};
  for (const ScoredPair& pair : pairs) {
    const std::uint8_t a = fold[pair.a], b = fold[pair.b];
    counts.touching[a].add(pair);
    if (a == b)
      counts.within[a].add(pair);
    else
      counts.touching[b].add(pair);
  }
  for (const WeighedPair& pair : labels) {
    counts.within[fold[pair.a]].labels += pair.weight;
    counts.touching[fold[pair.a]].labels += pair.weight;
  }
  return counts;
}

}  // namespace

std::uint8_t threshold_step(double similarity) {
  const double step = std::floor(similarity * (kThresholdSteps - 1) + 1e-9);
  return static_cast<std::uint8_t>(std::clamp(step, 0.0, static_cast<double>(kThresholdSteps - 1)));
}

void StepCounts::subtract(const StepCounts& other) {
  for (std::size_t i = 0; i < kThresholdSteps; ++i) {
    right[i] -= other.right[i];
    wrong[i] -= other.wrong[i];
  }
  labels -= other.labels;
}

BestThreshold best_threshold(const StepCounts& counts, std::size_t lowest, double wrong_times) {
  std::array<double, kThresholdSteps> f1{}, right{}, wrong{};
  double r = 0, w = 0;
  for (std::size_t i = kThresholdSteps; i-- > lowest;) {
    right[i] = r += counts.right[i];
    wrong[i] = w += counts.wrong[i] * wrong_times;
    f1[i] = f1_of(r, w, counts.labels);
  }
  // If neighbouring thresholds are as good as the best, the one in the middle is taken: it is the farthest from what is worse.
  const double most = *std::max_element(f1.begin() + static_cast<std::ptrdiff_t>(lowest), f1.end());
  const auto as_good = [&](double value) { return value >= most - 1e-12; };
  const auto begin = std::find_if(f1.rbegin(), f1.rend(), as_good);
  const auto last = f1.rend() - static_cast<std::ptrdiff_t>(lowest);
  const auto end = std::find_if_not(begin, last, as_good);
  const auto high = static_cast<std::size_t>(f1.rend() - begin) - 1, low = static_cast<std::size_t>(f1.rend() - end);
  BestThreshold best{.step = low + (high - low) / 2, .f1 = most, .agreement = {}};
  const double found = right[best.step] + wrong[best.step];
  best.agreement = {.precision = found == 0 ? 1 : right[best.step] / found,
                    .recall = counts.labels == 0 ? 1 : right[best.step] / counts.labels};
  return best;
}

double f1_at(const StepCounts& counts, std::size_t step, double wrong_times) {
  double right = 0, wrong = 0;
  for (std::size_t i = step; i < kThresholdSteps; ++i) {
    right += counts.right[i];
    wrong += counts.wrong[i] * wrong_times;
  }
  return f1_of(right, wrong, counts.labels);
}

Folds make_folds(const std::vector<std::uint32_t>& group, std::uint32_t groups, std::uint32_t folds, std::uint32_t repeats,
                 std::uint64_t seed) {
  Folds made{.folds = folds, .of = {}};
  for (std::uint32_t repeat = 0; repeat < repeats; ++repeat) {
    const std::uint64_t key = mix64(seed) + repeat;
    const std::vector<std::uint32_t> order = shuffled(groups, key);
    std::vector<std::uint8_t>& of = made.of.emplace_back(group.size());
    for (std::size_t row = 0; row < group.size(); ++row) {
      const bool alone = group[row] == UINT32_MAX;
      of[row] = static_cast<std::uint8_t>((alone ? mix64(mix64(key) ^ row) : order[group[row]]) % folds);
    }
  }
  return made;
}

std::vector<double> f1_of_folds(const ScoredPairs& found, const std::vector<WeighedPair>& labels, const Folds& folds) {
  const auto k = static_cast<double>(folds.folds);
  StepCounts all;
  for (const ScoredPair& pair : found.pairs) all.add(pair);
  for (const WeighedPair& pair : labels) all.labels += pair.weight;
  std::vector<double> f1;
  for (const std::vector<std::uint8_t>& fold : folds.of) {
    const DividedCounts counts = divide(found.pairs, labels, fold, folds.folds);
    for (std::uint32_t i = 0; i < folds.folds; ++i) {
      StepCounts others = all;
      others.subtract(counts.touching[i]);
      // True pairs are within folds; of the wrong ones an item meets in its fold one in k, and outside of another fold k − 1 in k.
      f1.push_back(f1_at(counts.within[i], best_threshold(others, found.lowest, k / (k - 1)).step, k));
    }
  }
  return f1;
}

Lead lead_over(const std::vector<double>& first, const std::vector<double>& second, std::uint32_t folds) {
  const auto n = static_cast<double>(first.size());
  Lead lead;
  double squares = 0;
  for (std::size_t i = 0; i < first.size(); ++i) lead.mean += (first[i] - second[i]) / n;
  for (std::size_t i = 0; i < first.size(); ++i) squares += (first[i] - second[i] - lead.mean) * (first[i] - second[i] - lead.mean);
  const double variance = squares / (n - 1) * (1 / n + 1.0 / (folds - 1));
  const double reach = student_point(n - 1) * std::sqrt(variance);
  lead.low = lead.mean - reach;
  lead.high = lead.mean + reach;
  return lead;
}

}  // namespace nearkin

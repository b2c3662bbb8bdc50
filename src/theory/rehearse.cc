#include "theory/rehearse.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/hash.h"

namespace nearkin {
namespace {

constexpr std::size_t kRehearsals = 1000, kFewRehearsals = 200;
constexpr std::size_t kMostWords = 50'000'000;  // looked at in all

double weight_of(const FoundPairs& pairs) { return pairs.count / pairs.probability; }

std::size_t rehearsals(const Agreements& agreements, const BandPlan& plan) {
  const std::size_t words = std::size_t{plan.bands} * plan.rows * (agreements.pairs() / 64 + 1);
  return std::clamp(kMostWords / words, kFewRehearsals, kRehearsals);
}

/// The pairs that share a bucket of one of the bands.
void find_by_bands(const Agreements& agreements, const BandPlan& plan, SplitMix& random, std::vector<std::uint64_t>& found,
                   std::vector<std::uint64_t>& band) {
  std::fill(found.begin(), found.end(), 0);
  for (std::uint32_t j = 0; j < plan.bands; ++j) {
    std::fill(band.begin(), band.end(), ~std::uint64_t{0});
    for (std::uint32_t row = 0; row < plan.rows; ++row) {
      const std::span<const std::uint64_t> column = agreements.column(random() % agreements.hashes());
      for (std::size_t w = 0; w < band.size(); ++w) band[w] &= column[w];
    }
    for (std::size_t w = 0; w < band.size(); ++w) found[w] |= band[w];
  }
}

/// Sums of numbers and of their squares.
struct Moments {
  double sum = 0, squares = 0;
  void add(double x) {
    sum += x;
    squares += x * x;
  }
  double variance(double count) const { return std::max(0.0, squares / count - sum / count * (sum / count)); }
};

/// The shares found, and how much of their variance is of pairs of the same group.
class Rehearsed {
 public:
  explicit Rehearsed(std::span<const FoundPairs> pairs) : pairs_(pairs) {
    std::uint32_t groups = 0;
    for (const FoundPairs& each : pairs) {
      groups = std::max(groups, each.group + 1);
      whole_ += weight_of(each);
    }
    of_groups_.resize(groups);
    missed_.resize(groups);
  }

  void add(std::span<const std::uint64_t> found) {
    touched_.clear();
    double missed = 0;
    for (std::size_t w = 0; w < found.size(); ++w) {
      std::uint64_t left = ~found[w];
      if (w + 1 == found.size() && pairs_.size() % 64 != 0) left &= (std::uint64_t{1} << pairs_.size() % 64) - 1;
      for (; left != 0; left &= left - 1) {
        const FoundPairs& pair = pairs_[w * 64 + static_cast<std::size_t>(std::countr_zero(left))];
        if (missed_[pair.group] == 0) touched_.push_back(pair.group);
        missed_[pair.group] += weight_of(pair);
        missed += weight_of(pair);
      }
    }
    for (const std::uint32_t group : touched_) {
      of_groups_[group].add(missed_[group] / whole_);
      missed_[group] = 0;
    }
    all_.add(missed / whole_);
    shares_.push_back(missed / whole_);
  }

  Straying straying(double times) {
    const auto count = static_cast<double>(shares_.size());
    double of_groups = 0;
    for (const Moments& group : of_groups_) of_groups += group.variance(count);
    // What varies by chance alone in a sample must not count for all the pairs that the sample stands for.
    const double noise = times > 1 ? of_groups * std::sqrt(2 / count) : 0;
    const double all = all_.variance(count), common = std::max(0.0, all - of_groups - noise);
    const double scale = all > 0 ? std::sqrt((of_groups / times + common) / std::max(all, of_groups)) : 0;
    std::sort(shares_.begin(), shares_.end());
    const auto tail = static_cast<std::size_t>(0.025 * count);
    const double mean = all_.sum / count;
    if (mean == 0) return {};
    const auto multiple = [&](double share) { return 1 + scale * (share / mean - 1); };
    const double least = shares_[tail], most = shares_[shares_.size() - 1 - tail];
    // Where nothing is missed for a reason that all pairs have in common, more pairs would not change that.
    return {.least = least == 0 && common > 0 ? 0 : multiple(least), .most = multiple(most)};
  }

 private:
  std::span<const FoundPairs> pairs_;
  double whole_ = 0;
  std::vector<Moments> of_groups_;
  std::vector<double> missed_;          // of each group, in this rehearsal
  std::vector<std::uint32_t> touched_;  // groups with any
  Moments all_;
  std::vector<double> shares_;  // missed
};

}  // namespace

Agreements::Agreements(std::size_t pairs, std::size_t hashes)
    : pairs_(pairs), hashes_(hashes), words_((pairs + kBlock - 1) / kBlock), bits_(hashes * words_) {}

void Agreements::set(std::size_t pair, std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  const std::uint64_t bit = std::uint64_t{1} << pair % kBlock;
  for (std::size_t k = 0; k < hashes_; ++k) {
    if (a[k] == b[k]) bits_[k * words_ + pair / kBlock] |= bit;
  }
}

Straying rehearse(const Agreements& agreements, std::span<const FoundPairs> pairs, const BandPlan& plan, double times, std::uint64_t seed) {
  if (pairs.empty() || plan.bands == 0 || plan.rows == 0) return {};
  SplitMix random(seed);
  Rehearsed rehearsed(pairs);
  std::vector<std::uint64_t> found(agreements.column(0).size()), band(found.size());
  for (std::size_t left = rehearsals(agreements, plan); left > 0; --left) {
    find_by_bands(agreements, plan, random, found, band);
    rehearsed.add(found);
  }
  return rehearsed.straying(times);
}

}  // namespace nearkin

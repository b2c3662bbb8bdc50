// The recall of a run, from the pairs that it found.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "family/family.h"
#include "pipeline/search.h"
#include "theory/found_sets.h"
#include "theory/plan_rules.h"
#include "theory/recall.h"

namespace nearkin {
namespace {

// Pairs of pairs that are looked at to tell how pairs hang together: enough that the interval changes by less than a tenth, and few enough
// that no run waits for it.
constexpr std::size_t kDraws = 400, kFewDraws = 50;
constexpr std::uint64_t kMostElements = 10'000'000;
constexpr std::uint32_t kDrawnHashes = 512;

using Elements = std::span<const std::uint64_t>;

/// The probability that one hash agrees for A and B and for C and D at once. The least element of A∪B∪C∪D decides: it may lie in A∩B∩C∩D; or in
/// A∩B and neither in C nor in D, which leaves it to the least of C∪D whether these two agree; or the other way round.
double both_agree(const std::array<Elements, 4>& sets, double ab_similarity, double cd_similarity) {
  std::array<std::size_t, 4> at{};
  double all = 0, all_four = 0, ab_alone = 0, cd_alone = 0;
  for (;;) {
    const std::uint64_t* least = nullptr;
    for (std::size_t i = 0; i < 4; ++i) {
      if (at[i] < sets[i].size() && (least == nullptr || sets[i][at[i]] < *least)) least = &sets[i][at[i]];
    }
    if (least == nullptr) break;
    std::uint32_t in = 0;
    const std::uint64_t element = *least;
    for (std::size_t i = 0; i < 4; ++i) {
      if (at[i] < sets[i].size() && sets[i][at[i]] == element) {
        in |= 1u << i;
        ++at[i];
      }
    }
    ++all;
    all_four += in == 0b1111;
    ab_alone += in == 0b0011;
    cd_alone += in == 0b1100;
  }
  return (all_four + ab_alone * cd_similarity + cd_alone * ab_similarity) / all;
}

double mean_for_sets(const Found& found, const Matches& matches, const std::vector<TwoPairs>& drawn, const BandPlan& plan) {
  double sum = 0, looked_at = 0;
  std::uint64_t elements = 0;
  for (const auto& [one, other] : drawn) {
    const Match &m = matches[one], &n = matches[other];
    const std::array<Elements, 4> sets{found.features_of(m.a), found.features_of(m.b), found.features_of(n.a), found.features_of(n.b)};
    sum += found_together(m.similarity(), n.similarity(), both_agree(sets, m.similarity(), n.similarity()), plan);
    ++looked_at;
    for (const Elements& set : sets) elements += set.size();
    if (elements > kMostElements && looked_at >= kFewDraws) break;
  }
  return sum / looked_at;
}

// Vectors have no such formula; hashes of another seed show how often both agree. With c of H agreeing, c(c−1)…/(H(H−1)…) of as many factors
// as a band has rows is the unbiased estimate of the probability that both agree in a whole band.
double mean_for_vectors(const Vectors& vectors, const Matches& matches, const std::vector<TwoPairs>& drawn, const Plan& plan) {
  SketchPlan other_hashes = plan.sketch;
  other_hashes.hashes = kDrawnHashes;
  other_hashes.seed = mix64(plan.sketch.seed);
  AnyVectorHasher hasher = vector_hasher(other_hashes, vectors.kind, vectors.dimensions);
  std::array<std::vector<std::uint32_t>, 4> slots;
  slots.fill(std::vector<std::uint32_t>(kDrawnHashes));
  double sum = 0;
  for (const auto& [one, other] : drawn) {
    const Match &m = matches[one], &n = matches[other];
    const std::array<Row, 4> rows{m.a, m.b, n.a, n.b};
    for (std::size_t i = 0; i < 4; ++i) sketch_range(hasher, vectors, rows[i], rows[i] + 1, slots[i].data(), kDrawnHashes);
    std::uint32_t agreeing = 0;
    for (std::size_t j = 0; j < kDrawnHashes; ++j) agreeing += slots[0][j] == slots[1][j] && slots[2][j] == slots[3][j];
    double band = 1;
    for (std::uint32_t row = 0; row < plan.band.rows; ++row) band *= std::max(0.0, static_cast<double>(agreeing) - row) / (kDrawnHashes - row);
    sum += found_together(agreement(plan, m.value), agreement(plan, n.value), std::pow(band, 1.0 / plan.band.rows), plan.band);
  }
  return sum / static_cast<double>(drawn.size());
}

// Pairs between two copies of one text are found for certain and left out: they would only make the figure look better. Those of one input
// were folded before they could match.
Matches without_copies(const Collection& collection, const Matches& matches) {
  Matches different;
  std::copy_if(matches.begin(), matches.end(), std::back_inserter(different),
               [&](const Match& match) { return collection.contents[match.a] != collection.contents[match.b]; });
  return different;
}

std::vector<FoundPairs> found_pairs(const Collection& collection, const Found& found, const Matches& matches, const Plan& plan) {
  const std::vector<std::uint64_t> copies = copies_of(found);
  const Clusters clusters = cluster(matches, collection.size());
  constexpr std::uint32_t kNone = UINT32_MAX;
  std::vector<std::uint32_t> group_of(clusters.size(), kNone);  // most clusters are single items
  std::uint32_t groups = 0;
  std::vector<FoundPairs> pairs;
  pairs.reserve(matches.size());
  std::optional<FoundSets> of_sets;
  if (!compares_vectors(plan)) of_sets.emplace(plan, minhash_rounds(plan.sketch.hashes));
  for (const Match& match : matches) {
    std::uint32_t& group = group_of[clusters.cluster[match.a]];
    if (group == kNone) group = groups++;
    pairs.push_back({.probability = of_sets ? (*of_sets)(match.shared, match.total) : found_probability(plan, match.value),
                     .count = static_cast<double>(copies[match.a]) * static_cast<double>(copies[match.b]),
                     .group = group});
  }
  return pairs;
}

}  // namespace

std::optional<Recall> recall_of(const Collection& collection, const Found& found, const Matches& all, const Plan& plan) {
  if (plan.exact_join() || plan.measure == Measure::exact) return Recall{};
  // The chance to propose a containment depends on both sizes, not on the containment alone.
  if (plan.measure == Measure::containment) return std::nullopt;
  const bool all_compared = plan.verify == Verify::exact && collection.stats.buckets.not_compared == 0;
  const Matches different = collection.inputs.size() > 1 ? without_copies(collection, all) : Matches();
  const Matches& matches = collection.inputs.size() > 1 ? different : all;
  if (!all_compared || matches.empty()) return std::nullopt;
  // A radius given as a share says nothing about counts before the number of places is known.
  Plan counted = plan;
  if (plan.measure == Measure::hamming) counted.sketch.dimensions = compares_vectors(plan) ? collection.vectors.dimensions : collection.columns;
  const std::vector<FoundPairs> pairs = found_pairs(collection, found, matches, counted);
  Finding finding{.at_threshold = found_probability(counted, border_of(counted)), .together = 0};
  const std::vector<TwoPairs> drawn = draw_two_pairs(pairs, kDraws, plan.sketch.seed);
  if (!drawn.empty()) {
    finding.together = compares_vectors(plan) ? mean_for_vectors(collection.vectors, matches, drawn, counted)
                                              : mean_for_sets(found, matches, drawn, counted.band);
  }
  return estimate_recall(pairs, finding);
}

}  // namespace nearkin

#include "analysis/run_recall.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include <nearkin/tools/theory.h>

#include "collect/row_vectors.h"
#include "collect/sketcher.h"
#include "family/family.h"
#include "group/linkage.h"
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

/// What an estimate of the recall rests on.
struct Basis {
  const Rows& rows;
  const Stage& stage;
  const SearchResult& found;
  std::vector<std::uint32_t> copies;  // items that a representative stands for
};

/// Of the pairs drawn, ascending, each once.
std::vector<Row> rows_of(const Matches& matches, const std::vector<TwoPairs>& drawn) {
  std::vector<Row> rows;
  for (const auto& [one, other] : drawn) rows.insert(rows.end(), {matches[one].a, matches[one].b, matches[other].a, matches[other].b});
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

/// The sets of some rows, ascending.
class SetsOf {
 public:
  SetsOf(const Basis& basis, const std::vector<Row>& rows) : sets_(basis.found.sets.bytes(basis.stage.threads)) {
    if (sets_.at) return;
    for (const Row row : rows) loaded_[row];
    sets_.read(rows, [&](unsigned, std::size_t i, std::span<const std::byte> bytes) {
      loaded_.find(rows[i])->second.assign(as_set(bytes).begin(), as_set(bytes).end());
    });
  }
  Elements operator()(Row row) const { return sets_.at ? as_set(sets_.at(row)) : Elements(loaded_.at(row)); }

 private:
  RowBytes sets_;
  std::map<Row, std::vector<std::uint64_t>> loaded_;
};

/// The probability that one hash agrees for A and B and for C and D at once. The least element of A∪B∪C∪D decides: it may lie in A∩B∩C∩D;
/// or in A∩B and neither in C nor in D, which leaves it to the least of C∪D whether these two agree; or the other way round.
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

double mean_for_sets(const Basis& basis, const Matches& matches, const std::vector<TwoPairs>& drawn, const BandPlan& plan) {
  double sum = 0, looked_at = 0;
  std::uint64_t elements = 0;
  const SetsOf features_of(basis, rows_of(matches, drawn));
  for (const auto& [one, other] : drawn) {
    const Match &m = matches[one], &n = matches[other];
    const std::array<Elements, 4> sets{features_of(m.a), features_of(m.b), features_of(n.a), features_of(n.b)};
    sum += found_together(m.similarity(), n.similarity(), both_agree(sets, m.similarity(), n.similarity()), plan);
    ++looked_at;
    for (const Elements& set : sets) elements += set.size();
    if (elements > kMostElements && looked_at >= kFewDraws) break;
  }
  return sum / looked_at;
}

// Vectors have no such formula; hashes of another seed show how often both agree. With c of H agreeing, c(c−1)…/(H(H−1)…) of as many
// factors as a band has rows is the unbiased estimate of the probability that both agree in a whole band.
double mean_for_vectors(const Basis& basis, const Matches& matches, const std::vector<TwoPairs>& drawn, const Plan& plan) {
  const std::vector<Row> needed = rows_of(matches, drawn);
  const Vectors vectors = load_vectors(basis.rows, plan, needed, basis.stage.threads);
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
    for (std::size_t i = 0; i < 4; ++i) {
      const auto at = static_cast<std::size_t>(std::lower_bound(needed.begin(), needed.end(), rows[i]) - needed.begin());
      sketch_range(hasher, vectors, at, at + 1, slots[i].data(), kDrawnHashes);
    }
    std::uint32_t agreeing = 0;
    for (std::size_t j = 0; j < kDrawnHashes; ++j) agreeing += slots[0][j] == slots[1][j] && slots[2][j] == slots[3][j];
    double band = 1;
    for (std::uint32_t row = 0; row < plan.band.rows; ++row)
      band *= std::max(0.0, static_cast<double>(agreeing) - row) / (kDrawnHashes - row);
    sum += found_together(agreement(plan, m.value), agreement(plan, n.value), std::pow(band, 1.0 / plan.band.rows), plan.band);
  }
  return sum / static_cast<double>(drawn.size());
}

// Pairs between two copies of one text are found for certain and left out: they would only make the figure look better. Those of one input
// were folded before they could match.
Matches without_copies(const Basis& basis, const Matches& matches) {
  RowReader reader(basis.rows);
  Matches different;
  std::copy_if(matches.begin(), matches.end(), std::back_inserter(different),
               [&](const Match& match) { return reader.content(match.a) != reader.content(match.b); });
  return different;
}

bool chosen(std::uint64_t what, double share) { return static_cast<double>(mix64(what) >> 11) * 0x1p-53 < share; }

// All matches, or, where they are more than fit, those of some components, which a hash chooses: whole ones, because pairs of one component
// are found and missed together, but for a component that is too large itself.
Matches matches_that_fit(const Basis& basis, const MatchStream& matches) {
  constexpr std::uint64_t kBytes = 2 * sizeof(Match) + sizeof(FoundPairs) + 6 * sizeof(Row);
  const std::uint64_t most = share_of(basis.rows, basis.stage, 21) / 2 / kBytes;
  const double share = static_cast<double>(most) / static_cast<double>(std::max<std::uint64_t>(1, matches.count()));
  if (share >= 1) return matches.to_vector();
  Components components = components_of(matches, basis.rows.size());
  std::uint64_t in_components = 0;
  matches.for_each([&](const Match& match) { in_components += chosen(components.root(match.a), share); });
  const double thinned = static_cast<double>(most) / static_cast<double>(std::max<std::uint64_t>(1, in_components));
  Matches some;
  some.reserve(std::min(most, in_components));
  matches.for_each([&](const Match& match) {
    if (chosen(components.root(match.a), share) && chosen(std::uint64_t{match.a} << 32 | match.b, thinned)) some.push_back(match);
  });
  return some;
}

// The component of each match, numbered in order of appearance. Only rows that match anything are looked at: most do not.
std::vector<std::uint32_t> groups_of(const Matches& matches) {
  std::vector<Row> rows;
  rows.reserve(2 * matches.size());
  for (const Match& match : matches) rows.insert(rows.end(), {match.a, match.b});
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  const auto place = [&](Row row) { return static_cast<std::uint32_t>(std::lower_bound(rows.begin(), rows.end(), row) - rows.begin()); };
  std::vector<std::uint32_t> parent(rows.size());
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&](std::uint32_t at) {
    while (parent[at] != at) at = parent[at] = parent[parent[at]];
    return at;
  };
  std::vector<std::uint32_t> groups;
  groups.reserve(matches.size());
  for (const Match& match : matches) {
    const std::uint32_t a = root(place(match.a)), b = root(place(match.b));
    parent[std::max(a, b)] = std::min(a, b);
    groups.push_back(place(match.a));
  }
  constexpr std::uint32_t kNone = UINT32_MAX;
  std::vector<std::uint32_t> number(rows.size(), kNone);
  std::uint32_t count = 0;
  for (std::uint32_t& group : groups) {
    std::uint32_t& known = number[root(group)];
    if (known == kNone) known = count++;
    group = known;
  }
  return groups;
}

std::vector<FoundPairs> found_pairs(const Basis& basis, const Matches& matches, const Plan& plan) {
  const std::vector<std::uint32_t> groups = groups_of(matches);
  std::vector<FoundPairs> pairs;
  pairs.reserve(matches.size());
  std::optional<FoundSets> of_sets;
  if (!compares_vectors(plan)) of_sets.emplace(plan, minhash_rounds(plan.sketch.hashes));
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const Match& match = matches[i];
    pairs.push_back({.probability = of_sets ? (*of_sets)(match.shared, match.total) : found_probability(plan, match.value),
                     .count = static_cast<double>(basis.copies[match.a]) * static_cast<double>(basis.copies[match.b]),
                     .group = groups[i]});
  }
  return pairs;
}

std::optional<Recall> recall_from(const Basis& basis, const Matches& all) {
  const Plan& plan = basis.stage.plan;
  const Matches different = basis.rows.across() ? without_copies(basis, all) : Matches();
  const Matches& matches = basis.rows.across() ? different : all;
  if (matches.empty()) return std::nullopt;
  // A radius given as a share says nothing about counts before the number of places is known.
  Plan counted = plan;
  if (plan.measure == Measure::hamming) counted.sketch.dimensions = places_of(basis.rows, plan);
  const std::vector<FoundPairs> pairs = found_pairs(basis, matches, counted);
  Finding finding{.at_threshold = found_probability(counted, border_of(counted)), .together = 0};
  const std::vector<TwoPairs> drawn = draw_two_pairs(pairs, kDraws, plan.sketch.seed);
  if (!drawn.empty()) {
    finding.together =
        compares_vectors(plan) ? mean_for_vectors(basis, matches, drawn, counted) : mean_for_sets(basis, matches, drawn, counted.band);
  }
  return estimate_recall(pairs, finding);
}

}  // namespace

std::optional<Recall> recall_of(const Rows& rows, const Stage& stage, const SearchResult& found, const MatchStream& matches) {
  const Plan& plan = stage.plan;
  if (plan.exact_join() || plan.measure == Measure::exact) return Recall{};
  // The chance to propose a containment depends on both sizes, not on the containment alone.
  if (plan.measure == Measure::containment) return std::nullopt;
  if (plan.verify != Verify::exact || rows.stats.buckets.not_compared != 0) return std::nullopt;
  const Basis basis{rows, stage, found, copies_of(found)};
  if (const Matches* const all = matches.in_memory()) return recall_from(basis, *all);
  return recall_from(basis, matches_that_fit(basis, matches));
}

}  // namespace nearkin

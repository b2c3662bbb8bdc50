#include "analysis/recall_basis.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/parallel.h"
#include "collect/row_vectors.h"
#include "collect/sketcher.h"
#include "family/family.h"
#include "theory/tune_cost.h"

namespace nearkin {
namespace {

// What a rehearsal may take: enough that the interval changes by less than a tenth, and so little that no run waits for it.
constexpr double kMostRehearsed = 2048, kFewestRehearsed = 16;  // pairs
constexpr std::uint32_t kPool = 1024;                           // hashes
constexpr double kMostNanoseconds = 15e6;                       // nominal, for the sketches
constexpr double kMostNumbers = 1e6;                            // of 8 bytes, of the sets or vectors

using Elements = std::span<const std::uint64_t>;

/// The rows of the pairs, ascending, each once.
std::vector<Row> rows_of(const Matches& matches) {
  std::vector<Row> rows;
  for (const Match& match : matches) rows.insert(rows.end(), {match.a, match.b});
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

/// The sets of some rows, ascending.
class SetsOf {
 public:
  SetsOf(const RecallBasis& basis, const std::vector<Row>& rows) : sets_(basis.found.sets.bytes(basis.stage.threads)) {
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

/// sketch_of() makes a function that writes the slots of a row; a thread makes one, or two.
template <typename SketchOf>
Agreements agreements_by(const Matches& matches, std::uint32_t hashes, unsigned threads, SketchOf&& sketch_of) {
  Agreements agreements(matches.size(), hashes);
  const std::size_t share = (matches.size() / std::max(1u, threads) / Agreements::kBlock + 1) * Agreements::kBlock;
  parallel_for(matches.size(), share, threads, [&](std::size_t begin, std::size_t end, unsigned) {
    auto sketch = sketch_of();
    std::vector<std::uint32_t> a(hashes), b(hashes);
    for (std::size_t i = begin; i < end; ++i) {
      if (i == begin || matches[i].a != matches[i - 1].a) sketch(matches[i].a, a.data());
      sketch(matches[i].b, b.data());
      agreements.set(i, a, b);
    }
  });
  return agreements;
}

Agreements agreements_of_sets(const RecallBasis& basis, const Matches& matches, const SketchPlan& pool) {
  const SetsOf sets(basis, rows_of(matches));
  return agreements_by(matches, pool.hashes, basis.stage.threads, [&] {
    return [&, hasher = MinHasher(pool)](Row row, std::uint32_t* slots) mutable { hasher.sketch(sets(row), slots); };
  });
}

Agreements agreements_of_vectors(const RecallBasis& basis, const Matches& matches, const SketchPlan& pool) {
  const std::vector<Row> rows = rows_of(matches);
  const Vectors vectors = load_vectors(basis.rows, basis.stage.plan, rows, basis.stage.threads);
  return agreements_by(matches, pool.hashes, basis.stage.threads, [&] {
    return [&, hasher = vector_hasher(pool, vectors.kind, vectors.dimensions)](Row row, std::uint32_t* slots) mutable {
      const auto at = static_cast<std::size_t>(std::lower_bound(rows.begin(), rows.end(), row) - rows.begin());
      sketch_range(hasher, vectors, at, at + 1, slots, pool.hashes);
    };
  });
}

/// Some of the matches, in whole groups, and the pairs that they are.
struct Rehearsing {
  Matches matches;
  std::vector<FoundPairs> pairs;
  double times = 1;  // as many pairs are there in all as in the groups that were chosen
};

/// Numbers that a pair's items have, on average.
double numbers_of(const RecallBasis& basis, const Matches& matches) {
  if (compares_vectors(basis.stage.plan)) return std::max(1u, basis.rows.shape.dimensions);
  double elements = 1;
  for (const Match& match : matches) elements += match.total;
  return elements / static_cast<double>(matches.size());
}

// Groups are chosen by a hash of their number, many of them where there are many; of those chosen, pairs are where all are too many. Pairs
// that are left out of a group change little of how much the group strays, groups that are left out do.
Rehearsing some_groups(const Matches& matches, std::span<const FoundPairs> pairs, double fitting) {
  constexpr double kManyGroups = 256;
  double groups = 1;
  for (const FoundPairs& pair : pairs) groups = std::max(groups, pair.group + 1.0);
  const auto all = static_cast<double>(matches.size());
  if (fitting >= all) return {matches, {pairs.begin(), pairs.end()}};
  const double share = std::max(fitting / all, kManyGroups / groups);
  double in_groups = 0;
  for (const FoundPairs& pair : pairs) in_groups += chosen(pair.group, share);
  const double thinned = fitting / std::max(1.0, in_groups);
  Rehearsing some{.matches = {}, .pairs = {}, .times = all / std::max(1.0, in_groups)};
  for (std::size_t i = 0; i < matches.size(); ++i) {
    if (!chosen(pairs[i].group, share) || !chosen(~std::uint64_t{i}, thinned)) continue;
    some.matches.push_back(matches[i]);
    some.pairs.push_back(pairs[i]);
  }
  return some;
}

}  // namespace

Told told_by(const Plan& plan) {
  if (plan.exact_join() || plan.measure == Measure::exact) return Told::all;
  return plan.verify == Verify::exact ? Told::by_pairs : Told::nothing;
}

Plan counted_plan(const Rows& rows, const Plan& plan) {
  Plan counted = plan;
  if (plan.measure == Measure::hamming) counted.sketch.dimensions = places_of(rows, plan);
  return counted;
}

Chances::Chances(const Plan& plan) : plan_(plan) {
  if (!compares_vectors(plan)) of_sets_.emplace(plan, minhash_rounds(plan.sketch.hashes));
}

// Only rows that match anything are looked at: most do not.
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

Agreements agreements_of(const RecallBasis& basis, const Matches& matches, const SketchPlan& sketch) {
  return compares_vectors(basis.stage.plan) ? agreements_of_vectors(basis, matches, sketch) : agreements_of_sets(basis, matches, sketch);
}

double most_sketched(const RecallBasis& basis, const Plan& plan, const Matches& matches, std::uint32_t hashes) {
  const double cost = 1.5 * sketch_cost(plan, {}, hashes);  // two sketches a pair, or one where the next has the same first item
  const double most = std::min({kMostNanoseconds / cost, kMostNumbers / numbers_of(basis, matches), kMostRehearsed});
  return std::max(most, kFewestRehearsed);
}

Straying rehearsed(const RecallBasis& basis, const Plan& plan, const Matches& matches, std::span<const FoundPairs> pairs) {
  SketchPlan pool = plan.sketch;
  pool.seed = mix64(plan.sketch.seed);
  pool.hashes = kPool;
  const Rehearsing some = some_groups(matches, pairs, most_sketched(basis, plan, matches, kPool));
  if (some.pairs.size() < 2) return {};
  const Agreements agreements = agreements_of(basis, some.matches, pool);
  return rehearse(agreements, some.pairs, plan.band, some.times, mix64(pool.seed));
}

}  // namespace nearkin

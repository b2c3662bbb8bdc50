#include "analysis/run_recall.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include <nearkin/tools/describe.h>
#include <nearkin/tools/theory.h>

#include "base/parallel.h"
#include "collect/row_vectors.h"
#include "collect/sketcher.h"
#include "family/family.h"
#include "group/group.h"
#include "group/linkage.h"
#include "theory/plan_rules.h"
#include "theory/recall.h"
#include "theory/rehearse.h"
#include "theory/tune_cost.h"

namespace nearkin {
namespace {

// What a rehearsal may take: enough that the interval changes by less than a tenth, and so little that no run waits for it.
constexpr double kMostRehearsed = 2048, kFewestRehearsed = 64;  // pairs
constexpr std::uint32_t kPool = 1024;                           // hashes
constexpr double kMostNanoseconds = 15e6;                       // nominal, for the sketches
constexpr double kMostNumbers = 1e6;                            // of 8 bytes, of the sets or vectors

using Elements = std::span<const std::uint64_t>;

/// What an estimate of the recall rests on.
struct Basis {
  const Rows& rows;
  const Stage& stage;
  const SearchResult& found;
  std::vector<std::uint32_t> copies;  // items that a representative stands for
};

/// Of the pairs, ascending, each once.
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

/// sketch_of() makes a function that writes the slots of a row; a thread makes one, or two.
template <typename SketchOf>
Agreements agreements_of(const Matches& matches, std::uint32_t hashes, unsigned threads, SketchOf&& sketch_of) {
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

Agreements agreements_of_sets(const Basis& basis, const Matches& matches, const SketchPlan& pool) {
  const SetsOf sets(basis, rows_of(matches));
  return agreements_of(matches, pool.hashes, basis.stage.threads, [&] {
    return [&, hasher = MinHasher(pool)](Row row, std::uint32_t* slots) mutable { hasher.sketch(sets(row), slots); };
  });
}

Agreements agreements_of_vectors(const Basis& basis, const Matches& matches, const SketchPlan& pool) {
  const std::vector<Row> rows = rows_of(matches);
  const Vectors vectors = load_vectors(basis.rows, basis.stage.plan, rows, basis.stage.threads);
  return agreements_of(matches, pool.hashes, basis.stage.threads, [&] {
    return [&, hasher = vector_hasher(pool, vectors.kind, vectors.dimensions)](Row row, std::uint32_t* slots) mutable {
      const auto at = static_cast<std::size_t>(std::lower_bound(rows.begin(), rows.end(), row) - rows.begin());
      sketch_range(hasher, vectors, at, at + 1, slots, pool.hashes);
    };
  });
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

/// The chance of a match to be found.
class Chances {
 public:
  explicit Chances(const Plan& plan) : plan_(plan) {
    if (!compares_vectors(plan)) of_sets_.emplace(plan, minhash_rounds(plan.sketch.hashes));
  }
  double operator()(const Match& match) {
    return of_sets_ ? (*of_sets_)(match.shared, match.total) : found_probability(plan_, match.value);
  }

 private:
  const Plan& plan_;
  std::optional<FoundSets> of_sets_;
};

std::vector<FoundPairs> found_pairs(const Basis& basis, const Matches& matches, const Plan& plan) {
  const std::vector<std::uint32_t> groups = groups_of(matches);
  std::vector<FoundPairs> pairs;
  pairs.reserve(matches.size());
  Chances chance(plan);
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const Match& match = matches[i];
    pairs.push_back({.probability = chance(match),
                     .count = static_cast<double>(basis.copies[match.a]) * static_cast<double>(basis.copies[match.b]),
                     .group = groups[i]});
  }
  return pairs;
}

/// Some of the matches, in whole groups, and the pairs that they are.
struct Rehearsing {
  Matches matches;
  std::vector<FoundPairs> pairs;
};

/// Numbers that a pair's items have, on average.
double numbers_of(const Basis& basis, const Matches& matches) {
  if (compares_vectors(basis.stage.plan)) return std::max(1u, basis.rows.shape.dimensions);
  double elements = 1;
  for (const Match& match : matches) elements += match.total;
  return elements / static_cast<double>(matches.size());
}

// Groups are chosen by a hash of their number; of one that is too large itself, pairs are.
Rehearsing some_groups(const Matches& matches, std::span<const FoundPairs> pairs, double fitting) {
  const double share = fitting / static_cast<double>(matches.size());
  if (share >= 1) return {matches, {pairs.begin(), pairs.end()}};
  double in_groups = 0;
  for (const FoundPairs& pair : pairs) in_groups += chosen(pair.group, share);
  const double thinned = fitting / std::max(1.0, in_groups);
  Rehearsing some;
  for (std::size_t i = 0; i < matches.size(); ++i) {
    if (!chosen(pairs[i].group, share) || !chosen(~std::uint64_t{i}, thinned)) continue;
    some.matches.push_back(matches[i]);
    some.pairs.push_back(pairs[i]);
  }
  return some;
}

// With hashes of another seed, on some of the pairs that were found.
Straying rehearsed(const Basis& basis, const Plan& plan, const Matches& matches, std::span<const FoundPairs> pairs) {
  SketchPlan pool = plan.sketch;
  pool.seed = mix64(plan.sketch.seed);
  pool.hashes = kPool;
  const double cost = 1.5 * sketch_cost(plan, {}, kPool);  // two sketches a pair, or one where the next has the same first item
  const double most = std::min({kMostNanoseconds / cost, kMostNumbers / numbers_of(basis, matches), kMostRehearsed});
  const Rehearsing some = some_groups(matches, pairs, std::max(most, kFewestRehearsed));
  if (some.pairs.size() < 2) return {};
  const Agreements agreements =
      compares_vectors(plan) ? agreements_of_vectors(basis, some.matches, pool) : agreements_of_sets(basis, some.matches, pool);
  const double times = static_cast<double>(pairs.size()) / static_cast<double>(some.pairs.size());
  return rehearse(agreements, some.pairs, plan.band, times, mix64(pool.seed));
}

// A radius given as a share says nothing about counts before the number of places is known.
Plan counted_plan(const Rows& rows, const Plan& plan) {
  Plan counted = plan;
  if (plan.measure == Measure::hamming) counted.sketch.dimensions = places_of(rows, plan);
  return counted;
}

/// Items that were removed and are no copies of their keepers.
class RemovedItems {
 public:
  RemovedItems(const Rows& rows, const SearchResult& found, std::span<const Row> keepers)
      : rows_(rows), found_(found), keepers_(keepers), reader_(rows) {}
  bool operator()(Row row) {
    const Row keeper = keepers_[row];
    if (keeper == row || found_.representative[row] != row) return false;
    return !rows_.across() || reader_.content(row) != other_.content(keeper);
  }

 private:
  const Rows& rows_;
  const SearchResult& found_;
  std::span<const Row> keepers_;
  RowReader reader_, other_{rows_};
};

// The chance of each item that was removed, but for copies, to be removed: that bands find its match with its keeper, or, since keepers of
// stars between which a match runs are compared, that they find its match with another that the keeper took, and that the other is removed.
// Such ways are followed outward from the keeper, so that none runs in a circle. Only those that were found are known, so that the chance
// is rather higher. Between two inputs: that one of its matches is found.
class RemovalChances {
 public:
  RemovalChances(const Rows& rows, const Stage& stage, const SearchResult& found, std::span<const Row> keepers, const Plan& plan)
      : found_(found), keepers_(keepers), matches_(rows, stage, found, keepers), chance_(plan), missed_(keepers.size(), 1) {
    RemovedItems removed(rows, found, keepers);
    if (rows.across()) {
      found.matches.for_each([&](const Match& match) { missed_[match.a] *= static_cast<float>(1 - chance_(match)); });
    } else {
      for (Row row = 0; row < keepers.size(); ++row) {
        if (removed(row)) missed_[row] = static_cast<float>(1 - chance_(matches_(row)));
      }
      follow_ways();
    }
  }
  /// 0 where no way is known.
  double operator()(Row row) const { return 1 - static_cast<double>(missed_[row]); }
  /// Whether bands found its match with its keeper, or with an item of the other input.
  bool met(Row row) const { return steps_.empty() || steps_[row] == 1; }
  /// Of the row with its keeper; the rows ascend.
  Match match(Row row) const {
    Match match = matches_(row);
    if (match.a > match.b) std::swap(match.a, match.b);
    return match;
  }

 private:
  static constexpr std::uint8_t kFar = 255;

  // Steps from the keeper along matches within its star.
  std::vector<std::uint8_t> steps_to_keepers() const {
    std::vector<std::uint8_t> steps(keepers_.size(), kFar);
    for (Row row = 0; row < steps.size(); ++row) {
      if (keepers_[row] == row) steps[row] = 0;
    }
    for (std::uint8_t last = 0; last < SecondLookRule::kMostRounds; ++last) {
      bool any = false;
      const auto reach = [&](Row from, Row to) {
        if (steps[from] != last || steps[to] != kFar) return;
        steps[to] = static_cast<std::uint8_t>(last + 1);
        any = true;
      };
      found_.matches.for_each([&](const Match& match) {
        if (keepers_[match.a] != keepers_[match.b]) return;
        reach(match.a, match.b);
        reach(match.b, match.a);
      });
      if (!any) break;
    }
    return steps;
  }

  // Those one step away have ways through one another, each by its match with the keeper alone; those farther away through those before.
  void follow_ways() {
    steps_ = steps_to_keepers();
    const std::vector<std::uint8_t>& steps = steps_;
    std::uint8_t most = 1;
    for (const std::uint8_t count : steps) most = count == kFar ? most : std::max(most, count);
    const std::vector<float> direct = missed_;
    for (std::uint8_t at = 1; at <= most; ++at) {
      const auto note = [&](Row to, Row by, float found) {
        if (steps[to] != at || steps[by] == 0) return;
        if (at == 1 && steps[by] == 1) missed_[to] *= 1 - found * (1 - direct[by]);
        if (at > 1 && steps[by] < at) missed_[to] *= 1 - found * (1 - missed_[by]);
      };
      found_.matches.for_each([&](const Match& match) {
        if (keepers_[match.a] != keepers_[match.b]) return;
        const auto found = static_cast<float>(chance_(match));
        note(match.a, match.b, found);
        note(match.b, match.a, found);
      });
    }
  }

  const SearchResult& found_;
  std::span<const Row> keepers_;
  KeeperMatches matches_;
  Chances chance_;
  std::vector<float> missed_;        // by row
  std::vector<std::uint8_t> steps_;  // by row; of one input
};

std::optional<Recall> recall_from(const Basis& basis, const Matches& all) {
  const Plan& plan = basis.stage.plan;
  const Matches different = basis.rows.across() ? without_copies(basis, all) : Matches();
  const Matches& matches = basis.rows.across() ? different : all;
  if (matches.empty()) return std::nullopt;
  const Plan counted = counted_plan(basis.rows, plan);
  const std::vector<FoundPairs> pairs = found_pairs(basis, matches, counted);
  const Straying straying = rehearsed(basis, counted, matches, pairs);
  return estimate_recall(
      pairs,
      {.at_threshold = found_probability(counted, border_of(counted)), .least_missed = straying.least, .most_missed = straying.most});
}

// Matches of removed items with their keepers that fit, those of some keepers, which a hash chooses, where there are more.
double fitting_share(const Basis& basis, std::span<const Row> keepers) {
  constexpr std::uint64_t kBytes = 2 * (sizeof(Match) + sizeof(FoundPairs));
  std::uint64_t count = 0;
  for (Row row = 0; row < keepers.size(); ++row) count += keepers[row] != row;
  const std::uint64_t most = share_of(basis.rows, basis.stage, 49) / 2 / kBytes;
  return static_cast<double>(most) / static_cast<double>(std::max<std::uint64_t>(1, count));
}

/// What can be told by the pairs that were found, or why nothing can.
enum class Told { all, nothing, by_pairs };
Told told_by(const Rows& rows, const Plan& plan) {
  if (plan.exact_join() || plan.measure == Measure::exact) return Told::all;
  if (plan.verify != Verify::exact) return Told::nothing;
  return rows.stats.buckets.not_compared != 0 ? Told::nothing : Told::by_pairs;
}

}  // namespace

std::optional<Recall> recall_of(const Rows& rows, const Stage& stage, const SearchResult& found, const MatchStream& matches) {
  const Told told = told_by(rows, stage.plan);
  if (told != Told::by_pairs) return told == Told::all ? std::optional(Recall{}) : std::nullopt;
  const Basis basis{rows, stage, found, copies_of(found)};
  if (const Matches* const all = matches.in_memory()) return recall_from(basis, *all);
  return recall_from(basis, matches_that_fit(basis, matches));
}

std::optional<Recall> item_recall_of(const Rows& rows, const Stage& stage, const SearchResult& found, std::span<const Row> keepers) {
  const Told told = told_by(rows, stage.plan);
  if (told != Told::by_pairs) return told == Told::all ? std::optional(Recall{}) : std::nullopt;
  const Basis basis{rows, stage, found, {}};
  const Plan plan = counted_plan(rows, stage.plan);
  const RemovalChances chances(rows, stage, found, keepers, plan);
  const double share = fitting_share(basis, keepers);
  RemovedItems removed(rows, found, keepers);
  Matches matches;
  std::vector<Row> members;
  constexpr double kLeastChance = 0.01, kMostUntold = 0.02;
  double untold = 0;  // that would be missed by those who never met their keepers, if the ways that are known were all
  for (Row row = 0; row < keepers.size(); ++row) {
    if (!chosen(keepers[row], share) || !removed(row)) continue;
    const double chance = std::max(chances(row), kLeastChance);
    if (!chances.met(row)) untold += (1 - chance) / chance;
    if (chances(row) < kLeastChance) continue;
    matches.push_back(chances.match(row));
    members.push_back(row);
  }
  // In long chains there are many ways that were not found: what is known of them says too little.
  if (matches.empty() || untold > kMostUntold * static_cast<double>(matches.size())) return std::nullopt;
  const std::vector<std::uint32_t> groups = groups_of(matches);
  std::vector<FoundPairs> items;
  for (std::size_t i = 0; i < matches.size(); ++i) items.push_back({.probability = chances(members[i]), .count = 1, .group = groups[i]});
  const Straying straying = rehearsed(basis, plan, matches, items);
  return estimate_recall(
      items, {.at_threshold = found_probability(plan, border_of(plan)), .least_missed = straying.least, .most_missed = straying.most});
}

}  // namespace nearkin

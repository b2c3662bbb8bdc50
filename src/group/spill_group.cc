#include "group/spill_group.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/radix_sort.h"
#include "collect/segment.h"
#include "collect/spilled.h"
#include "io/formats/result_rows.h"
#include "match/verify.h"

namespace nearkin {
namespace {

constexpr Row kNone = UINT32_MAX;

// use(row) for all rows, the one most worth keeping first.
template <typename Use>
void for_each_in_order(const SpillSearch& search, Use&& use) {
  for (Row place = 0; place < search.items(); ++place) use(search.order.empty() ? place : search.order[place]);
}

// Union-find over all matches; the root of a component is its least row.
class Components {
 public:
  explicit Components(const SpillSearch& search) : parent_(search.items()) {
    std::iota(parent_.begin(), parent_.end(), Row{0});
    for_each_match(search, [&](const Match& match) {
      const Row a = root(match.a), b = root(match.b);
      parent_[std::max(a, b)] = std::min(a, b);
    });
  }
  Row root(Row row) {
    while (parent_[row] != row) row = parent_[row] = parent_[parent_[row]];
    return row;
  }

 private:
  std::vector<Row> parent_;
};

std::vector<Row> keepers_connected(const SpillSearch& search) {
  Components components(search);
  std::vector<Row> of_root(search.items(), kNone), keepers(search.items());
  for_each_in_order(search, [&](Row row) {
    Row& keeper = of_root[components.root(row)];
    if (keeper == kNone) keeper = row;
    keepers[row] = keeper;
  });
  return keepers;
}

// Ranges of ranks, each with no more than about `most` matches by their first rank.
std::vector<Row> rank_ranges(const SpillSearch& search, std::uint64_t most) {
  const std::uint64_t width = search.items() / 65536 + 1;
  std::vector<std::uint64_t> counts(65536);
  for_each_match(search, [&](const Match& match) { ++counts[std::min(search.rank_of(match.a), search.rank_of(match.b)) / width]; });
  return cut_rows(counts, width, most);
}

// Greedy stars: rows are visited most worth keeping first. Those before a row in this order have a keeper when its turn comes, so that
// only matches with later rows count, in order of the earlier.
std::vector<Row> keepers_star(const SpillSearch& search) {
  std::vector<Row> keepers(search.items(), kNone);
  const auto take = [&](Row earlier, Row later) {
    if (keepers[earlier] == kNone) keepers[earlier] = earlier;
    if (keepers[earlier] == earlier && keepers[later] == kNone) keepers[later] = earlier;
  };
  if (search.order.empty()) {
    for_each_match(search, [&](const Match& match) { take(match.a, match.b); });
  } else {
    const std::vector<Row> cuts = rank_ranges(search, search.share(17) / 16);
    std::vector<std::uint64_t> pairs, scratch;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      pairs.clear();
      for_each_match(search, [&](const Match& match) {
        const Row a = search.rank_of(match.a), b = search.rank_of(match.b), first = std::min(a, b);
        if (first >= cuts[i] && first < cuts[i + 1]) pairs.push_back(std::uint64_t{first} << 32 | std::max(a, b));
      });
      radix_sort(pairs, scratch);
      for (const std::uint64_t pair : pairs) take(search.order[pair >> 32], search.order[static_cast<Row>(pair)]);
    }
  }
  for (Row row = 0; row < keepers.size(); ++row) {
    if (keepers[row] == kNone) keepers[row] = row;
  }
  return keepers;
}

// The pairs of representatives with their keepers that are no matches, ascending.
std::vector<std::uint64_t> pairs_to_count(const SpillSearch& search, const std::vector<Row>& keepers, const KeeperMatches& known) {
  std::vector<std::uint64_t> pairs;
  for (Row row = 0; row < keepers.size(); ++row) {
    const Row keeper = keepers[row];
    if (search.representative[row] != row || keeper == row || known.total[row] != 0) continue;
    pairs.push_back(std::uint64_t{std::min(row, keeper)} << 32 | std::max(row, keeper));
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

void count_pairs_now(const SpillSearch& search, const std::vector<Row>& keepers, const SpilledSets& sets, KeeperMatches& known) {
  const std::vector<std::uint64_t> pairs = pairs_to_count(search, keepers, known);
  const std::uint32_t hashes = search.plan.sketch.hashes;
  const bool exactly = search.plan.verify == Verify::exact;
  const auto take = [&](std::uint64_t pair, const Match& match) {
    const Row a = static_cast<Row>(pair >> 32), b = static_cast<Row>(pair);
    const Row member = keepers[a] == b && a != b ? a : b;
    known.shared[member] = match.shared;
    known.total[member] = match.total;
  };
  const RowBytes rows = exactly ? sets.bytes(search) : fixed_rows(search, kSlots, hashes * sizeof(std::uint32_t));
  join_local(pairs, rows, search.share(25) / 2, [&](unsigned, std::size_t i, std::span<const std::byte> a, std::span<const std::byte> b) {
    if (exactly) return take(pairs[i], exact_match(0, 1, as_set(a), as_set(b)));
    std::uint32_t equal = 0;
    for (std::uint32_t k = 0; k < hashes; ++k) equal += std::memcmp(a.data() + 4 * k, b.data() + 4 * k, 4) == 0;
    take(pairs[i], {0, 1, equal, hashes});
  });
}

bool chosen(std::uint64_t what, double share) { return static_cast<double>(mix64(what) >> 11) * 0x1p-53 < share; }

// All matches, or, where they are more than fit, those of some components, which a hash chooses: whole ones, because pairs of one component
// are found and missed together, but for a component that is too large itself.
Matches matches_for_recall(const SpillSearch& search) {
  constexpr std::uint64_t kBytes = 2 * sizeof(Match) + sizeof(FoundPairs) + 6 * sizeof(Row);
  const std::uint64_t most = search.share(21) / 2 / kBytes;
  const double share = static_cast<double>(most) / static_cast<double>(std::max<std::uint64_t>(1, search.match_count));
  Matches matches;
  if (share >= 1) {
    for_each_match(search, [&](const Match& match) { matches.push_back(match); });
    return matches;
  }
  Components components(search);
  std::uint64_t in_components = 0;
  for_each_match(search, [&](const Match& match) { in_components += chosen(components.root(match.a), share); });
  const double thinned = static_cast<double>(most) / static_cast<double>(std::max<std::uint64_t>(1, in_components));
  matches.reserve(std::min(most, in_components));
  for_each_match(search, [&](const Match& match) {
    if (chosen(components.root(match.a), share) && chosen(std::uint64_t{match.a} << 32 | match.b, thinned)) matches.push_back(match);
  });
  return matches;
}

}  // namespace

std::vector<Row> keepers_spilled(const SpillSearch& search, Linkage linkage) {
  const std::vector<Row> of_representatives = linkage == Linkage::star ? keepers_star(search) : keepers_connected(search);
  std::vector<Row> keepers(search.items());
  for (Row row = 0; row < keepers.size(); ++row) keepers[row] = of_representatives[search.representative[row]];
  return keepers;
}

std::vector<Row> keepers_across_spilled(const SpillSearch& search, KeeperMatches* similarity) {
  const Row split = search.collection.split;
  std::vector<Row> best(split, kNone);
  KeeperMatches known{.shared = std::vector<std::uint32_t>(split), .total = std::vector<std::uint32_t>(split)};
  for_each_match(search, [&](const Match& match) {
    const Match before{match.a, best[match.a], known.shared[match.a], known.total[match.a]};
    if (best[match.a] != kNone && !nearer(match, before, search.plan.measure)) return;
    best[match.a] = match.b;
    known.shared[match.a] = match.shared;
    known.total[match.a] = match.total;
  });
  std::vector<Row> keepers(split);
  for (Row row = 0; row < split; ++row) {
    const Row keeper = best[search.representative[row]];
    keepers[row] = keeper == kNone ? row : keeper;
  }
  if (similarity != nullptr) *similarity = std::move(known);
  return keepers;
}

Match KeeperMatches::match(const SpillSearch& search, Row row, Row keeper) const {
  const Row representative = search.representative[row];
  if (representative == search.representative[keeper]) return {row, keeper, 1, 1};
  return {row, keeper, shared[representative], total[representative]};
}

KeeperMatches match_keepers(const SpillSearch& search, const std::vector<Row>& keepers, const SpilledSets& sets) {
  KeeperMatches known{.shared = std::vector<std::uint32_t>(search.items()), .total = std::vector<std::uint32_t>(search.items())};
  if (search.plan.verify == Verify::none || search.plan.measure == Measure::exact) return known;
  for_each_match(search, [&](const Match& match) {
    for (const auto& [member, keeper] : {std::pair(match.a, match.b), std::pair(match.b, match.a)}) {
      if (keepers[member] != keeper) continue;
      known.shared[member] = match.shared;
      known.total[member] = match.total;
    }
  });
  count_pairs_now(search, keepers, sets, known);
  return known;
}

std::vector<std::uint32_t> copies_spilled(const SpillSearch& search) {
  std::vector<std::uint32_t> copies(search.items());
  for (const Row row : search.representative) ++copies[row];
  return copies;
}

std::uint64_t count_pairs_spilled(const SpillSearch& search, bool across) {
  const std::vector<std::uint32_t> copies = copies_spilled(search);
  std::uint64_t count = 0;
  for_each_match(search, [&](const Match& match) { count += std::uint64_t{copies[match.a]} * copies[match.b]; });
  for (const std::uint64_t n : copies) count += across || n == 0 ? 0 : n * (n - 1) / 2;
  return count;
}

std::optional<Recall> recall_spilled(const SpillSearch& search, const SpilledSets& sets) {
  if (search.plan.measure == Measure::exact) return Recall{};
  const Matches matches = matches_for_recall(search);
  const std::vector<std::uint32_t> copies = copies_spilled(search);
  const std::vector<Segment>& segments = search.collection.segments;
  const auto content = [&](Row row) {
    const Segment& segment = segment_of(segments, row);
    return BlockReader(*segment.file, segment.file->at(kContents)).value<Hash128>(row - segment.first);
  };
  std::map<Row, std::vector<std::uint64_t>> loaded;
  const auto load = [&](std::span<const Row> rows) {
    std::vector<Row> wanted(rows.begin(), rows.end());
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    for (const Row row : wanted) loaded[row];
    sets.bytes(search).read(wanted, [&](unsigned, std::size_t i, std::span<const std::byte> bytes) {
      loaded.find(wanted[i])->second.assign(as_set(bytes).begin(), as_set(bytes).end());
    });
    return FeaturesOf([&](Row row) { return std::span<const std::uint64_t>(loaded.at(row)); });
  };
  return recall_from(search.collection,
                     {.matches = matches,
                      .copies = [&](Row row) { return static_cast<double>(copies[row]); },
                      .are_copies = [&](const Match& match) { return content(match.a) == content(match.b); },
                      .load = load},
                     search.plan);
}

}  // namespace nearkin

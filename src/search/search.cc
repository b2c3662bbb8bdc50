#include "search/search.h"

#include <algorithm>
#include <optional>

#include <nearkin/theory.h>

#include "base/parallel.h"
#include "match/candidates.h"
#include "match/containment.h"
#include "match/containment_sketch.h"
#include "match/exact_join.h"
#include "match/keep.h"
#include "match/space.h"
#include "match/verify.h"

namespace nearkin {
namespace {

// Bytes of a slot that the signature test compares, and the probability with which it may lose a pair at the threshold.
constexpr std::uint32_t kSignatureBits = 8;
constexpr double kSignatureMiss = 1e-6;

// Features of the candidates alone, read again: most items of most collections are no candidates.
void load_candidates(const Collection& collection, const Pairs& pairs, const Plan& plan, unsigned threads, SearchResult& found) {
  found.place.assign(collection.size(), 0);
  for (const auto& [a, b] : pairs) found.place[a] = found.place[b] = 1;
  std::vector<Row> rows;
  for (Row row = 0; row < collection.size(); ++row) {
    if (found.place[row] == 0) continue;
    found.place[row] = static_cast<std::uint32_t>(rows.size());
    rows.push_back(row);
  }
  found.features = load_features(collection, rows, plan.shingle, threads);
}

Match estimated_match(Row a, Row b, const Collection& collection, std::uint32_t hashes) {
  const std::uint32_t *x = collection.slots.data() + std::size_t{a} * hashes, *y = collection.slots.data() + std::size_t{b} * hashes;
  std::uint32_t equal = 0;
  for (std::uint32_t i = 0; i < hashes; ++i) equal += x[i] == y[i];
  return {a, b, equal, hashes};
}

// Share of equal slots against the threshold, in integers: equal/hashes ≥ numerator/denominator.
void take_estimates(const Collection& collection, const Pairs& pairs, const Plan& plan, SearchResult& found, RunStats& stats) {
  for (const auto& [a, b] : pairs) {
    const Match match = estimated_match(a, b, collection, plan.sketch.hashes);
    if (match.shared * plan.threshold.denominator >= plan.threshold.numerator * match.total) {
      found.matches.push_back(match);
    } else {
      stats.closest_below = std::max(stats.closest_below, match.similarity());
    }
  }
}

double closest(const Pairs& pairs, const SearchResult& found) {
  double best = 0;
  for (const auto& [a, b] : pairs) {
    best = std::max(best, exact_match(a, b, found.features_of(a), found.features_of(b)).similarity());
  }
  return best;
}

void search_by_sketches(Collection& collection, const Plan& plan, std::span<const Row> members, unsigned threads, SearchResult& found) {
  RunStats& stats = collection.stats;
  StageClock clock;
  CandidateSearch what{.plan = plan.band,
                       .keys = collection.keys.data(),
                       .members = members,
                       .split = collection.split,
                       .most_pairs = collection.most_candidates};
  const Ratio threshold = least_share(plan, collection.columns);
  if (plan.verify == Verify::exact && !compares_vectors(plan)) {
    what.signatures = collection.signatures.data();
    what.signature_size = plan.sketch.hashes;
    what.least = least_signature(plan, threshold);
  }
  CandidateResult candidates = find_candidates(what, threads);
  stats.candidates = candidates.looked_at;
  stats.buckets = candidates.notes;
  found.buckets = std::move(candidates.biggest);
  stats.seconds.emplace_back("candidates", clock.lap());
  std::vector<std::uint32_t>().swap(collection.keys);
  std::vector<std::uint8_t>().swap(collection.signatures);
  if (plan.verify == Verify::exact && compares_vectors(plan)) {
    VerifyResult verified = verify_vectors(candidates.pairs, collection.vectors, plan, threads);
    found.matches = std::move(verified.matches);
    stats.closest_below = verified.closest_below;
  } else if (plan.verify == Verify::exact) {
    load_candidates(collection, candidates.pairs, plan, threads, found);
    stats.seconds.emplace_back("shingle candidates", clock.lap());
    VerifyResult verified = verify_pairs(candidates.pairs, found.features.items, found.place, threshold, threads);
    found.matches = std::move(verified.matches);
    stats.closest_below = verified.closest_below;
    // A run without any match says how near it came; counting stops early otherwise.
    if (found.matches.empty()) stats.closest_below = closest(candidates.pairs, found);
  } else if (plan.verify == Verify::estimate) {
    take_estimates(collection, candidates.pairs, plan, found, stats);
  } else {
    for (const auto& [a, b] : candidates.pairs) found.matches.push_back({a, b, 0, 0});
  }
  stats.seconds.emplace_back("verify", clock.lap());
}

void take_joined(Collection& collection, Matches&& matches, double closest_below, std::uint64_t looked_at, SearchResult& found) {
  found.matches = std::move(matches);
  collection.stats.candidates = looked_at;
  collection.stats.closest_below = closest_below;
}

void search_exactly(Collection& collection, const Plan& plan, std::span<const Row> members, unsigned threads, SearchResult& found) {
  StageClock clock;
  found.features.blocks.push_back(std::move(collection.features));
  const Features& features = found.features.blocks.front();
  for (Row row = 0; row < features.size(); ++row) found.features.items.push_back(features[row]);
  const Ratio threshold = least_share(plan, collection.columns);
  JoinResult joined = plan.measure == Measure::containment ? join_containment(features, members, collection.split, threshold, threads)
                                                           : join_exactly(features, members, collection.split, threshold, threads);
  take_joined(collection, std::move(joined.matches), joined.closest_below, joined.looked_at, found);
  collection.stats.seconds.emplace_back("join", clock.lap());
}

void search_vectors_exactly(Collection& collection, const Plan& plan, std::span<const Row> members, unsigned threads, SearchResult& found) {
  StageClock clock;
  VectorJoinResult joined = join_vectors(collection.vectors, members, collection.split, plan, threads);
  take_joined(collection, std::move(joined.matches), joined.closest_below, joined.looked_at, found);
  collection.stats.seconds.emplace_back("join", clock.lap());
}

// Containment is not what sketches estimate: candidates are proposed by classes of size, and each is verified.
void search_containment(Collection& collection, const Plan& plan, std::span<const Row> members, unsigned threads, SearchResult& found) {
  RunStats& stats = collection.stats;
  StageClock clock;
  const ContainmentCandidates proposed = containment_candidates({.slots = collection.slots.data(),
                                                                 .hashes = plan.sketch.hashes,
                                                                 .sizes = collection.set_sizes,
                                                                 .members = members,
                                                                 .split = collection.split,
                                                                 .threshold = plan.threshold,
                                                                 .recall = plan.recall,
                                                                 .large_bucket = plan.band.large_bucket},
                                                                threads);
  stats.candidates = proposed.pairs.size();
  stats.buckets = proposed.notes;
  stats.least_recall = std::min(proposed.least_recall, plan.recall);
  stats.seconds.emplace_back("candidates", clock.lap());
  if (plan.verify == Verify::none) {
    for (const auto& [a, b] : proposed.pairs) found.matches.push_back({a, b, 0, 0});
    return;
  }
  load_candidates(collection, proposed.pairs, plan, threads, found);
  stats.seconds.emplace_back("shingle candidates", clock.lap());
  VerifyResult verified = verify_containment(proposed.pairs, found.features.items, found.place, plan.threshold, threads);
  found.matches = std::move(verified.matches);
  stats.closest_below = verified.closest_below;
  stats.seconds.emplace_back("verify", clock.lap());
}

// Measure exact between two collections: items of equal content, one from each side.
void match_contents_across(const Collection& collection, std::span<const Row> members, SearchResult& found) {
  std::vector<Row> sorted(members.begin(), members.end());
  std::sort(sorted.begin(), sorted.end(), [&](Row a, Row b) {
    return collection.contents[a] != collection.contents[b] ? collection.contents[a] < collection.contents[b] : a < b;
  });
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (collection.contents[sorted[i - 1]] == collection.contents[sorted[i]]) {
      const auto [a, b] = std::minmax(sorted[i - 1], sorted[i]);
      found.matches.push_back({a, b, 1, 1});
    }
  }
  std::sort(found.matches.begin(), found.matches.end(), [](const Match& x, const Match& y) { return Pair{x.a, x.b} < Pair{y.a, y.b}; });
}

}  // namespace

std::uint32_t least_signature(const Plan& plan, Ratio threshold) {
  if (plan.verify != Verify::exact) return 0;
  return least_agreement(threshold.value(), plan.sketch.hashes, kSignatureBits, kSignatureMiss);
}

// Open addressing over content hashes, visited in the order of keeping: the first of each content represents it.
std::vector<Row> fold_copies(const Collection& collection, std::span<const Row> order) {
  std::size_t size = 1024;
  while (size < 2 * order.size()) size *= 2;
  constexpr Row kFree = UINT32_MAX, kAhead = 16;
  // Half of a hash stands beside the row, so that the contents of another are looked at only where they are most likely the same.
  struct Entry {
    Row row = kFree;
    std::uint32_t half = 0;
  };
  std::vector<Entry> table(size);
  std::vector<Row> representative(order.size());
  const auto same = [&](Row a, Row b) {
    return collection.contents[a] == collection.contents[b] && (a < collection.split) == (b < collection.split);
  };
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Row row = order[i];
    if (i + kAhead < order.size()) __builtin_prefetch(&table[collection.contents[order[i + kAhead]].high & (size - 1)], 1);
    representative[row] = row;
    if (collection.empty[row] != 0) continue;
    std::size_t place = collection.contents[row].high & (size - 1);
    const auto half = static_cast<std::uint32_t>(collection.contents[row].low);
    while (table[place].row != kFree && !(table[place].half == half && same(table[place].row, row))) place = (place + 1) & (size - 1);
    if (table[place].row == kFree) table[place] = {row, half};
    representative[row] = table[place].row;
  }
  return representative;
}

// Two rows of a table with `columns` answers each that differ in at most `radius` of them share columns − radius of columns + radius.
Ratio least_share(const Plan& plan, std::uint32_t columns) {
  if (plan.measure != Measure::hamming) return plan.threshold;
  const auto radius = static_cast<std::uint64_t>(Border(plan, columns).limit());
  return {radius < columns ? columns - radius : 0, std::max<std::uint64_t>(1, columns + radius)};
}

std::vector<std::uint64_t> copies_of(const SearchResult& found) {
  std::vector<std::uint64_t> copies(found.representative.size());
  for (const Row row : found.representative) ++copies[row];
  return copies;
}

const Match* find_match(const Matches& matches, Row a, Row b, bool directed) {
  const Pair wanted = directed ? Pair{a, b} : Pair{std::min(a, b), std::max(a, b)};
  const auto place = std::lower_bound(matches.begin(), matches.end(), wanted, [](const Match& match, const Pair& pair) {
    return Pair{match.a, match.b} < pair;
  });
  return place != matches.end() && Pair{place->a, place->b} == wanted ? &*place : nullptr;
}

SearchResult search(Collection& collection, const Plan& plan, const Keep& keep, const RunOptions& options) {
  const unsigned threads = thread_count(options.threads);
  SearchResult found;
  found.order = keep_order(keep, collection.text_sizes, collection.numbers);
  found.representative = fold_copies(collection, found.order);
  std::vector<Row> members;
  for (const Row row : found.order) {
    if (collection.empty[row] == 0 && found.representative[row] == row) members.push_back(row);
  }
  collection.stats.copies = collection.size() - collection.stats.empty - members.size();
  if (options.progress) options.progress("search", 0, 0);
  // An empty input has no pairs with `against`; a split of 0 would mean that there is no `against`.
  if (collection.inputs.size() > 1 && collection.split == 0) return found;
  if (plan.measure == Measure::exact) {
    if (collection.split != 0) match_contents_across(collection, members, found);
  } else if (plan.exact_join() && compares_vectors(plan)) {
    search_vectors_exactly(collection, plan, members, threads, found);
  } else if (plan.measure == Measure::containment && !plan.exact_join()) {
    search_containment(collection, plan, members, threads, found);
  } else if (plan.exact_join()) {
    search_exactly(collection, plan, members, threads, found);
  } else {
    search_by_sketches(collection, plan, members, threads, found);
  }
  collection.stats.recall = recall_of(collection, found, found.matches, plan);
  return found;
}

std::uint64_t count_pairs(const SearchResult& found, bool across, Measure measure) {
  const std::vector<std::uint64_t> copies = copies_of(found);
  std::uint64_t count = 0;
  for (const Match& match : found.matches) count += copies[match.a] * copies[match.b];
  for (const std::uint64_t n : copies) count += across || n == 0 ? 0 : n * (n - 1) / (measure == Measure::containment ? 1 : 2);
  return count;
}

Match match_between(Row a, Row b, const Collection& collection, const SearchResult& found, const Plan& plan) {
  const Row ra = found.representative[a], rb = found.representative[b];
  if (ra == rb) return {a, b, 1, 1};
  const bool directed = plan.measure == Measure::containment;
  const Match* const known = find_match(found.matches, ra, rb, directed);
  if (known != nullptr) return {a, b, known->shared, known->total, known->value};
  if (plan.verify == Verify::estimate) {
    const Match match = estimated_match(ra, rb, collection, plan.sketch.hashes);
    return {a, b, match.shared, match.total};
  }
  if (plan.verify == Verify::none) return {a, b, 0, 0};
  if (compares_vectors(plan)) return {a, b, 0, 0, value_between(collection.vectors, ra, collection.vectors, rb, plan.measure)};
  Match match = exact_match(a, b, found.features_of(ra), found.features_of(rb));
  if (directed) match.total = static_cast<std::uint32_t>(found.features_of(ra).size());
  return match;
}

}  // namespace nearkin

#include "search/search.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include <nearkin/tools/theory.h>

#include "collect/collect.h"
#include "collect/row_vectors.h"
#include "collect/segment.h"
#include "io/formats/result_rows.h"
#include "match/candidates.h"
#include "match/space.h"
#include "match/verify.h"
#include "search/exact_search.h"
#include "search/file_search.h"
#include "search/fold.h"

namespace nearkin {
namespace {

// Bits of a slot that the signature test compares, and the probability with which it may lose a pair at the threshold.
constexpr std::uint32_t kSignatureBits = 8;
constexpr double kSignatureMiss = 1e-6;
constexpr std::uint64_t kBytesOfCandidate = 64;  // as a pair, while it is sorted, and as a match

/// A search of rows in memory under way.
struct MemorySearch {
  Rows& rows;
  const Stage& stage;
  SearchResult& result;
  StageClock clock = {};

  RunStats& stats() const { return rows.stats; }
  void lap(const char* what) { rows.stats.seconds.emplace_back(what, clock.lap()); }
};

// Features of the candidates alone, read again: most items of most collections are no candidates.
struct LoadedCandidates {
  FeatureBlocks features;
  std::vector<std::uint32_t> place;
};

LoadedCandidates load_candidates(const Rows& rows, const Pairs& pairs, const TestedMeetings& meetings, const Stage& stage) {
  LoadedCandidates out;
  out.place.assign(rows.size(), 0);
  for (const auto& [a, b] : pairs) out.place[a] = out.place[b] = 1;
  for (const std::uint64_t pair : meetings.pairs) out.place[pair >> 32] = out.place[static_cast<Row>(pair)] = 1;
  std::vector<Row> wanted;
  for (Row row = 0; row < rows.size(); ++row) {
    if (out.place[row] == 0) continue;
    out.place[row] = static_cast<std::uint32_t>(wanted.size());
    wanted.push_back(row);
  }
  Advance advance = stage.advance("shingle candidates");
  out.features = load_features(rows, wanted, stage.plan.shingle, stage.threads, true, &advance);
  return out;
}

std::vector<std::uint64_t> packed(const Pairs& pairs) {
  std::vector<std::uint64_t> all;
  all.reserve(pairs.size());
  for (const auto& [a, b] : pairs) all.push_back(std::uint64_t{a} << 32 | b);
  return all;
}

// Share of equal slots against the threshold, in integers: equal/hashes ≥ numerator/denominator.
Matches take_estimates(const MemorySearch& search, const Pairs& pairs) {
  const Ratio threshold = search.stage.plan.threshold;
  Matches all(pairs.size()), matches;
  match_pairs(search.rows, search.stage, search.result, packed(pairs), [&](std::size_t i, const Match& match) { all[i] = match; });
  for (const Match& match : all) {
    if (match.shared * threshold.denominator >= threshold.numerator * match.total) {
      matches.push_back(match);
    } else {
      search.stats().closest_below = std::max(search.stats().closest_below, match.similarity());
    }
  }
  return matches;
}

Matches unverified(const Pairs& pairs) {
  Matches matches;
  for (const auto& [a, b] : pairs) matches.push_back({a, b, 0, 0});
  return matches;
}

double closest(const MemorySearch& search, const Pairs& pairs) {
  std::vector<double> similarity(pairs.size());
  match_pairs(search.rows, search.stage, search.result, packed(pairs),
              [&](std::size_t i, const Match& match) { similarity[i] = match.similarity(); });
  return similarity.empty() ? 0 : *std::max_element(similarity.begin(), similarity.end());
}

Matches verify_sets(MemorySearch& search, const Pairs& pairs, Ratio threshold) {
  search.stage.progress("shingle candidates");
  LoadedCandidates loaded = load_candidates(search.rows, pairs, search.result.meetings, search.stage);
  search.lap("shingle candidates");
  search.stage.progress("verify");
  Advance advance = search.stage.advance("verify");
  VerifyResult verified = verify_pairs(pairs, loaded.features.items, loaded.place, threshold, search.stage.threads, &advance);
  search.result.sets = CandidateSets(std::move(loaded.features), std::move(loaded.place));
  search.stats().closest_below = verified.closest_below;
  // A run without any match says how near it came; counting stops early otherwise.
  if (verified.matches.empty()) search.stats().closest_below = closest(search, pairs);
  return std::move(verified.matches);
}

CandidateResult candidates_in_memory(MemorySearch& search, std::span<const Row> members, Ratio threshold) {
  const Plan& plan = search.stage.plan;
  RowArrays& arrays = search.rows.arrays;
  Advance advance = search.stage.advance("candidates");
  CandidateSearch what{.plan = plan.band,
                       .keys = arrays.keys.data(),
                       .members = members,
                       .rows = search.rows.size(),
                       .pairs = search.result.rule(search.rows),
                       .most_pairs = search.rows.most_candidates,
                       .advance = &advance};
  if (plan.verify == Verify::exact && !compares_vectors(plan)) {
    what.signatures = arrays.signatures.data();
    what.signature_size = plan.sketch.hashes;
    what.least = least_signature(plan, threshold);
  }
  search.stage.progress("candidates");
  CandidateResult candidates = find_candidates(what, search.stage.threads);
  search.stats().candidates = candidates.looked_at;
  search.stats().buckets = candidates.notes;
  search.lap("candidates");
  std::vector<std::uint32_t>().swap(arrays.keys);
  std::vector<std::uint8_t>().swap(arrays.signatures);
  return candidates;
}

void search_bands(MemorySearch& search, std::span<const Row> members) {
  const Plan& plan = search.stage.plan;
  const Ratio threshold = least_share(plan, search.rows.columns);
  CandidateResult candidates = candidates_in_memory(search, members, threshold);
  search.result.buckets = std::move(candidates.biggest);
  search.result.meetings = std::move(candidates.meetings);
  search.result.in_large = std::move(candidates.in_large);
  Matches matches;
  const bool shingles_again = plan.verify == Verify::exact && !compares_vectors(plan);
  if (plan.verify != Verify::none && !shingles_again) search.stage.progress("verify");
  if (plan.verify == Verify::none) {
    matches = unverified(candidates.pairs);
  } else if (plan.verify == Verify::estimate) {
    matches = take_estimates(search, candidates.pairs);
  } else if (compares_vectors(plan)) {
    Advance advance = search.stage.advance("verify");
    VerifyResult verified = verify_vectors(candidates.pairs, search.rows.arrays.vectors, plan, search.stage.threads, &advance);
    matches = std::move(verified.matches);
    search.stats().closest_below = verified.closest_below;
  } else {
    matches = verify_sets(search, candidates.pairs, threshold);
  }
  search.result.matches = MatchStream(std::move(matches));
  search.lap("verify");
}

// What a search by sketches takes beside rows that cannot go to files.
void require_room(const MemorySearch& search, std::size_t members) {
  const Plan& plan = search.stage.plan;
  if (search.stage.options.memory == 0 || search.rows.move_to_files) return;
  constexpr std::uint64_t kSorting = 24;
  const std::uint64_t of_member = sizeof(std::uint64_t) * plan.band.bands + kSorting;
  const std::uint64_t sets = compares_vectors(plan) ? 0 : sizeof(std::uint64_t) * search.rows.shingles;
  const std::uint64_t needed = search.rows.held_bytes + members * of_member + sets;
  if (needed > search.stage.memory) refuse_memory(needed, search.stage.memory);
  search.rows.most_candidates = (search.stage.memory - needed) / kBytesOfCandidate;
}

// Measure exact between two inputs: items of equal content, one from each side.
MatchStream equal_matches(const std::vector<std::uint64_t>& pairs) {
  Matches matches;
  matches.reserve(pairs.size());
  for (const std::uint64_t pair : pairs) matches.push_back({static_cast<Row>(pair >> 32), static_cast<Row>(pair), 1, 1});
  return MatchStream(std::move(matches));
}

std::vector<Row> members_of(const SearchResult& found) {
  std::vector<Row> members;
  for (Row place = 0; place < found.items(); ++place) {
    const Row row = found.at_place(place);
    if (found.empty[row] == 0 && found.representative[row] == row) members.push_back(row);
  }
  return members;
}

SearchResult search_rows(Rows& rows, const Stage& stage, const Keep& keep, Wanted wanted) {
  stage.progress("search");
  if (rows.in_files()) require_memory(rows, stage, keep);
  Folded folded = fold(rows, stage, keep);
  SearchResult& found = folded.found;
  std::vector<Row> members = members_of(found);
  const std::span<const std::uint64_t> scopes = found.scopes.values();
  rows.stats.one_scope = !scopes.empty() && std::adjacent_find(scopes.begin(), scopes.end(), std::not_equal_to<>()) == scopes.end();
  rows.stats.one_side = rows.across() && (rows.split == 0 || rows.split == rows.size());
  rows.stats.copies = rows.size() - rows.stats.empty - members.size();
  if (rows.nothing_to_pair()) return std::move(found);
  if (stage.plan.measure == Measure::exact) {
    const bool scoped = !found.scopes.values().empty();
    found.matches = equal_matches(scoped ? equal_across_scopes(rows, found, wanted == Wanted::pairs, stage.options.max_pairs + 1)
                                         : folded.equal_across);
  } else if (stage.plan.exact_join()) {
    search_exactly(rows, stage, members, wanted, found);
  } else if (rows.in_files()) {
    search_in_files({rows, stage, found}, std::move(members));
  } else {
    MemorySearch search{rows, stage, found};
    require_room(search, members.size());
    search_bands(search, members);
  }
  return std::move(found);
}

// The share of equal slots of two sketches.
Match estimated_match(std::span<const std::byte> a, std::span<const std::byte> b) {
  constexpr std::size_t kSlot = sizeof(std::uint32_t);
  const auto hashes = static_cast<std::uint32_t>(a.size() / kSlot);
  std::uint32_t equal = 0;
  for (std::size_t at = 0; at < a.size(); at += kSlot) equal += std::memcmp(a.data() + at, b.data() + at, kSlot) == 0;
  return {0, 1, equal, hashes};
}

}  // namespace

bool SearchResult::stands_before(const Match& x, const Match& y, Measure measure) const {
  if (nearer(x, y, measure)) return true;
  return !nearer(y, x, measure) && rank_of(x.b) < rank_of(y.b);
}

RowBytes sketch_rows(const Rows& rows, const Plan& plan, unsigned threads) {
  const std::size_t hashes = plan.sketch.hashes;
  if (rows.in_files()) return fixed_rows(rows, kSlots, hashes * sizeof(std::uint32_t), threads);
  return rows_in_memory(std::span(rows.arrays.slots), hashes, threads);
}

RowBytes CandidateSets::bytes(unsigned threads) const {
  if (const SetFiles* const files = std::get_if<SetFiles>(&held_)) return files->bytes(threads);
  const InMemory& held = std::get<InMemory>(held_);
  return rows_in_memory([&held](Row row) { return std::as_bytes(held.features.items[held.place.empty() ? row : held.place[row]]); },
                        threads);
}

void for_each_value(const Rows& rows, const Stage& stage, std::span<const std::uint64_t> pairs, std::uint64_t memory,
                    const std::function<void(std::size_t i, double value)>& use) {
  const Measure measure = stage.plan.measure;
  if (rows.in_files()) {
    return join_local(pairs, vector_bytes(rows, stage.plan, stage.threads), memory, stage.threads,
                      [&](unsigned, std::size_t i, std::span<const std::byte> a, std::span<const std::byte> b) {
                        use(i, value_of_bytes(a, b, rows.shape, measure));
                      });
  }
  const Vectors& vectors = rows.arrays.vectors;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    use(i, value_between(vectors, static_cast<Row>(pairs[i] >> 32), vectors, static_cast<Row>(pairs[i]), measure));
}

void match_pairs(const Rows& rows, const Stage& stage, const SearchResult& found, std::span<const std::uint64_t> pairs,
                 const std::function<void(std::size_t i, const Match& match)>& use) {
  if (found.compare) {
    const Matches compared = found.compare(pairs);
    for (std::size_t i = 0; i < compared.size(); ++i) use(i, compared[i]);
    return;
  }
  const auto pair = [&](std::size_t i) { return Pair{static_cast<Row>(pairs[i] >> 32), static_cast<Row>(pairs[i])}; };
  const std::uint64_t memory = share_of(rows, stage, 25) / 2;
  if (compares_vectors(stage.plan)) {
    const auto use_value = [&](std::size_t i, double value) { use(i, {pair(i).a, pair(i).b, 0, 0, value}); };
    return for_each_value(rows, stage, pairs, memory, use_value);
  }
  const bool estimate = stage.plan.verify == Verify::estimate;
  join_local(pairs, estimate ? sketch_rows(rows, stage.plan, stage.threads) : found.sets.bytes(stage.threads), memory, stage.threads,
             [&](unsigned, std::size_t i, std::span<const std::byte> a, std::span<const std::byte> b) {
               Match match = estimate ? estimated_match(a, b) : exact_match(0, 1, as_set(a), as_set(b));
               std::tie(match.a, match.b) = std::tuple(pair(i).a, pair(i).b);
               use(i, match);
             });
}

std::uint32_t least_signature(const Plan& plan, Ratio threshold) {
  if (plan.verify != Verify::exact) return 0;
  return least_agreement(threshold.value(), plan.sketch.hashes, kSignatureBits, kSignatureMiss);
}

// Two rows of a table with `columns` answers each that differ in at most `radius` of them share columns − radius of columns + radius.
Ratio least_share(const Plan& plan, std::uint32_t columns) {
  if (plan.measure != Measure::hamming) return plan.threshold;
  const auto radius = static_cast<std::uint64_t>(Border(plan, columns).limit());
  return {radius < columns ? columns - radius : 0, std::max<std::uint64_t>(1, columns + radius)};
}

WithinBorder::WithinBorder(const Plan& plan, const Rows& rows)
    : least_(compares_vectors(plan) ? Ratio{} : least_share(plan, rows.columns)), border_(plan, places_of(rows, plan)) {}

std::vector<std::uint32_t> copies_of(const SearchResult& found) {
  std::vector<std::uint32_t> copies(found.items());
  for (const Row row : found.representative) ++copies[row];
  return copies;
}

SearchResult search(Rows& rows, const Stage& stage, const Keep& keep, Wanted wanted) {
  if (rows.in_files()) return search_rows(rows, stage, keep, wanted);
  try {
    return search_rows(rows, stage, keep, wanted);
  } catch (const TooManyCandidates&) {
    if (!rows.move_to_files) refuse_memory(stage.memory, stage.memory, Needed::more);
    rows.move_to_files(rows);
  }
  return search_rows(rows, stage, keep, wanted);
}

}  // namespace nearkin

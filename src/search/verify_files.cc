#include <algorithm>

#include "collect/segment.h"
#include "collect/sketcher.h"
#include "match/space.h"
#include "match/verify.h"
#include "search/file_search.h"

namespace nearkin {
namespace {

// The candidates of a part, decided.
struct Verified {
  Matches matches;  // in the order of the pairs
  double closest_below = 0;
};

Matches chosen(Matches all, const std::vector<std::uint8_t>& inside, std::span<const std::uint64_t> pairs) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (inside[i] == 0) continue;
    all[kept] = all[i];
    all[kept].a = static_cast<Row>(pairs[i] >> 32);
    all[kept++].b = static_cast<Row>(pairs[i]);
  }
  all.resize(kept);
  return all;
}

Verified verify_sets(const FileSearch& search, std::span<const std::uint64_t> pairs, std::uint64_t memory) {
  const Plan& plan = search.stage.plan;
  const Ratio threshold = least_share(plan, search.rows.columns);
  Matches all(pairs.size());
  std::vector<std::uint8_t> inside(pairs.size());
  std::vector<VerifyResult> results(search.stage.threads);
  join_local(pairs, search.result.sets.bytes(search.stage.threads), memory, search.stage.threads,
             [&](unsigned worker, std::size_t i, std::span<const std::byte> a, std::span<const std::byte> b) {
               VerifyResult& result = results[worker];
               result.matches.clear();
               decide(0, 1, as_set(a), as_set(b), threshold, result);
               inside[i] = !result.matches.empty();
               if (inside[i] != 0) all[i] = result.matches.front();
             });
  Verified out{chosen(std::move(all), inside, pairs)};
  for (const VerifyResult& result : results) out.closest_below = std::max(out.closest_below, result.closest_below);
  return out;
}

Verified verify_vectors(const FileSearch& search, std::span<const std::uint64_t> pairs, std::uint64_t memory) {
  const Border border(search.stage.plan, search.rows.shape.dimensions);
  Matches all(pairs.size());
  std::vector<std::uint8_t> inside(pairs.size());
  for_each_value(search.rows, search.stage, pairs, memory, [&](std::size_t i, double value) {
    all[i].value = value;
    inside[i] = border.inside(value);
  });
  Verified out;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (inside[i] == 0 && all[i].value != 0) out.closest_below = border.closer(all[i].value, out.closest_below);
  }
  out.matches = chosen(std::move(all), inside, pairs);
  return out;
}

// By sketches alone: the share of equal slots, in integers.
Verified verify_estimates(const FileSearch& search, std::span<const std::uint64_t> pairs) {
  const Ratio threshold = search.stage.plan.threshold;
  Matches all(pairs.size());
  std::vector<std::uint8_t> inside(pairs.size());
  match_pairs(search.rows, search.stage, search.result, pairs, [&](std::size_t i, const Match& match) {
    all[i] = match;
    inside[i] = match.shared * threshold.denominator >= threshold.numerator * match.total;
  });
  Verified out;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (inside[i] == 0) out.closest_below = std::max(out.closest_below, all[i].similarity());
  }
  out.matches = chosen(std::move(all), inside, pairs);
  return out;
}

Verified unverified(std::span<const std::uint64_t> pairs) {
  return {chosen(Matches(pairs.size()), std::vector<std::uint8_t>(pairs.size(), 1), pairs)};
}

void write_matches(const FileSearch& search, std::uint32_t part, const Verified& verified) {
  RunFileWriter writer = search.scratch().create("matches", part);
  write_match_sections(writer, verified.matches, compares_vectors(search.stage.plan));
  writer.section(kMatchNotes, 0, std::vector<double>{verified.closest_below});
  writer.finish();
}

std::vector<std::uint64_t> pairs_in(const RunFile& candidates) { return candidates.read_all<std::uint64_t>(candidates.at(kCandidates)); }

RowSet rows_of(const FileSearch& search, const RunFiles& candidates) {
  RowSet rows(search.items());
  for (const std::shared_ptr<const RunFile>& file : candidates) {
    for (const std::uint64_t pair : pairs_in(*file)) {
      rows.insert(static_cast<Row>(pair >> 32));
      rows.insert(static_cast<Row>(pair));
    }
  }
  for (const std::uint64_t pair : search.result.meetings.pairs) {
    rows.insert(static_cast<Row>(pair >> 32));
    rows.insert(static_cast<Row>(pair));
  }
  return rows;
}

// A run without any match says how near it came; counting stops early otherwise.
double closest(const FileSearch& search, const RunFiles& candidates) {
  double best = 0;
  for (const std::shared_ptr<const RunFile>& file : candidates) {
    const std::vector<std::uint64_t> pairs = pairs_in(*file);
    std::vector<double> similarity(pairs.size());
    match_pairs(search.rows, search.stage, search.result, pairs,
                [&](std::size_t i, const Match& match) { similarity[i] = match.similarity(); });
    for (const double value : similarity) best = std::max(best, value);
  }
  return best;
}

Verified verified(const FileSearch& search, std::span<const std::uint64_t> pairs) {
  const Verify how = search.stage.plan.verify;
  if (how == Verify::none) return unverified(pairs);
  if (how == Verify::estimate) return verify_estimates(search, pairs);
  const std::uint64_t memory = search.share(18) / 2;
  return compares_vectors(search.stage.plan) ? verify_vectors(search, pairs, memory) : verify_sets(search, pairs, memory);
}

// The nearer of what lies outside in one part and in those before.
double closer(const FileSearch& search, double below) {
  const double so_far = search.rows.stats.closest_below;
  if (!compares_vectors(search.stage.plan)) return std::max(below, so_far);
  return Border(search.stage.plan, search.rows.shape.dimensions).closer(below, so_far);
}

std::shared_ptr<const RunFile> verify_part(const FileSearch& search, std::uint32_t part, const RunFile& candidates) {
  if (std::shared_ptr<const RunFile> done = search.scratch().resume("matches", part)) return done;
  write_matches(search, part, verified(search, pairs_in(candidates)));
  return search.scratch().open("matches", part);
}

}  // namespace

void verify_candidates(const FileSearch& search, const RunFiles& candidates) {
  RunStats& stats = search.rows.stats;
  const bool sets_compared = search.stage.plan.verify == Verify::exact && !compares_vectors(search.stage.plan);
  StageClock clock;
  if (sets_compared) {
    SetFiles sets;
    sets.write(search.rows, search.stage, rows_of(search, candidates));
    search.result.sets = CandidateSets(std::move(sets));
    stats.seconds.emplace_back("shingle candidates", clock.lap());
  }
  MatchStream::Files files;
  for (std::uint32_t part = 0; part < candidates.size(); ++part) {
    files.push_back(verify_part(search, part, *candidates[part]));
    const double below = files.back()->read_all<double>(files.back()->at(kMatchNotes)).at(0);
    if (below != 0) stats.closest_below = closer(search, below);
    search.stage.progress("verify", part + 1, candidates.size());
  }
  search.result.matches = MatchStream(std::move(files));
  if (sets_compared && search.result.matches.count() == 0) stats.closest_below = closest(search, candidates);
  stats.seconds.emplace_back("verify", clock.lap());
}

}  // namespace nearkin

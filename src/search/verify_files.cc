#include <algorithm>
#include <cstring>

#include "collect/segment.h"
#include "match/verify.h"
#include "search/file_search.h"

namespace nearkin {
namespace {

struct Verified {
  std::vector<std::uint32_t> shared, total;  // of each pair; total 0: no match
  double closest_below = 0;
};

Verified verify_exactly(const FileSearch& search, std::span<const std::uint64_t> pairs, std::uint64_t memory) {
  Verified out{.shared = std::vector<std::uint32_t>(pairs.size()), .total = std::vector<std::uint32_t>(pairs.size())};
  const Ratio threshold = least_share(search.stage.plan, search.rows.columns);
  std::vector<VerifyResult> results(search.stage.threads);
  join_local(pairs, search.result.sets.bytes(search.stage.threads), memory, search.stage.threads,
             [&](unsigned worker, std::size_t i, std::span<const std::byte> a, std::span<const std::byte> b) {
               VerifyResult& result = results[worker];
               result.matches.clear();
               decide(0, 1, as_set(a), as_set(b), threshold, result);
               if (result.matches.empty()) return;
               out.shared[i] = result.matches.front().shared;
               out.total[i] = result.matches.front().total;
             });
  for (const VerifyResult& result : results) out.closest_below = std::max(out.closest_below, result.closest_below);
  return out;
}

// By sketches alone: the share of equal slots, in integers.
Verified verify_estimates(const FileSearch& search, std::span<const std::uint64_t> pairs) {
  const Ratio threshold = search.stage.plan.threshold;
  Verified out{.shared = std::vector<std::uint32_t>(pairs.size()), .total = std::vector<std::uint32_t>(pairs.size())};
  std::vector<double> below(pairs.size());
  match_pairs(search.rows, search.stage, search.result, pairs, [&](std::size_t i, const Match& match) {
    if (match.shared * threshold.denominator >= threshold.numerator * match.total) {
      out.shared[i] = match.shared;
      out.total[i] = match.total;
    } else {
      below[i] = match.similarity();
    }
  });
  for (const double value : below) out.closest_below = std::max(out.closest_below, value);
  return out;
}

void write_matches(const FileSearch& search, std::uint32_t part, std::vector<std::uint64_t> pairs, Verified verified) {
  if (search.stage.plan.verify != Verify::none) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (verified.total[i] == 0) continue;
      pairs[kept] = pairs[i];
      verified.shared[kept] = verified.shared[i];
      verified.total[kept++] = verified.total[i];
    }
    pairs.resize(kept);
    verified.shared.resize(kept);
    verified.total.resize(kept);
  }
  RunFileWriter writer = search.scratch().create("matches", part);
  writer.section(kMatchPairs, 0, pairs);
  writer.section(kMatchShared, 0, verified.shared);
  writer.section(kMatchTotal, 0, verified.total);
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

std::shared_ptr<const RunFile> verify_part(const FileSearch& search, std::uint32_t part, const RunFile& candidates) {
  if (std::shared_ptr<const RunFile> done = search.scratch().resume("matches", part)) return done;
  std::vector<std::uint64_t> pairs = pairs_in(candidates);
  Verified verified;
  if (search.stage.plan.verify == Verify::exact) verified = verify_exactly(search, pairs, search.share(18) / 2);
  if (search.stage.plan.verify == Verify::estimate) verified = verify_estimates(search, pairs);
  write_matches(search, part, std::move(pairs), std::move(verified));
  return search.scratch().open("matches", part);
}

}  // namespace

void verify_candidates(const FileSearch& search, const RunFiles& candidates) {
  RunStats& stats = search.rows.stats;
  const bool exactly = search.stage.plan.verify == Verify::exact;
  StageClock clock;
  if (exactly) {
    SetFiles sets;
    sets.write(search.rows, search.stage, rows_of(search, candidates));
    search.result.sets = CandidateSets(std::move(sets));
    stats.seconds.emplace_back("shingle candidates", clock.lap());
  }
  MatchStream::Files files;
  for (std::uint32_t part = 0; part < candidates.size(); ++part) {
    files.push_back(verify_part(search, part, *candidates[part]));
    stats.closest_below = std::max(stats.closest_below, files.back()->read_all<double>(files.back()->at(kMatchNotes)).at(0));
    search.stage.progress("verify", part + 1, candidates.size());
  }
  search.result.matches = MatchStream(std::move(files));
  if (exactly && search.result.matches.count() == 0) stats.closest_below = closest(search, candidates);
  stats.seconds.emplace_back("verify", clock.lap());
}

}  // namespace nearkin

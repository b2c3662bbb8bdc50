#include <algorithm>
#include <cstring>

#include "collect/segment.h"
#include "match/verify.h"
#include "search/spill_search.h"
#include "search/spilled_sets.h"

namespace nearkin {
namespace {

struct Verified {
  std::vector<std::uint32_t> shared, total;  // of each pair; total 0: no match
  double closest_below = 0;
};

Verified verify_exactly(const SpillSearch& search, std::span<const std::uint64_t> pairs, const RowBytes& sets, std::uint64_t memory) {
  Verified out{.shared = std::vector<std::uint32_t>(pairs.size()), .total = std::vector<std::uint32_t>(pairs.size())};
  const Ratio threshold = least_share(search.plan, search.collection.columns);
  std::vector<VerifyResult> results(search.threads);
  join_local(pairs, sets, memory, [&](unsigned worker, std::size_t i, std::span<const std::byte> a, std::span<const std::byte> b) {
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
Verified verify_estimates(const SpillSearch& search, std::span<const std::uint64_t> pairs, std::uint64_t memory) {
  const std::uint32_t hashes = search.plan.sketch.hashes;
  Verified out{.shared = std::vector<std::uint32_t>(pairs.size()), .total = std::vector<std::uint32_t>(pairs.size())};
  std::vector<std::uint32_t> most(search.threads);
  join_local(pairs, fixed_rows(search, kSlots, hashes * sizeof(std::uint32_t)), memory,
             [&](unsigned worker, std::size_t i, std::span<const std::byte> a, std::span<const std::byte> b) {
               std::uint32_t equal = 0;
               for (std::uint32_t k = 0; k < hashes; ++k) equal += std::memcmp(a.data() + 4 * k, b.data() + 4 * k, 4) == 0;
               if (equal * search.plan.threshold.denominator >= search.plan.threshold.numerator * hashes) {
                 out.shared[i] = equal;
                 out.total[i] = hashes;
               } else {
                 most[worker] = std::max(most[worker], equal);
               }
             });
  for (const std::uint32_t equal : most) out.closest_below = std::max(out.closest_below, Match{0, 1, equal, hashes}.similarity());
  return out;
}

void write_matches(SpillSearch& search, std::uint32_t part, std::vector<std::uint64_t> pairs, Verified verified) {
  if (search.plan.verify != Verify::none) {
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

RowSet rows_of(const SpillSearch& search, const std::vector<std::shared_ptr<const RunFile>>& candidates) {
  RowSet rows(search.items());
  for (const std::shared_ptr<const RunFile>& file : candidates) {
    for (const std::uint64_t pair : file->read_all<std::uint64_t>(file->at(kCandidates))) {
      rows.insert(static_cast<Row>(pair >> 32));
      rows.insert(static_cast<Row>(pair));
    }
  }
  return rows;
}

// A run without any match says how near it came; counting stops early otherwise.
double closest(const SpillSearch& search, const std::vector<std::shared_ptr<const RunFile>>& candidates, const RowBytes& sets) {
  std::vector<double> best(search.threads);
  for (const std::shared_ptr<const RunFile>& file : candidates) {
    const std::vector<std::uint64_t> pairs = file->read_all<std::uint64_t>(file->at(kCandidates));
    join_local(pairs, sets, search.share(18) / 2,
               [&](unsigned worker, std::size_t, std::span<const std::byte> a, std::span<const std::byte> b) {
                 best[worker] = std::max(best[worker], exact_match(0, 1, as_set(a), as_set(b)).similarity());
               });
  }
  return *std::max_element(best.begin(), best.end());
}

}  // namespace

void verify_candidates(SpillSearch& search, const std::vector<std::shared_ptr<const RunFile>>& candidates, SpilledSets& sets) {
  RunStats& stats = search.collection.stats;
  const bool exactly = search.plan.verify == Verify::exact;
  StageClock clock;
  if (exactly) sets.write(search, rows_of(search, candidates));
  if (exactly) stats.seconds.emplace_back("shingle candidates", clock.lap());
  const std::uint64_t memory = search.share(18) / 2;
  for (std::uint32_t part = 0; part < candidates.size(); ++part) {
    std::shared_ptr<const RunFile> file = search.scratch().resume("matches", part);
    if (file == nullptr) {
      std::vector<std::uint64_t> pairs = candidates[part]->read_all<std::uint64_t>(candidates[part]->at(kCandidates));
      Verified verified;
      if (exactly) verified = verify_exactly(search, pairs, sets.bytes(search), memory);
      if (search.plan.verify == Verify::estimate) verified = verify_estimates(search, pairs, memory);
      write_matches(search, part, std::move(pairs), std::move(verified));
      file = search.scratch().open("matches", part);
    }
    search.match_count += file->at(kMatchPairs).length / sizeof(std::uint64_t);
    stats.closest_below = std::max(stats.closest_below, file->read_all<double>(file->at(kMatchNotes)).at(0));
    search.matches.push_back(std::move(file));
    if (search.options.progress) search.options.progress("verify", part + 1, candidates.size());
  }
  if (exactly && search.match_count == 0) stats.closest_below = closest(search, candidates, sets.bytes(search));
  stats.seconds.emplace_back("verify", clock.lap());
}

void for_each_match(const SpillSearch& search, const std::function<void(const Match&)>& use) {
  constexpr std::uint64_t kAtATime = std::uint64_t{1} << 16;
  std::vector<std::uint64_t> pairs;
  std::vector<std::uint32_t> shared, total;
  for (const std::shared_ptr<const RunFile>& file : search.matches) {
    const Section& section = file->at(kMatchPairs);
    const bool counted = file->at(kMatchTotal).length > 0;
    const std::uint64_t count = section.length / sizeof(std::uint64_t);
    for (std::uint64_t at = 0; at < count; at += pairs.size()) {
      const auto size = static_cast<std::size_t>(std::min(kAtATime, count - at));
      pairs.resize(size), shared.assign(size, 0), total.assign(size, 0);
      file->read(section, at, std::span(pairs));
      if (counted) file->read(file->at(kMatchShared), at, std::span(shared));
      if (counted) file->read(file->at(kMatchTotal), at, std::span(total));
      for (std::size_t i = 0; i < size; ++i) use({static_cast<Row>(pairs[i] >> 32), static_cast<Row>(pairs[i]), shared[i], total[i]});
    }
  }
}

}  // namespace nearkin

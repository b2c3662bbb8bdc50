#include "match/star.h"

#include <algorithm>
#include <numeric>

#include "base/parallel.h"
#include "match/containment.h"
#include "match/frequencies.h"
#include "match/held_sets.h"
#include "match/kept_sets.h"
#include "match/overlap.h"

namespace nearkin {
namespace {

constexpr std::uint32_t kNone = UINT32_MAX;

// One a worker.
struct StarScratch {
  std::vector<std::uint32_t> seen;  // by place of the kept: the last probe that met it
  std::uint32_t probe = 0;
  std::vector<std::uint32_t> candidates;
  std::vector<std::uint64_t> ranked;
  RankedKeys keys;
  JoinResult found;  // matches: none or one, with the keeper that was found last
};

// What is known of a member of a batch.
struct Member {
  RankedKeys keys;
  Removed removed{};
  bool taken = false;
};

class StarJoin {
 public:
  StarJoin(const RowBytes& sets, std::span<const Row> order, Ratio threshold, const JoinLimits& limits, bool directed)
      : sets_(sets),
        order_(order),
        threshold_(threshold),
        limits_(limits),
        directed_(directed),
        frequency_(sets, ascending(order), limits.memory / 4, limits.threads),
        scratches_(limits.threads) {
    const std::uint64_t used = frequency_.bytes() + 3 * sizeof(Row) * order.size();
    room_ = limits.memory > used ? limits.memory - used : 0;
  }

  StarResult run() {
    std::vector<std::uint32_t> left(order_.size());
    std::iota(left.begin(), left.end(), 0u);
    expect(limits_.advance, order_.size());
    while (!left.empty()) left = round(left);
    StarResult result;
    for (const StarScratch& scratch : scratches_) {
      result.looked_at += scratch.found.looked_at;
      result.closest_below = std::max(result.closest_below, scratch.found.closest_below);
    }
    std::sort(removed_.begin(), removed_.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    for (const auto& [place, removed] : removed_) result.removed.push_back(removed);
    return result;
  }

 private:
  static std::vector<Row> ascending(std::span<const Row> order) {
    std::vector<Row> rows(order.begin(), order.end());
    std::sort(rows.begin(), rows.end());
    return rows;
  }

  // Decides on members, given by their places in the order, until all are decided or the index is full. Returns those that are left and
  // match none of the kept.
  std::vector<std::uint32_t> round(const std::vector<std::uint32_t>& left) {
    KeptSets kept(order_.size(), !sets_.at);
    for (StarScratch& scratch : scratches_) scratch.seen.clear(), scratch.probe = 0;
    for (std::size_t begin = 0, end = 0; begin < left.size(); begin = end) {
      const std::uint64_t held = kept.bytes() + sizeof(std::uint32_t) * limits_.threads * kept.size();
      if (begin > 0 && held > room_ / 2) return sweep(kept, std::span(left).subspan(begin));
      end = end_of_batch(left, begin);
      decide_batch(kept, std::span(left).subspan(begin, end - begin));
    }
    return {};
  }

  std::size_t end_of_batch(const std::vector<std::uint32_t>& left, std::size_t begin) const {
    constexpr std::size_t kMost = 2048;
    std::uint64_t bytes = 0;
    std::size_t end = begin;
    for (; end < left.size() && end - begin < kMost; ++end) {
      bytes += 4 * sets_.size(order_[left[end]]);  // the set where it is not in memory, its keys, the entries of the batch
      if (end > begin && bytes > room_ / 4) break;
    }
    return end;
  }

  void decide_batch(KeptSets& kept, std::span<const std::uint32_t> places) {
    std::vector<Row> rows;
    for (const std::uint32_t place : places) rows.push_back(order_[place]);
    const HeldSets batch(sets_, rows);
    std::vector<Member> members(rows.size());
    constexpr std::size_t kBlock = 32;
    parallel_for(rows.size(), kBlock, limits_.threads, [&](std::size_t first, std::size_t last, unsigned worker) {
      for (std::size_t i = first; i < last; ++i) {
        rank(batch[i], scratches_[worker].ranked, members[i].keys);
        members[i].taken = take(kept, rows[i], batch[i], members[i].keys, false, scratches_[worker], members[i].removed);
      }
      add(limits_.advance, worker, last - first);
    });
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Member& member = members[i];
      if (!member.taken) member.taken = take(kept, rows[i], batch[i], member.keys, true, scratches_[0], member.removed);
      if (member.taken) {
        removed_.emplace_back(places[i], member.removed);
      } else {
        kept.add(rows[i], batch[i], member.keys, directed_ ? batch[i].size() : probe_length(batch[i].size()));
      }
    }
    kept.finish_batch();
  }

  // Returns those of the members left that match none of the kept.
  std::vector<std::uint32_t> sweep(const KeptSets& kept, std::span<const std::uint32_t> left) {
    std::vector<std::uint32_t> by_row(left.begin(), left.end());
    std::sort(by_row.begin(), by_row.end(), [&](std::uint32_t x, std::uint32_t y) { return order_[x] < order_[y]; });
    std::vector<Row> rows;
    for (const std::uint32_t place : by_row) rows.push_back(order_[place]);
    std::vector<std::vector<std::pair<std::uint32_t, Removed>>> removed(limits_.threads);
    sets_.read(rows, [&](unsigned worker, std::size_t i, std::span<const std::byte> bytes) {
      StarScratch& scratch = scratches_[worker];
      Removed found{};
      rank(as_set(bytes), scratch.ranked, scratch.keys);
      if (take(kept, rows[i], as_set(bytes), scratch.keys, false, scratch, found)) {
        add(limits_.advance, worker, 1);
        removed[worker].emplace_back(by_row[i], found);
        by_row[i] = kNone;
      }
    });
    for (const auto& part : removed) removed_.insert(removed_.end(), part.begin(), part.end());
    std::erase(by_row, kNone);
    std::sort(by_row.begin(), by_row.end());
    return by_row;
  }

  std::size_t probe_length(std::size_t size) const { return size - least_size(size, threshold_) + 1; }

  // All keys where the index needs them, otherwise those of the prefix.
  void rank(FeatureSpan set, std::vector<std::uint64_t>& ranked, RankedKeys& keys) const {
    keys.alone = static_cast<std::uint32_t>(rank_prefix(set, frequency_, directed_ ? set.size() : probe_length(set.size()), ranked));
    keys.keys.assign(ranked.begin(), ranked.end());
  }

  // Whether one of the kept sets, of this batch or of those before, takes the row; the first does.
  bool take(const KeptSets& kept, Row row, FeatureSpan set, const RankedKeys& keys, bool of_batch, StarScratch& scratch,
            Removed& removed) const {
    find_candidates(kept, set, keys, of_batch, scratch);
    std::sort(scratch.candidates.begin(), scratch.candidates.end());
    JoinResult& found = scratch.found;
    for (const std::uint32_t place : scratch.candidates) {
      ++found.looked_at;
      if (directed_) {
        decide_containment(row, kept.row(place), set, kept[place], threshold_, found);
      } else {
        decide(row, kept.row(place), set, kept[place], threshold_, found);
      }
      if (found.matches.empty()) continue;
      removed = {row, kept.row(place), found.matches.front().shared, found.matches.front().total};
      found.matches.clear();
      return true;
    }
    return false;
  }

  void find_candidates(const KeptSets& kept, FeatureSpan set, const RankedKeys& keys, bool of_batch, StarScratch& scratch) const {
    scratch.candidates.clear();
    scratch.seen.resize(std::max(scratch.seen.size(), kept.size()));
    ++scratch.probe;
    const std::size_t length = probe_length(set.size());
    for (std::size_t i = 0; i < keys.keys.size() && keys.alone + i < length; ++i) {
      const auto meet = [&](std::uint32_t place, std::uint32_t position) {
        if (scratch.seen[place] == scratch.probe || !may_match(set.size(), keys.alone + i, kept[place].size(), position)) return;
        scratch.seen[place] = scratch.probe;
        scratch.candidates.push_back(place);
      };
      of_batch ? kept.for_batch(keys.keys[i], meet) : kept.for_earlier(keys.keys[i], meet);
    }
  }

  // Whether enough is left where these positions are the first that two sets share.
  bool may_match(std::uint64_t size, std::uint64_t at, std::uint64_t other, std::uint64_t other_at) const {
    const std::uint64_t most = std::min(size - at, other - other_at), num = threshold_.numerator, den = threshold_.denominator;
    return directed_ ? most * den >= num * size : most * (num + den) >= num * (size + other);
  }

  const RowBytes& sets_;
  std::span<const Row> order_;
  Ratio threshold_;
  JoinLimits limits_;
  bool directed_;
  Frequencies frequency_;
  std::vector<StarScratch> scratches_;
  std::uint64_t room_ = 0;
  std::vector<std::pair<std::uint32_t, Removed>> removed_;  // with their places in the order
};

}  // namespace

StarResult star_exactly(const RowBytes& sets, std::span<const Row> order, Ratio threshold, const JoinLimits& limits) {
  return StarJoin(sets, order, threshold, {limits.memory, thread_count(limits.threads), limits.advance}, false).run();
}

StarResult star_containment(const RowBytes& sets, std::span<const Row> order, Ratio threshold, const JoinLimits& limits) {
  return StarJoin(sets, order, threshold, {limits.memory, thread_count(limits.threads), limits.advance}, true).run();
}

}  // namespace nearkin

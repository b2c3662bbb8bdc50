#include "match/exact_join.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/misuse.h"
#include "base/parallel.h"
#include "base/radix_sort.h"
#include "match/overlap.h"

namespace nearkin {
namespace {

// Roughly how often each shingle occurs: saturating counters chosen by the hash's high bits. Shingles that share a counter only count as
// more frequent than they are, which changes the order of work, never the result; and a count of one is certain.
class Frequencies {
 public:
  Frequencies(const Features& features, std::span<const Row> members, unsigned threads) {
    std::uint64_t total = 0;
    for (const Row row : members) total += features[row].size();
    const unsigned bits = std::clamp(static_cast<unsigned>(std::bit_width(total)), 10u, 27u);
    shift_ = 64 - bits;
    counts_.resize(std::size_t{1} << bits);
    // Each thread owns a range of hashes; an item's shingles are sorted, so that its part of them is one stretch.
    // Never more ranges than counters, so that no two threads share one.
    const std::uint64_t parts = std::bit_ceil(std::min(threads, 256u));
    parallel_for(parts, 1, threads, [&](std::size_t part, std::size_t, unsigned) {
      for (const Row row : members) count(features[row], part, parts);
    });
  }

  std::uint8_t operator()(std::uint64_t hash) const { return counts_[hash >> shift_]; }

 private:
  void count(std::span<const std::uint64_t> hashes, std::uint64_t part, std::uint64_t parts) {
    const unsigned part_shift = static_cast<unsigned>(64 - std::countr_zero(parts));
    const auto begin = parts == 1
                           ? hashes.begin()
                           : std::partition_point(hashes.begin(), hashes.end(), [&](std::uint64_t h) { return h >> part_shift < part; });
    const auto end =
        parts == 1 ? hashes.end() : std::partition_point(begin, hashes.end(), [&](std::uint64_t h) { return h >> part_shift <= part; });
    for (auto hash = begin; hash != end; ++hash) {
      std::uint8_t& counter = counts_[*hash >> shift_];
      counter = static_cast<std::uint8_t>(counter + (counter != UINT8_MAX));
    }
  }

  std::vector<std::uint8_t> counts_;
  unsigned shift_ = 0;
};

// The shingles of one item's prefix that can occur in another item.
// Two sets that reach the threshold share a shingle among the first n − ⌈t·n⌉ + 1 of each in any fixed order of all shingles. The
// order is rarest first; a shingle that occurs once stands at the front and matches nothing.
void prefix_of(std::span<const std::uint64_t> hashes, const Frequencies& frequency, Ratio threshold,
               std::vector<std::pair<std::uint8_t, std::uint64_t>>& keyed) {
  keyed.clear();
  std::size_t prefix = hashes.size() - least_size(hashes.size(), threshold) + 1;
  for (const std::uint64_t hash : hashes) {
    if (const std::uint8_t count = frequency(hash); count > 1) keyed.emplace_back(count, hash);
  }
  const std::size_t alone = hashes.size() - keyed.size();
  prefix = prefix > alone ? prefix - alone : 0;
  if (prefix >= keyed.size()) return;
  std::nth_element(keyed.begin(), keyed.begin() + static_cast<std::ptrdiff_t>(prefix), keyed.end());
  keyed.resize(prefix);
}

class Joiner {
 public:
  Joiner(const Features& features, std::span<const Row> members, Row split, Ratio threshold)
      : features_(features), split_(split), threshold_(threshold), order_(members.begin(), members.end()) {
    std::stable_sort(order_.begin(), order_.end(), [&](Row a, Row b) { return features_[a].size() < features_[b].size(); });
  }

  JoinResult run(unsigned threads) {
    build_index(Frequencies(features_, order_, threads), threads);
    constexpr std::size_t kBlock = 1024;
    std::vector<JoinResult> parts((order_.size() + kBlock - 1) / kBlock);
    std::vector<std::vector<std::uint32_t>> seen(threads);
    parallel_for(order_.size(), kBlock, threads, [&](std::size_t begin, std::size_t end, unsigned worker) {
      seen[worker].resize(order_.size(), UINT32_MAX);
      for (std::size_t i = begin; i < end; ++i) probe(static_cast<std::uint32_t>(i), seen[worker], parts[begin / kBlock]);
    });
    return join(parts);
  }

 private:
  // index_: shingle key << 32 | place in order_, sorted, so that the entries before one of an item are the smaller items with that
  // shingle. The key is 32 bits of the hash: a false agreement costs one verification. probes_[starts_[i] ..] are item i's entries.
  void build_index(const Frequencies& frequency, unsigned threads) {
    constexpr std::size_t kBlock = 4096;
    std::vector<std::vector<std::uint64_t>> parts((order_.size() + kBlock - 1) / kBlock);
    parallel_for(order_.size(), kBlock, threads, [&](std::size_t begin, std::size_t end, unsigned) {
      std::vector<std::pair<std::uint8_t, std::uint64_t>> keyed;
      for (std::size_t i = begin; i < end; ++i) {
        prefix_of(features_[order_[i]], frequency, threshold_, keyed);
        for (const auto& [count, hash] : keyed) parts[begin / kBlock].push_back(hash >> 32 << 32 | i);
      }
    });
    for (std::vector<std::uint64_t>& part : parts) {
      index_.insert(index_.end(), part.begin(), part.end());
      std::vector<std::uint64_t>().swap(part);
    }
    std::vector<std::uint64_t> scratch;
    radix_sort(index_, scratch, 4, 8);
    starts_.assign(order_.size() + 1, 0);
    for (const std::uint64_t entry : index_) ++starts_[static_cast<std::uint32_t>(entry) + 1];
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    probes_.resize(index_.size());
    std::vector<std::uint64_t> next(starts_.begin(), starts_.end() - 1);
    for (std::size_t entry = 0; entry < index_.size(); ++entry) probes_[next[static_cast<std::uint32_t>(index_[entry])]++] = entry;
  }

  void probe(std::uint32_t i, std::vector<std::uint32_t>& seen, JoinResult& found) const {
    const Row row = order_[i];
    const std::span<const std::uint64_t> hashes = features_[row];
    const std::uint64_t smallest = least_size(hashes.size(), threshold_);
    for (std::uint64_t p = starts_[i]; p < starts_[i + 1]; ++p) {
      for (std::uint64_t entry = probes_[p]; entry-- > 0 && index_[entry] >> 32 == index_[probes_[p]] >> 32;) {
        const std::uint32_t j = static_cast<std::uint32_t>(index_[entry]);
        const Row other = order_[j];
        if (features_[other].size() < smallest) break;
        if (seen[j] == i || j == i) continue;
        seen[j] = i;
        if (split_ != 0 && (row < split_) == (other < split_)) continue;
        ++found.looked_at;
        decide(row, other, hashes, features_[other], threshold_, found);
      }
    }
  }

  static JoinResult join(std::vector<JoinResult>& parts) {
    JoinResult result;
    for (JoinResult& part : parts) {
      result.matches.insert(result.matches.end(), part.matches.begin(), part.matches.end());
      result.looked_at += part.looked_at;
      result.closest_below = std::max(result.closest_below, part.closest_below);
      Matches().swap(part.matches);
    }
    std::sort(result.matches.begin(), result.matches.end(), [](const Match& x, const Match& y) { return Pair{x.a, x.b} < Pair{y.a, y.b}; });
    return result;
  }

  const Features& features_;
  Row split_;
  Ratio threshold_;
  std::vector<Row> order_;  // smallest set first
  std::vector<std::uint64_t> index_, probes_, starts_;
};

}  // namespace

JoinResult join_exactly(const Features& features, std::span<const Row> members, Row split, Ratio threshold, unsigned threads) {
  return Joiner(features, members, split, threshold).run(threads);
}

Matches exact_join(const Features& features, Ratio threshold, unsigned threads) {
  require_consistent(features);
  require_fraction(threshold, "threshold");
  std::vector<Row> members;
  for (Row row = 0; row < features.size(); ++row) {
    if (!features[row].empty()) members.push_back(row);
  }
  return join_exactly(features, members, 0, threshold, thread_count(threads)).matches;
}

}  // namespace nearkin

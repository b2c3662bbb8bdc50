#include "match/pigeonhole.h"

#include <algorithm>
#include <bit>
#include <optional>

#include <nearkin/tools/theory.h>

#include "base/hash.h"
#include "base/parallel.h"
#include "base/radix_sort.h"
#include "kernel/kernel.h"

namespace nearkin {
namespace {

// Nanoseconds, measured on one machine: only their proportions count, and they decide the road, not the answer.
constexpr double kSortCost = 20;                                                          // a value: sorted into its table
constexpr double kBitCost = 1;                                                            // a bit: taken into a value
constexpr double kLookupCost = 6;                                                         // a flipped value
double scan_cost(std::size_t words) { return 1.4 + 0.45 * static_cast<double>(words); }   // a pair
double verify_cost(std::size_t words) { return 10 + 0.45 * static_cast<double>(words); }  // a pair

// The codes of the rows one after the other.
std::vector<std::uint64_t> gather_codes(const Vectors& vectors, std::span<const Row> rows) {
  std::vector<std::uint64_t> codes;
  codes.reserve(rows.size() * vectors.word_count());
  for (const Row row : rows) codes.insert(codes.end(), vectors.bits(row).begin(), vectors.bits(row).end());
  return codes;
}

// More than any distance where the radius is.
std::uint32_t radius_of(const Border& border) { return static_cast<std::uint32_t>(std::min(border.limit(), 4294967295.0)); }

Windows bit_windows(const Vectors& vectors, std::span<const Row> members, Row split, const Border& border) {
  std::vector<double> ones(members.size());
  for (std::size_t i = 0; i < ones.size(); ++i) {
    std::size_t count = 0;
    for (const std::uint64_t word : vectors.bits(members[i])) count += static_cast<std::size_t>(std::popcount(word));
    ones[i] = static_cast<double>(count);
  }
  return windows_of(members, ones, split, Measure::hamming, border);
}

// All pairs of the windows; reported(a, b) tells of a pair inside that it is known already.
template <typename Reported>
void scan(const VectorTask& task, const Windows& pairs, MatchOutlet& outlet, Reported&& reported) {
  constexpr std::size_t kMostTile = 1024, kTileWords = 2048;  // 16 KiB
  const std::size_t words = task.vectors.word_count();
  const std::vector<std::uint64_t> left = gather_codes(task.vectors, pairs.left.rows), right = gather_codes(task.vectors, pairs.right.rows);
  const std::uint64_t* others = pairs.across ? right.data() : left.data();
  const std::uint32_t radius = radius_of(task.border);
  const auto compare = [&](std::size_t i, std::size_t begin, std::size_t end, JoinResult& found) {
    std::uint32_t distances[kMostTile];
    kernel::bit_distances(left.data() + i * words, others + begin * words, words, end - begin, distances);
    found.looked_at += end - begin;
    std::uint32_t inside = 0, least_outside = UINT32_MAX;
    for (std::size_t j = 0; j < end - begin; ++j) {
      inside += distances[j] <= radius;
      least_outside = std::min(least_outside, distances[j] <= radius ? UINT32_MAX : distances[j]);
    }
    if (least_outside != UINT32_MAX) found.closest_below = task.border.closer(least_outside, found.closest_below);
    for (std::size_t j = 0; inside > 0; ++j) {
      if (distances[j] > radius) continue;
      --inside;
      const Row a = pairs.left.rows[i], b = pairs.others().rows[begin + j];
      if (!reported(a, b) && !task.skips(a, b)) settle(a, b, distances[j], task.border, found);
    }
  };
  all_pairs(pairs, 64, std::clamp<std::size_t>(kTileWords / (words + 1), 16, kMostTile), task.threads, outlet, compare);
}

struct Bit {
  std::uint32_t place;
  double ones;  // share of the items that have it, from a sample
};

// Bits of the codes, and in how many of them two that are found here may differ.
struct Block {
  std::vector<Bit> bits;
  std::uint32_t reach;
};

// The bits that are not the same everywhere, those that tell most first.
std::vector<Bit> telling_bits(std::span<const std::uint64_t> codes, std::size_t words) {
  const std::size_t count = codes.size() / words, stride = count / 4096 + 1;
  std::vector<std::uint64_t> any(words, 0), all(words, ~std::uint64_t{0});
  for (std::size_t i = 0; i < codes.size(); ++i) {
    any[i % words] |= codes[i];
    all[i % words] &= codes[i];
  }
  std::vector<Bit> bits;
  for (std::uint32_t place = 0; place < 64 * words; ++place) {
    if ((any[place / 64] & ~all[place / 64]) >> (place % 64) & 1) bits.push_back({place, 0});
  }
  const std::size_t looked_at = (count + stride - 1) / stride;
  const double sampled = static_cast<double>(looked_at);
  for (Bit& bit : bits) {
    std::uint64_t ones = 0;
    for (std::size_t i = 0; i < count; i += stride) ones += codes[i * words + bit.place / 64] >> (bit.place % 64) & 1;
    bit.ones = static_cast<double>(ones) / sampled;
  }
  std::stable_sort(bits.begin(), bits.end(), [](const Bit& x, const Bit& y) { return x.ones * (1 - x.ones) > y.ones * (1 - y.ones); });
  return bits;
}

// Deals the bits to and fro, so that each block gets as many that tell much as any other.
std::vector<Block> deal(const std::vector<Bit>& bits, std::uint64_t radius, std::size_t count) {
  std::vector<Block> blocks(count);
  for (std::size_t i = 0; i < bits.size(); ++i) {
    const std::size_t turn = i % count;
    blocks[i / count % 2 == 0 ? turn : count - 1 - turn].bits.push_back(bits[i]);
  }
  for (std::size_t b = 0; b < count; ++b) {
    blocks[b].reach = static_cast<std::uint32_t>((radius + 1) / count + (b < (radius + 1) % count) - 1);
  }
  return blocks;
}

// The probability that two items differ in at most `reach` bits of the block, were all bits independent.
double agreement_of(const Block& block) {
  std::vector<double> differ(block.reach + 1, 0);  // probability of exactly i differences among the bits so far
  differ[0] = 1;
  for (const Bit& bit : block.bits) {
    const double other = 2 * bit.ones * (1 - bit.ones);
    for (std::uint32_t i = block.reach; i > 0; --i) differ[i] = differ[i] * (1 - other) + differ[i - 1] * other;
    differ[0] *= 1 - other;
  }
  double sum = 0;
  for (const double p : differ) sum += p;
  return sum;
}

double lookups_of(const Block& block) {
  const double width = static_cast<double>(block.bits.size());
  return (block.reach > 0 ? width / 2 : 0) + (block.reach > 1 ? width * (width - 1) / 4 : 0);
}

struct BlockPlan {
  std::vector<Block> blocks;
  double cost;
};

// The cheapest of the plans with a reach of at most 2; none when there are fewer bits than blocks.
std::optional<BlockPlan> plan_blocks(std::span<const std::uint64_t> codes, std::size_t words, std::uint64_t radius) {
  constexpr std::uint64_t kMostReach = 2;
  const std::vector<Bit> bits = telling_bits(codes, words);
  const std::size_t rows = codes.size() / words;
  const double items = static_cast<double>(rows);
  std::optional<BlockPlan> best;
  for (std::uint64_t reach = 0; reach <= kMostReach; ++reach) {
    const std::uint64_t count = (radius + 1 + reach) / (reach + 1);
    if (count > bits.size()) continue;
    BlockPlan plan{deal(bits, radius, count), 0};
    for (const Block& block : plan.blocks) {
      plan.cost += items * (kSortCost + kBitCost * static_cast<double>(block.bits.size()) + kLookupCost * lookups_of(block));
      plan.cost += items * items / 2 * agreement_of(block) * verify_cost(words);
    }
    if (!best || plan.cost < best->cost) best = std::move(plan);
  }
  return best;
}

// The values of one block, sorted. A value is the exclusive or of a random number for each bit that is 1: flipped bits are one more
// exclusive or, whatever the width, and values are evenly spread, whatever the data. Two blocks that share a value by accident cost one
// verification.
class BlockTable {
 public:
  BlockTable(std::span<const std::uint64_t> codes, std::size_t words, const Block& block, unsigned threads) {
    std::vector<std::uint64_t> keys(block.bits.size());
    SplitMix random(words);
    for (std::uint64_t& key : keys) key = random() >> 32 << 32;
    entries_.resize(codes.size() / words);
    parallel_for(entries_.size(), 4096, threads, [&](std::size_t begin, std::size_t end, unsigned) {
      for (std::size_t i = begin; i < end; ++i) entries_[i] = value_of(codes.data() + i * words, block, keys) | i;
    });
    std::vector<std::uint64_t> scratch;
    radix_sort(entries_, scratch, 4, 8);
    number_values();
    list_flips(block, keys);
  }

  std::size_t size() const { return entries_.size(); }
  std::uint32_t place(std::size_t entry) const { return static_cast<std::uint32_t>(entries_[entry]); }

  // How many pairs will be met: true for a reach of 0, from a sample of the values otherwise.
  double count_pairs() const {
    const std::size_t values = values_.size(), stride = std::clamp<std::size_t>(flips_.size(), 1, values / 256 + 1);
    double own = 0, flipped = 0;
    for (std::size_t v = 0; v < values; ++v) own += run_size(v) * (run_size(v) - 1) / 2;
    for (std::size_t v = 0; v < values; v += stride) {
      for_flipped(v, [&](std::size_t other) { flipped += run_size(v) * run_size(other); });
    }
    return own + flipped * static_cast<double>(stride);
  }

  // Calls meet(entry, begin, end) for entries of [first, last) and the stretches of entries they are to be compared with.
  template <typename Meet>
  void for_pairs(std::size_t first, std::size_t last, Meet&& meet) const {
    std::size_t value = static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), first) - starts_.begin()) - 1;
    for (; value < values_.size() && starts_[value] < last; ++value) {
      const std::size_t begin = std::max<std::size_t>(first, starts_[value]), end = std::min<std::size_t>(last, starts_[value + 1]);
      for (std::size_t entry = begin; entry < end; ++entry) meet(entry, entry + 1, std::size_t{starts_[value + 1]});
      for_flipped(value, [&](std::size_t other) {
        for (std::size_t entry = begin; entry < end; ++entry) meet(entry, std::size_t{starts_[other]}, std::size_t{starts_[other + 1]});
      });
    }
  }

 private:
  static std::uint64_t value_of(const std::uint64_t* code, const Block& block, const std::vector<std::uint64_t>& keys) {
    std::uint64_t value = 0;
    for (std::size_t b = 0; b < keys.size(); ++b) {
      const std::uint32_t place = block.bits[b].place;
      value ^= keys[b] & (0 - (code[place / 64] >> (place % 64) & 1));
    }
    return value;
  }

  void number_values() {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const auto value = static_cast<std::uint32_t>(entries_[i] >> 32);
      if (!values_.empty() && values_.back() == value) continue;
      values_.push_back(value);
      starts_.push_back(static_cast<std::uint32_t>(i));
    }
    starts_.push_back(static_cast<std::uint32_t>(entries_.size()));
    const unsigned bits = std::min(31u, static_cast<unsigned>(std::bit_width(values_.size())));
    shift_ = 32 - bits;
    directory_.assign((std::size_t{1} << bits) + 1, 0);
    for (const std::uint32_t value : values_) ++directory_[(value >> shift_) + 1];
    for (std::size_t i = 1; i < directory_.size(); ++i) directory_[i] += directory_[i - 1];
    fine_shift_ = shift_ - std::min(shift_, 4u);
    present_.assign(((std::size_t{UINT32_MAX} >> fine_shift_) + 1 + 63) / 64, 0);
    for (const std::uint32_t value : values_) present_[value >> fine_shift_ >> 6] |= std::uint64_t{1} << (value >> fine_shift_ & 63);
  }

  void list_flips(const Block& block, const std::vector<std::uint64_t>& keys) {
    for (std::size_t i = 0; block.reach > 0 && i < keys.size(); ++i) {
      flips_.push_back(static_cast<std::uint32_t>(keys[i] >> 32));
      for (std::size_t j = 0; block.reach > 1 && j < i; ++j) flips_.push_back(static_cast<std::uint32_t>((keys[i] ^ keys[j]) >> 32));
    }
    // Two flips may come to the same value, or to none at all: each pair is to be met once.
    std::sort(flips_.begin(), flips_.end());
    flips_.erase(std::unique(flips_.begin(), flips_.end()), flips_.end());
    std::erase(flips_, 0u);
  }

  // Calls found(other) for the greater values that are this one with bits flipped.
  template <typename Found>
  void for_flipped(std::size_t value, Found&& found) const {
    for (const std::uint32_t flip : flips_) {
      const std::uint32_t wanted = values_[value] ^ flip, fine = wanted >> fine_shift_;
      if ((present_[fine >> 6] >> (fine & 63) & 1) == 0 || wanted < values_[value]) continue;
      std::uint32_t other = directory_[wanted >> shift_];
      const std::uint32_t end = directory_[(wanted >> shift_) + 1];
      while (other < end && values_[other] < wanted) ++other;
      if (other < end && values_[other] == wanted) found(std::size_t{other});
    }
  }

  double run_size(std::size_t value) const { return static_cast<double>(starts_[value + 1] - starts_[value]); }

  std::vector<std::uint64_t> entries_;    // value << 32 | place, sorted
  std::vector<std::uint32_t> values_;     // the different values, ascending
  std::vector<std::uint32_t> starts_;     // the first entry of each value
  std::vector<std::uint32_t> directory_;  // the first value with these high bits
  std::vector<std::uint64_t> present_;    // a bit for each sixteenth of that: most values looked up are absent
  std::vector<std::uint32_t> flips_;
  unsigned shift_ = 0, fine_shift_ = 0;
};

class Pigeonhole {
 public:
  Pigeonhole(const VectorTask& task, std::span<const std::uint64_t> codes, std::vector<Block> blocks)
      : task_(task), codes_(codes), words_(task.vectors.word_count()), blocks_(std::move(blocks)) {
    masks_.resize(blocks_.size() * words_);
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      for (const Bit& bit : blocks_[b].bits) masks_[b * words_ + bit.place / 64] |= std::uint64_t{1} << (bit.place % 64);
    }
  }

  std::size_t block_count() const { return blocks_.size(); }

  // Returns before which block it gave up, because it would cost more than `budget`; the number of blocks if it did not.
  std::size_t run(std::optional<double> budget, MatchOutlet& outlet) const {
    constexpr std::size_t kChunk = 1024;
    double spent = 0;
    outlet.expect(blocks_.size() * task_.members.size());
    for (std::size_t block = 0; block < blocks_.size(); ++block) {
      const BlockTable table(codes_, words_, blocks_[block], task_.threads);
      spent += table.count_pairs() * verify_cost(words_);
      if (budget && spent > *budget) return block;
      parallel_for(table.size(), kChunk, task_.threads, [&](std::size_t first, std::size_t last, unsigned worker) {
        table.for_pairs(first, last, [&](std::size_t entry, std::size_t begin, std::size_t end) {
          for (std::size_t other = begin; other < end; ++other) {
            look_at(table.place(entry), table.place(other), block, outlet.of(worker));
            outlet.drain(worker);
          }
        });
        outlet.advance(worker, last - first);
      });
    }
    return blocks_.size();
  }

  // Whether two rows meet in one of the first `count` blocks.
  bool meet_before(Row a, Row b, std::size_t count) const {
    const std::uint64_t *x = task_.vectors.bits(a).data(), *y = task_.vectors.bits(b).data();
    for (std::size_t block = 0; block < count; ++block) {
      if (agree_in(x, y, block)) return true;
    }
    return false;
  }

 private:
  const std::uint64_t* code(std::size_t place) const { return codes_.data() + place * words_; }

  void look_at(std::uint32_t i, std::uint32_t j, std::size_t block, JoinResult& found) const {
    const Row a = task_.members[i], b = task_.members[j];
    if ((task_.split != 0 && (a < task_.split) == (b < task_.split)) || task_.skips(a, b)) return;
    const std::uint32_t distance = kernel::bit_distance(code(i), code(j), words_);
    ++found.looked_at;
    if (!task_.border.inside(distance) || first_meeting(i, j, block)) settle(a, b, distance, task_.border, found);
  }

  // True in the first block in which the two are as near as its reach, which is the one that reports them.
  bool first_meeting(std::size_t i, std::size_t j, std::size_t block) const {
    for (std::size_t b = 0; b < block; ++b) {
      if (agree_in(code(i), code(j), b)) return false;
    }
    return agree_in(code(i), code(j), block);
  }

  bool agree_in(const std::uint64_t* x, const std::uint64_t* y, std::size_t block) const {
    std::uint32_t differ = 0;
    for (std::size_t w = 0; w < words_; ++w) {
      differ += static_cast<std::uint32_t>(std::popcount((x[w] ^ y[w]) & masks_[block * words_ + w]));
    }
    return differ <= blocks_[block].reach;
  }

  const VectorTask& task_;
  std::span<const std::uint64_t> codes_;  // of the members, one after the other
  std::size_t words_;
  std::vector<Block> blocks_;
  std::vector<std::uint64_t> masks_;  // the bits of each block
};

}  // namespace

void join_bits(const VectorTask& task, BitRoad road, MatchOutlet& outlet) {
  const Windows pairs = bit_windows(task.vectors, task.members, task.split, task.border);
  const auto none_known = [](Row, Row) { return false; };
  const double budget = static_cast<double>(pairs.pairs()) * scan_cost(task.vectors.word_count());
  constexpr std::size_t kFew = 256;
  const bool few = road == BitRoad::cheapest && task.members.size() < kFew;
  if (road == BitRoad::scan || few || pairs.pairs() == 0) return scan(task, pairs, outlet, none_known);
  const std::vector<std::uint64_t> codes = gather_codes(task.vectors, task.members);
  std::optional<BlockPlan> plan = plan_blocks(codes, task.vectors.word_count(), radius_of(task.border));
  if (!plan || (road != BitRoad::pigeonhole && plan->cost >= budget)) return scan(task, pairs, outlet, none_known);
  const Pigeonhole pigeonhole(task, codes, std::move(plan->blocks));
  const std::size_t done = pigeonhole.run(road == BitRoad::pigeonhole ? std::nullopt : std::optional(budget), outlet);
  if (done == pigeonhole.block_count()) return;
  scan(task, pairs, outlet, [&](Row a, Row b) { return pigeonhole.meet_before(a, b, done); });
}

VectorJoinResult join_bits(const Vectors& vectors, std::span<const Row> members, Row split, const Border& border, unsigned threads,
                           BitRoad road) {
  const SkipPair no_skip;
  const VectorTask task{vectors, members, split, Measure::hamming, border, threads, no_skip};
  return collect_matches(threads, [&](const MatchSink& emit) {
    MatchOutlet outlet(emit, threads);
    join_bits(task, road, outlet);
    return outlet.finish([&](double x, double y) { return border.closer(x, y); });
  });
}

}  // namespace nearkin

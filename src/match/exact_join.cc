#include "match/exact_join.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/misuse.h"
#include "base/parallel.h"
#include "match/frequencies.h"
#include "match/held_sets.h"
#include "match/overlap.h"
#include "match/token_index.h"

namespace nearkin {
namespace {

// Two sets that reach the threshold share an element among the first n − ⌈t·n⌉ + 1 of each in any fixed order of all elements.
std::size_t probe_length(std::size_t size, Ratio threshold) { return size - least_size(size, threshold) + 1; }
// The one that is no greater has it even among its first n − o + 1, where o is what two sets of its size must share.
std::size_t index_length(std::size_t size, Ratio threshold) { return size - least_overlap(size, size, threshold) + 1; }

// The keys of a set's prefix that can occur in another set, rarest first, and how many that cannot stand before them.
struct Prefix {
  std::span<const std::uint32_t> keys;
  std::uint32_t alone;
};

// Prefixes of the sets of a part, by place.
class Prefixes {
 public:
  Prefixes(const HeldSets& sets, const Frequencies& frequency, Ratio threshold, unsigned threads)
      : starts_(sets.size() + 1), alone_(sets.size()) {
    constexpr std::size_t kBlock = 4096;
    std::vector<std::vector<std::uint32_t>> blocks((sets.size() + kBlock - 1) / kBlock);
    parallel_for(sets.size(), kBlock, threads, [&](std::size_t begin, std::size_t end, unsigned) {
      std::vector<std::uint64_t> ranked;
      for (std::size_t i = begin; i < end; ++i) {
        alone_[i] = static_cast<std::uint32_t>(rank_prefix(sets[i], frequency, probe_length(sets[i].size(), threshold), ranked));
        for (const std::uint64_t rank : ranked) blocks[begin / kBlock].push_back(static_cast<std::uint32_t>(rank));
        starts_[i + 1] = ranked.size();
      }
    });
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    keys_.reserve(static_cast<std::size_t>(starts_.back()));
    for (std::vector<std::uint32_t>& block : blocks) {
      keys_.insert(keys_.end(), block.begin(), block.end());
      std::vector<std::uint32_t>().swap(block);
    }
  }

  Prefix operator[](std::size_t place) const {
    return {{keys_.data() + starts_[place], static_cast<std::size_t>(starts_[place + 1] - starts_[place])}, alone_[place]};
  }

 private:
  std::vector<std::uint64_t> starts_;
  std::vector<std::uint32_t> alone_, keys_;
};

// Bytes that a part takes for a row.
std::uint64_t part_bytes(const RowBytes& sets, Row row, Ratio threshold, unsigned threads) {
  constexpr std::uint64_t kPlace = 28, kKey = 8, kEntry = 26;
  const auto size = static_cast<std::size_t>(sets.size(row) / sizeof(std::uint64_t));
  return held_bytes(sets, row) + kPlace + std::uint64_t{4} * threads + kKey * probe_length(size, threshold) +
         kEntry * index_length(size, threshold);
}

// Sets by their place, smallest first, and an index of their prefixes; with a split one for each side. `stretches`: which of its entries
// are joined is to be noted.
struct Part {
  Part(const RowBytes& all, std::span<const Row> part_rows, const Frequencies& frequency, Ratio threshold, const EntryLayout& layout,
       Row split, bool stretches, unsigned threads)
      : rows(part_rows), sets(all, part_rows), prefixes(sets, frequency, threshold, threads) {
    for (const bool right : {false, true}) {
      std::vector<std::uint64_t> entries;
      for (std::size_t place = 0; place < rows.size(); ++place) {
        if ((split != 0 && rows[place] >= split) == right) add_entries(place, threshold, layout, entries);
      }
      index[right] = TokenIndex(std::move(entries));
      if (stretches) joined[right] = JoinedStretches(index[right].size());
    }
  }

  void add_entries(std::size_t place, Ratio threshold, const EntryLayout& layout, std::vector<std::uint64_t>& entries) const {
    const Prefix prefix = prefixes[place];
    const std::size_t length = index_length(sets[place].size(), threshold);
    for (std::size_t i = 0; i < prefix.keys.size() && prefix.alone + i < length; ++i) {
      entries.push_back(layout.entry(prefix.keys[i], place, prefix.alone + i));
    }
  }

  std::span<const Row> rows;
  HeldSets sets;
  Prefixes prefixes;
  std::array<TokenIndex, 2> index;
  std::array<JoinedStretches, 2> joined;
};

// One that is held against the sets of a part.
struct Asker {
  Row row;
  FeatureSpan set;
  Prefix prefix;
};

// One a worker.
struct JoinScratch {
  std::vector<std::uint32_t> seen;  // by place: the last probe that met it
  std::uint32_t probe = 0;
  std::vector<std::uint64_t> ranked;
  std::vector<std::uint32_t> keys;
};

class SetJoin {
 public:
  SetJoin(const RowBytes& sets, std::span<const Row> members, Row split, Ratio threshold, const JoinLimits& limits,
          const SharedComponents* components, const MatchSink& emit)
      : sets_(sets),
        split_(split),
        threshold_(threshold),
        limits_(limits),
        components_(components),
        outlet_(emit, limits.threads, limits.advance),
        order_(members.begin(), members.end()),
        layout_(members.size()),
        frequency_(sets, ascending(order_), limits.memory / 4, limits.threads) {
    std::stable_sort(order_.begin(), order_.end(), [&](Row a, Row b) { return sets_.size(a) < sets_.size(b); });
  }

  JoinNotes run() {
    const std::uint64_t used = frequency_.bytes() + 2 * sizeof(Row) * order_.size();
    const std::uint64_t room = limits_.memory > used ? limits_.memory - used : 0;
    outlet_.expect(all_near());
    for (std::size_t begin = 0, end = 0; begin < order_.size(); begin = end) {
      std::uint64_t bytes = 0;
      for (end = begin; end < order_.size(); ++end) {
        bytes += part_bytes(sets_, order_[end], threshold_, limits_.threads);
        if (end > begin && bytes > room) break;
      }
      join_part(begin, end);
    }
    return outlet_.finish();
  }

 private:
  static std::span<const Row> ascending(std::vector<Row>& rows) {
    std::sort(rows.begin(), rows.end());
    return rows;
  }

  // Progress counts a set as one more than the smaller sets that are not too small for it, which is about the work that it makes.
  std::uint64_t all_near() const {
    std::uint64_t sum = 0;
    for (std::size_t place = 0, first = 0; place < order_.size(); ++place) {
      const std::size_t least = least_size(sets_.size(order_[place]) / sizeof(std::uint64_t), threshold_);
      while (sets_.size(order_[first]) / sizeof(std::uint64_t) < least) ++first;
      sum += place - first + 1;
    }
    return sum;
  }

  // The same for the sets of a part before place `end`. `here`: the set itself is counted, too.
  std::uint64_t near_in(const Part& part, std::size_t size, std::size_t end, bool here) const {
    const std::size_t least = least_size(size, threshold_);
    std::size_t first = 0, last = end;
    while (first < last) {
      const std::size_t middle = first + (last - first) / 2;
      part.sets[middle].size() < least ? first = middle + 1 : last = middle;
    }
    return end - first + (here ? 1 : 0);
  }

  // The pairs of a part, and those of its sets with the ones after it in the order, which are no smaller.
  void join_part(std::size_t begin, std::size_t end) {
    Part part(sets_, std::span(order_).subspan(begin, end - begin), frequency_, threshold_, layout_, split_, components_ != nullptr,
              limits_.threads);
    std::vector<JoinScratch> scratches(limits_.threads);
    for (JoinScratch& scratch : scratches) scratch.seen.resize(part.rows.size());
    constexpr std::size_t kBlock = 64;
    parallel_for(part.rows.size(), kBlock, limits_.threads, [&](std::size_t first, std::size_t last, unsigned worker) {
      std::uint64_t done = 0;
      for (std::size_t i = first; i < last; ++i) {
        probe(part, i, {part.rows[i], part.sets[i], part.prefixes[i]}, scratches[worker], worker);
        outlet_.drain(worker);
        done += near_in(part, part.sets[i].size(), i, true);
      }
      outlet_.advance(worker, done);
    });
    const std::vector<Row> others = rows_near(part, end);
    sets_.read(others, [&](unsigned worker, std::size_t i, std::span<const std::byte> bytes) {
      probe_by(part, others[i], as_set(bytes), scratches[worker], worker);
      outlet_.drain(worker);
      outlet_.advance(worker, near_in(part, as_set(bytes).size(), part.rows.size(), false));
    });
  }

  // The rows from a place of the order on that are not too large for the largest set of the part, ascending.
  std::vector<Row> rows_near(const Part& part, std::size_t from) const {
    const auto first = order_.begin() + static_cast<std::ptrdiff_t>(from);
    const std::size_t largest = part.sets[part.rows.size() - 1].size();
    const auto near = [&](Row row) { return least_size(sets_.size(row) / sizeof(std::uint64_t), threshold_) <= largest; };
    std::vector<Row> rows(first, std::partition_point(first, order_.end(), near));
    std::sort(rows.begin(), rows.end());
    return rows;
  }

  void probe_by(Part& part, Row row, FeatureSpan set, JoinScratch& scratch, unsigned worker) {
    const std::size_t alone = rank_prefix(set, frequency_, probe_length(set.size(), threshold_), scratch.ranked);
    scratch.keys.assign(scratch.ranked.begin(), scratch.ranked.end());
    probe(part, part.rows.size(), {row, set, {scratch.keys, static_cast<std::uint32_t>(alone)}}, scratch, worker);
  }

  // Meets the sets of the part before place `end` that share a key of the prefixes and may share enough.
  void probe(Part& part, std::size_t end, const Asker& asker, JoinScratch& scratch, unsigned worker) {
    const bool side = split_ != 0 && asker.row < split_;
    const TokenIndex& index = part.index[side];
    bool alone = components_ == nullptr || components_->alone(asker.row);
    std::uint64_t passed = 0;
    ++scratch.probe;
    for (std::size_t i = 0; i < asker.prefix.keys.size(); ++i) {
      const std::span<const std::uint64_t> entries = index.find(asker.prefix.keys[i]);
      const auto last = end_of_small(part, entries, asker, i, end);
      // The sets are in order of size: those of the right size are one stretch. Looked at from the largest on.
      part.joined[side].walk(
          index.number_of(entries.data()), index.number_of(last),
          [&](std::size_t entry) { return !alone && components_->joined(asker.row, part.rows[layout_.place(index[entry])]); },
          [&](std::size_t entry) {
            const std::uint32_t place = layout_.place(index[entry]);
            ++passed;
            if (!large_enough(part.sets[place].size(), 0, asker.set.size())) return false;
            if (scratch.seen[place] == scratch.probe) return true;
            if (!large_enough(part.sets[place].size(), layout_.position(index[entry]), asker.set.size())) return true;
            scratch.seen[place] = scratch.probe;
            if (compare(part, place, asker, worker)) alone = false;
            return true;
          });
    }
    outlet_.of(worker).passed += passed;
  }

  // Behind the last entry before place `end` whose set is not too large for the asker, were key i the first that both share.
  const std::uint64_t* end_of_small(const Part& part, std::span<const std::uint64_t> entries, const Asker& asker, std::size_t i,
                                    std::size_t end) const {
    const auto small = [&](std::uint64_t entry) {
      return large_enough(asker.set.size(), asker.prefix.alone + i, part.sets[layout_.place(entry)].size());
    };
    const std::uint64_t *first = entries.data(), *last = first + entries.size();
    last = std::lower_bound(first, last, layout_.least(asker.prefix.keys[i], end));
    return last == first || small(last[-1]) ? last : std::partition_point(first, last, small);
  }

  // Whether the two match and are to be known as joined at once.
  bool compare(const Part& part, std::uint32_t place, const Asker& asker, unsigned worker) {
    JoinResult& found = outlet_.of(worker);
    ++found.looked_at;
    decide(asker.row, part.rows[place], asker.set, part.sets[place], threshold_, found);
    if (components_ == nullptr || found.matches.empty()) return false;
    outlet_.drain_all(worker);
    return true;
  }

  // Whether a set of `size` elements with the first that it shares with one of `other` at this position has enough left:
  // (size − position) / (position + other) ≥ t.
  bool large_enough(std::uint64_t size, std::uint64_t position, std::uint64_t other) const {
    return (size - position) * threshold_.denominator >= threshold_.numerator * (position + other);
  }

  const RowBytes& sets_;
  Row split_;
  Ratio threshold_;
  JoinLimits limits_;
  const SharedComponents* components_;
  MatchOutlet outlet_;
  std::vector<Row> order_;  // smallest set first
  EntryLayout layout_;
  Frequencies frequency_;
};

}  // namespace

JoinNotes join_exactly(const RowBytes& sets, std::span<const Row> members, Row split, Ratio threshold, const JoinLimits& limits,
                       const MatchSink& emit, const SharedComponents* components) {
  return SetJoin(sets, members, split, threshold, {limits.memory, thread_count(limits.threads), limits.advance}, components, emit).run();
}

JoinResult join_exactly(const Features& features, std::span<const Row> members, Row split, Ratio threshold, unsigned threads) {
  return collect_matches(thread_count(threads), [&](const MatchSink& emit) {
    return join_exactly(rows_in_memory(features, threads), members, split, threshold, {.threads = threads}, emit);
  });
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

#include "match/containment.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "base/parallel.h"
#include "base/radix_sort.h"
#include "match/frequencies.h"
#include "match/held_sets.h"

namespace nearkin {
namespace {

// Above this ratio of sizes each feature of the small set is looked up in the large one; below it, both are read in step.
constexpr std::size_t kLookUpRatio = 32;

Overlap overlap_by_lookup(FeatureSpan a, FeatureSpan b, std::uint64_t least) {
  const std::uint64_t may_miss = a.size() - least;
  std::uint64_t shared = 0, missed = 0;
  auto from = b.begin();
  for (const std::uint64_t hash : a) {
    from = std::lower_bound(from, b.end(), hash);
    if (from != b.end() && *from == hash) {
      ++shared;
    } else if (++missed > may_miss) {
      return {shared, false};
    }
  }
  return {shared, true};
}

// The features of the items that may contain others, each with the items it occurs in. An entry is the upper half of the hash, then the
// place of the item in the order given; sorted. Features that agree in the upper half count as one: a candidate too many, never one too
// few. The entries are kept in parts by the first bits of the hash, so that threads can build them and little is held twice.
class FeatureIndex {
 public:
  /// `drop_single`: entries of features that occur once are of no use, because every item that is looked up is in the index itself.
  /// `frequency` tells the same where items outside are looked up too; null: every feature is of use.
  /// `stretches`: find_apart is to be used.
  FeatureIndex(const HeldSets& sets, bool drop_single, const Frequencies* frequency, bool stretches, unsigned threads)
      : parts_(std::size_t{1} << kPartBits) {
    parallel_for(parts_.size(), 1, threads, [&](std::size_t number, std::size_t, unsigned) {
      build(sets, number, drop_single, frequency);
      if (stretches) parts_[number].joined = JoinedStretches(parts_[number].entries.size());
    });
  }

  /// At least the number of entries of the feature; 0 is certain.
  std::uint32_t about(std::uint64_t hash) const {
    const Part& part = parts_[hash >> (64 - kPartBits)];
    const std::size_t cell = cell_of(hash, part);
    return part.starts[cell + 1] - part.starts[cell];
  }

  /// The entries of the feature from place `first` on, ascending by place.
  std::span<const std::uint64_t> find(std::uint64_t hash, std::uint64_t first) const {
    const Part& part = parts_[hash >> (64 - kPartBits)];
    const std::size_t cell = cell_of(hash, part);
    const std::uint64_t *begin = part.entries.data() + part.starts[cell], *end = part.entries.data() + part.starts[cell + 1];
    begin = std::lower_bound(begin, end, (hash >> 32 << 32) + first);
    return {begin, std::upper_bound(begin, end, hash | UINT32_MAX)};
  }

  /// The same entries, the last first, to use(entry); without those for which joined(entry) is true.
  template <typename Joined, typename Use>
  void find_apart(std::uint64_t hash, std::uint64_t first, Joined&& joined, Use&& use) {
    Part& part = parts_[hash >> (64 - kPartBits)];
    const std::span<const std::uint64_t> found = find(hash, first);
    const auto begin = static_cast<std::size_t>(found.data() - part.entries.data());
    part.joined.walk(
        begin, begin + found.size(), [&](std::size_t i) { return joined(part.entries[i]); },
        [&](std::size_t i) {
          use(part.entries[i]);
          return true;
        });
  }

 private:
  static constexpr unsigned kPartBits = 5;  // the same on any number of threads: `about`, and with it the work, depends on it
  struct Part {
    std::vector<std::uint64_t> entries;
    std::vector<std::uint32_t> starts;  // of each cell its first entry; a cell is a range of hashes, about one entry wide
    unsigned cell_bits = 0;
    JoinedStretches joined;
  };

  static std::size_t cell_of(std::uint64_t hash, const Part& part) { return hash << kPartBits >> (64 - part.cell_bits); }

  void build(const HeldSets& sets, std::size_t number, bool drop_single, const Frequencies* frequency) {
    const auto part_of = [](std::uint64_t hash) { return hash >> (64 - kPartBits); };
    Part& part = parts_[number];
    std::vector<std::uint64_t> scratch;
    for (std::size_t place = 0; place < sets.size(); ++place) {
      // An item's features are ascending: those of the part are one stretch.
      const FeatureSpan hashes = sets[place];
      auto hash = std::partition_point(hashes.begin(), hashes.end(), [&](std::uint64_t h) { return part_of(h) < number; });
      for (; hash != hashes.end() && part_of(*hash) == number; ++hash) {
        if (frequency == nullptr || (*frequency)(key_of(*hash)) > 1) part.entries.push_back(*hash >> 32 << 32 | place);
      }
    }
    radix_sort(part.entries, scratch, 4, 8);
    if (drop_single) drop_single_entries(part.entries);
    part.entries.shrink_to_fit();
    part.cell_bits = std::clamp(static_cast<unsigned>(std::bit_width(part.entries.size())), 1u, 32 - kPartBits);
    part.starts.assign((std::size_t{1} << part.cell_bits) + 1, 0);
    for (const std::uint64_t entry : part.entries) ++part.starts[cell_of(entry, part) + 1];
    for (std::size_t cell = 1; cell < part.starts.size(); ++cell) part.starts[cell] += part.starts[cell - 1];
  }

  static void drop_single_entries(std::vector<std::uint64_t>& entries) {
    std::size_t kept = 0;
    for (std::size_t begin = 0, end = 0; begin < entries.size(); begin = end) {
      for (end = begin + 1; end < entries.size() && entries[end] >> 32 == entries[begin] >> 32;) ++end;
      for (std::size_t i = begin; end - begin > 1 && i < end; ++i) entries[kept++] = entries[i];
    }
    entries.resize(kept);
  }

  std::vector<Part> parts_;
};

// One for each thread. The loops over entries and candidates have no branches that depend on the data: those would cost more than all else.
struct ProbeScratch {
  std::vector<std::uint32_t> counts;      // for each place, how many of the features looked up it has; 0: no candidate
  std::vector<std::uint32_t> candidates;  // places; room for all and for one more
  std::size_t candidate_count = 0;
  std::uint64_t passed = 0;                                    // entries, since it was asked last
  std::vector<std::pair<std::uint32_t, std::uint64_t>> keyed;  // features that occur elsewhere, with how often about

  explicit ProbeScratch(std::size_t places) : counts(places), candidates(places + 1) {}

  void add(std::span<const std::uint64_t> entries) {
    passed += entries.size();
    for (const std::uint64_t entry : entries) {
      const std::uint32_t place = static_cast<std::uint32_t>(entry);
      candidates[candidate_count] = place;
      candidate_count += counts[place]++ == 0;
    }
  }
  void count(std::span<const std::uint64_t> entries) {
    for (const std::uint64_t entry : entries) {
      std::uint32_t& number = counts[static_cast<std::uint32_t>(entry)];
      number += number != 0;
    }
  }
  void drop_below(std::size_t least) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < candidate_count; ++i) {
      const std::uint32_t place = candidates[i], enough = counts[place] >= least;
      counts[place] *= enough;
      candidates[kept] = place;
      kept += enough;
    }
    candidate_count = kept;
  }
};

// Some of the items that may contain others, smallest set first.
struct Containers {
  Containers(const RowBytes& all, std::span<const Row> part_rows, bool drop_single, const Frequencies* frequency, bool stretches,
             unsigned threads)
      : rows(part_rows), sets(all, part_rows), index(sets, drop_single, frequency, stretches, threads) {}

  // The first place of a container with so many features at least.
  std::uint64_t first_place_of(std::size_t least) const {
    std::size_t begin = 0, end = rows.size();
    while (begin < end) {
      const std::size_t middle = (begin + end) / 2;
      sets[middle].size() < least ? begin = middle + 1 : end = middle;
    }
    return begin;
  }

  std::span<const Row> rows;
  HeldSets sets;
  FeatureIndex index;
};

class ContainmentJoiner {
 public:
  ContainmentJoiner(const RowBytes& sets, std::span<const Row> members, Row split, Ratio threshold, const JoinLimits& limits,
                    const MatchSink& emit, const SharedComponents* components)
      : sets_(sets),
        one_side_(split == 0),
        threshold_(threshold),
        limits_(limits),
        components_(components),
        outlet_(emit, limits.threads, limits.advance),
        contained_(chosen(members, 0, split)),
        containers_(chosen(members, split, 0)) {
    std::stable_sort(containers_.begin(), containers_.end(), [&](Row a, Row b) { return sets_.size(a) < sets_.size(b); });
  }

  JoinNotes run() {
    const std::uint64_t used = sizeof(Row) * (contained_.size() + containers_.size());
    const std::uint64_t room = limits_.memory > used ? limits_.memory - used : 0;
    std::uint64_t containers = 0;
    for (const Row row : containers_) containers += 1 + sets_.size(row) / sizeof(std::uint64_t);
    outlet_.expect(containers * contained_.size());
    if (const std::size_t end = end_of_part(0, room); end == containers_.size()) {
      join_part(containers_, one_side_, nullptr);
      return outlet_.finish();
    }
    std::optional<Frequencies> frequency;
    if (one_side_) frequency.emplace(sets_, contained_, room / 4, limits_.threads);
    for (std::size_t begin = 0, end = 0; begin < containers_.size(); begin = end) {
      end = end_of_part(begin, room - (frequency ? std::min(room, frequency->bytes()) : 0));
      join_part(std::span(containers_).subspan(begin, end - begin), false, frequency ? &*frequency : nullptr);
    }
    return outlet_.finish();
  }

 private:
  // Rows from `begin` to before `end` (0: without end) that are not empty, ascending.
  std::vector<Row> chosen(std::span<const Row> members, Row begin, Row end) const {
    std::vector<Row> rows;
    for (const Row row : members) {
      if (row >= begin && (end == 0 || row < end) && sets_.size(row) > 0) rows.push_back(row);
    }
    std::sort(rows.begin(), rows.end());
    return rows;
  }

  std::size_t end_of_part(std::size_t begin, std::uint64_t room) const {
    constexpr std::uint64_t kElement = 24;
    std::uint64_t bytes = 0;
    std::size_t end = begin;
    for (; end < containers_.size(); ++end) {
      const Row row = containers_[end];
      bytes += held_bytes(sets_, row) + std::uint64_t{8} * limits_.threads + kElement * (sets_.size(row) / sizeof(std::uint64_t));
      if (end > begin && bytes > room) break;
    }
    return end;
  }

  void join_part(std::span<const Row> rows, bool drop_single, const Frequencies* frequency) {
    if (rows.empty()) return;
    Containers containers(sets_, rows, drop_single, frequency, components_ != nullptr, limits_.threads);
    std::vector<std::optional<ProbeScratch>> scratches(limits_.threads);
    std::uint64_t size = 0;  // of the part, for the progress
    for (const Row row : rows) size += 1 + sets_.size(row) / sizeof(std::uint64_t);
    sets_.read(contained_, [&](unsigned worker, std::size_t i, std::span<const std::byte> bytes) {
      if (!scratches[worker]) scratches[worker].emplace(rows.size());
      probe(containers, contained_[i], as_set(bytes), *scratches[worker], worker);
      outlet_.drain(worker);
      outlet_.advance(worker, size);
    });
  }

  // A set with `least` features of A has one at least of any |A| − least + 1 of them, and m at least of any |A| − least + m.
  // The rarest are looked up. Which those are is A's own affair: every feature of the containers is in the index.
  void probe(Containers& part, Row row, FeatureSpan hashes, ProbeScratch& scratch, unsigned worker) {
    const std::size_t least = std::max<std::size_t>(1, least_shared(hashes.size(), threshold_));
    auto& keyed = scratch.keyed;
    keyed.clear();
    for (const std::uint64_t hash : hashes) {
      if (const std::uint32_t count = part.index.about(hash); count > 0) keyed.emplace_back(count, hash);
    }
    if (keyed.size() < least) return;
    const std::size_t prefix = keyed.size() - least + 1;
    std::nth_element(keyed.begin(), keyed.begin() + static_cast<std::ptrdiff_t>(prefix - 1), keyed.end());
    const std::uint64_t first = part.first_place_of(least);
    for (std::size_t i = 0; i < prefix; ++i) add_candidates(part, row, keyed[i].second, first, scratch);
    outlet_.of(worker).passed += std::exchange(scratch.passed, 0);
    narrow(part.index, prefix, first, hashes.size(), scratch);
    decide_candidates(part, row, hashes, scratch, worker);
  }

  // The containers with a feature; those that are joined with the row already may be left out.
  void add_candidates(Containers& part, Row row, std::uint64_t hash, std::uint64_t first, ProbeScratch& scratch) const {
    if (components_ == nullptr || components_->alone(row)) return scratch.add(part.index.find(hash, first));
    part.index.find_apart(
        hash, first, [&](std::uint64_t entry) { return components_->joined(row, part.rows[static_cast<std::uint32_t>(entry)]); },
        [&](const std::uint64_t& entry) {
          scratch.add({&entry, 1});
        });
  }

  // Looks up more features while that costs less than counting the candidates out, and drops those that have too few of them. It is
  // what keeps collections with few different features, or a feature in very many items, from counting out nearly every pair.
  static void narrow(const FeatureIndex& index, std::size_t prefix, std::uint64_t first, std::size_t size, ProbeScratch& scratch) {
    constexpr std::size_t kFew = 4;  // candidates
    auto& keyed = scratch.keyed;
    if (scratch.candidate_count <= kFew) return;
    std::sort(keyed.begin() + static_cast<std::ptrdiff_t>(prefix), keyed.end());
    for (std::size_t next = prefix; next < keyed.size() && scratch.candidate_count > kFew;) {
      if (keyed[next].first > scratch.candidate_count * size / 2) return;
      // As many entries as there are candidates to go through afterwards.
      for (std::size_t entries = 0; next < keyed.size() && entries < scratch.candidate_count; ++next) {
        scratch.count(index.find(keyed[next].second, first));
        entries += keyed[next].first;
      }
      scratch.drop_below(next - prefix + 1);
    }
  }

  void decide_candidates(const Containers& part, Row row, FeatureSpan hashes, ProbeScratch& scratch, unsigned worker) {
    JoinResult& found = outlet_.of(worker);
    for (const std::uint32_t place : std::span(scratch.candidates).first(scratch.candidate_count)) {
      scratch.counts[place] = 0;
      const Row other = part.rows[place];
      if (other == row || (components_ != nullptr && components_->joined(row, other))) continue;
      ++found.looked_at;
      decide_containment(row, other, hashes, part.sets[place], threshold_, found);
      if (components_ != nullptr) outlet_.drain_all(worker);
    }
    scratch.candidate_count = 0;
  }

  const RowBytes& sets_;
  bool one_side_;
  Ratio threshold_;
  JoinLimits limits_;
  const SharedComponents* components_;
  MatchOutlet outlet_;
  std::vector<Row> contained_;   // ascending
  std::vector<Row> containers_;  // smallest set first
};

}  // namespace

void decide_containment(Row a, Row b, FeatureSpan features_a, FeatureSpan features_b, Ratio threshold, VerifyResult& result) {
  const std::uint64_t least = least_shared(features_a.size(), threshold);
  const bool look_up = features_b.size() / kLookUpRatio > features_a.size();
  const Overlap found = look_up ? overlap_by_lookup(features_a, features_b, least) : overlap(features_a, features_b, least);
  if (found.shared >= least && found.shared > 0) {
    result.matches.push_back({a, b, static_cast<std::uint32_t>(found.shared), static_cast<std::uint32_t>(features_a.size())});
  } else if (found.complete && !features_a.empty()) {
    result.closest_below = std::max(result.closest_below, static_cast<double>(found.shared) / static_cast<double>(features_a.size()));
  }
}

JoinNotes join_containment(const RowBytes& sets, std::span<const Row> members, Row split, Ratio threshold, const JoinLimits& limits,
                           const MatchSink& emit, const SharedComponents* components) {
  return ContainmentJoiner(sets, members, split, threshold, {limits.memory, thread_count(limits.threads), limits.advance}, emit, components)
      .run();
}

JoinResult join_containment(const Features& features, std::span<const Row> members, Row split, Ratio threshold, unsigned threads) {
  return collect_matches(thread_count(threads), [&](const MatchSink& emit) {
    return join_containment(rows_in_memory(features, threads), members, split, threshold, {.threads = threads}, emit);
  });
}

}  // namespace nearkin

#include "match/containment_sketch.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>

#include <nearkin/tools/theory.h>

#include "base/hash.h"
#include "base/parallel.h"
#include "base/radix_sort.h"
#include "match/band.h"
#include "match/candidates.h"
#include "match/overlap.h"

namespace nearkin {
namespace {

constexpr std::uint32_t kMostRows = 16;  // more would only make tables: at that length strangers do not meet
constexpr std::uint32_t kGroup = 16;     // bands whose keys are made in one pass over the sketches

constexpr std::size_t kClasses = 128;  // class_of(2^32 − 1) is 123

// Classes of sizes: four to each doubling, so that sizes of one class differ by less than a quarter.
std::uint32_t class_of(std::uint64_t size) {
  if (size < 8) return static_cast<std::uint32_t>(size);
  const unsigned shift = static_cast<unsigned>(std::bit_width(size)) - 3;
  return 4 * shift + static_cast<std::uint32_t>(size >> shift);
}
std::uint64_t least_of_class(std::uint32_t number) { return number < 8 ? number : std::uint64_t{number % 4 + 4} << (number / 4 - 1); }
std::uint64_t most_of_class(std::uint32_t number) { return least_of_class(number + 1) - 1; }

ContainmentBands bands_of_classes(std::uint32_t a, std::uint32_t b, Ratio threshold, double recall, std::uint32_t hashes) {
  constexpr double kMiss = 1e-6;
  const double jaccard = least_jaccard(least_of_class(a), most_of_class(b), threshold);
  ContainmentBands chosen{.bands = hashes, .rows = 1, .least_equal = least_agreement(std::min(jaccard, 1.0), hashes, 32, kMiss)};
  for (std::uint32_t rows = 1; rows <= kMostRows; ++rows) {
    const std::uint64_t bands = bands_needed(jaccard, rows, recall);
    if (bands * rows > hashes) break;
    chosen.bands = static_cast<std::uint32_t>(bands);
    chosen.rows = rows;
  }
  return chosen;
}

// The members of one class; they are neighbours in the order of sizes.
struct SizeClass {
  std::uint32_t number = 0;
  std::uint32_t begin = 0, end = 0;             // places
  std::uint64_t contained = 0, containers = 0;  // members that may be a, and b, of a pair
};

struct Places {
  std::uint32_t begin = 0, end = 0;
};

// Bands first .. first + count − 1 of `rows` rows.
struct BandGroup {
  std::uint32_t rows = 0, first = 0, count = 0;
};

class Ensemble {
 public:
  explicit Ensemble(const ContainmentSearch& search) : search_(search) {
    for (const Row row : search.members) {
      if (search.sizes[row] != 0) order_.push_back(row);
    }
    std::sort(order_.begin(), order_.end(), [&](Row a, Row b) { return size(a) != size(b) ? size(a) < size(b) : a < b; });
    make_classes();
    make_plans();
  }

  ContainmentCandidates run(unsigned threads) const {
    const std::vector<BandGroup> groups = band_groups();
    std::vector<ContainmentCandidates> found(groups.size());
    parallel_for(groups.size(), 1, threads, [&](std::size_t i, std::size_t, unsigned) { scan_group(groups[i], found[i]); });
    ContainmentCandidates result = join(found);
    result.least_recall = least_recall_;
    return result;
  }

 private:
  std::uint32_t size(Row row) const { return search_.sizes[row]; }
  std::size_t class_at(Row row) const { return at_[class_of(size(row))]; }
  bool may_be_contained(Row row) const { return search_.split == 0 || row < search_.split; }
  bool may_contain(Row row) const { return row >= search_.split; }

  void make_classes() {
    for (std::uint32_t place = 0; place < order_.size(); ++place) {
      const std::uint32_t number = class_of(size(order_[place]));
      if (classes_.empty() || classes_.back().number != number) classes_.push_back({.number = number, .begin = place});
      SizeClass& last = classes_.back();
      at_[number] = classes_.size() - 1;
      last.end = place + 1;
      last.contained += may_be_contained(order_[place]);
      last.containers += may_contain(order_[place]);
    }
  }

  bool can_match(const SizeClass& a, const SizeClass& b) const {
    if (a.contained == 0 || b.containers == 0 || (search_.split == 0 && a.begin == b.begin && a.contained == 1)) return false;
    return size(order_[b.end - 1]) >= least_size(size(order_[a.begin]), search_.threshold);
  }

  void make_plans() {
    plans_.resize(classes_.size() * classes_.size());
    for (std::size_t i = 0; i < classes_.size(); ++i) {
      for (std::size_t j = 0; j < classes_.size(); ++j) {
        const SizeClass &a = classes_[i], &b = classes_[j];
        if (!can_match(a, b)) continue;
        const ContainmentBands plan = bands_of_classes(a.number, b.number, search_.threshold, search_.recall, search_.hashes);
        plans_[i * classes_.size() + j] = plan;
        const double jaccard = least_jaccard(size(order_[a.begin]), size(order_[b.end - 1]), search_.threshold);
        least_recall_ = std::min(least_recall_, found_probability(jaccard, plan.bands, plan.rows));
      }
    }
  }

  std::vector<BandGroup> band_groups() const {
    std::array<std::uint32_t, kMostRows + 1> most{};
    for (const ContainmentBands& plan : plans_) most[plan.rows] = std::max(most[plan.rows], plan.bands);
    std::vector<BandGroup> groups;
    for (std::uint32_t rows = 1; rows <= kMostRows; ++rows) {
      for (std::uint32_t first = 0; first < most[rows]; first += kGroup) {
        groups.push_back({rows, first, std::min(kGroup, most[rows] - first)});
      }
    }
    return groups;
  }

  void scan_group(const BandGroup& group, ContainmentCandidates& found) const {
    const std::vector<std::uint8_t> used = classes_in(group);
    std::array<std::vector<std::uint64_t>, kGroup> tables;  // key << 32 | place
    std::array<std::uint32_t, kGroup> keys{};
    for (std::uint32_t i = 0; i < group.count; ++i) tables[i].reserve(order_.size());
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      for (std::uint32_t place = classes_[c].begin; used[c] != 0 && place < classes_[c].end; ++place) {
        const std::uint32_t* slots = search_.slots + std::size_t{order_[place]} * search_.hashes + std::size_t{group.first} * group.rows;
        band_keys(slots, {.bands = group.count, .rows = group.rows}, keys.data());
        for (std::uint32_t i = 0; i < group.count; ++i) tables[i].push_back(std::uint64_t{keys[i]} << 32 | place);
      }
    }
    std::vector<std::uint64_t> packed, scratch;
    for (std::uint32_t i = 0; i < group.count; ++i) {
      radix_sort(tables[i], scratch, 4, 8);
      const std::size_t before = packed.size();
      scan_table(tables[i], group.rows, group.first + i, packed, found);
      const std::uint64_t more = packed.size() - before;
      if (held_.fetch_add(more, std::memory_order_relaxed) + more > search_.most_pairs) throw TooManyCandidates{};
      std::vector<std::uint64_t>().swap(tables[i]);
    }
    held_.fetch_sub(packed.size(), std::memory_order_relaxed);
    unpack(packed, found.pairs);
    std::erase_if(found.pairs, [&](const Pair& pair) { return !agree_enough(pair.a, pair.b); });
    held_.fetch_add(found.pairs.size(), std::memory_order_relaxed);
  }

  bool agree_enough(Row a, Row b) const {
    constexpr std::uint32_t kStretch = 32;
    const std::uint32_t least = plans_[class_at(a) * classes_.size() + class_at(b)].least_equal, hashes = search_.hashes;
    const std::uint32_t *x = search_.slots + std::size_t{a} * hashes, *y = search_.slots + std::size_t{b} * hashes;
    std::uint32_t equal = 0;
    for (std::uint32_t i = 0; equal < least && equal + (hashes - i) >= least && i < hashes;) {
      for (const std::uint32_t end = std::min(hashes, i + kStretch); i < end; ++i) equal += x[i] == y[i];
    }
    return equal >= least;
  }

  // Classes that meet others in one of the group's bands. All that do so in a later band do so in the first.
  std::vector<std::uint8_t> classes_in(const BandGroup& group) const {
    std::vector<std::uint8_t> used(classes_.size());
    for (std::size_t a = 0; a < classes_.size(); ++a) {
      for (std::size_t b = 0; b < classes_.size(); ++b) {
        if (uses(plans_[a * classes_.size() + b], group.rows, group.first)) used[a] = used[b] = 1;
      }
    }
    return used;
  }

  static bool uses(const ContainmentBands& plan, std::uint32_t rows, std::uint32_t band) { return plan.rows == rows && band < plan.bands; }

  // For each class the places of the classes that it meets in a band. They are neighbours: the larger B, the fewer rows, and the more
  // bands of as many rows.
  std::vector<Places> reach_in(std::uint32_t rows, std::uint32_t band) const {
    std::vector<Places> reach(classes_.size());
    for (std::size_t a = 0; a < classes_.size(); ++a) {
      for (std::size_t b = 0; b < classes_.size(); ++b) {
        if (!uses(plans_[a * classes_.size() + b], rows, band)) continue;
        if (reach[a].end == 0) reach[a].begin = classes_[b].begin;
        reach[a].end = classes_[b].end;
      }
    }
    return reach;
  }

  void scan_table(std::span<const std::uint64_t> records, std::uint32_t rows, std::uint32_t band, std::vector<std::uint64_t>& packed,
                  ContainmentCandidates& found) const {
    const std::vector<Places> reach = reach_in(rows, band);
    const std::uint64_t table = mix64(std::uint64_t{rows} << 32 | band);
    std::vector<std::uint32_t> containers;  // places, ascending
    for (std::size_t begin = 0, end = 0; begin < records.size(); begin = end) {
      for (end = begin + 1; end < records.size() && records[end] >> 32 == records[begin] >> 32;) ++end;
      if (end - begin < 2) continue;
      containers.clear();
      for (std::size_t i = begin; i < end; ++i) {
        if (may_contain(order_[static_cast<std::uint32_t>(records[i])])) containers.push_back(static_cast<std::uint32_t>(records[i]));
      }
      found.notes.largest = std::max<std::uint64_t>(found.notes.largest, end - begin);
      found.notes.large += containers.size() > search_.large_bucket;
      for (std::size_t i = begin; i < end; ++i) {
        const std::uint32_t place = static_cast<std::uint32_t>(records[i]);
        if (may_be_contained(order_[place])) meet(place, reach_of(place, reach), containers, table, packed, found);
      }
    }
  }

  // What an item meets in a band, less those that are too small to contain enough of it.
  Places reach_of(std::uint32_t place, std::span<const Places> reach) const {
    Places places = reach[class_at(order_[place])];
    const std::uint64_t least = least_size(size(order_[place]), search_.threshold);
    const auto small = [&](Row row) { return size(row) < least; };
    const auto large_enough = std::partition_point(order_.begin() + places.begin, order_.begin() + places.end, small);
    places.begin = static_cast<std::uint32_t>(large_enough - order_.begin());
    return places;
  }

  void meet(std::uint32_t place, Places reach, std::span<const std::uint32_t> containers, std::uint64_t table,
            std::vector<std::uint64_t>& packed, ContainmentCandidates& found) const {
    const auto first = std::lower_bound(containers.begin(), containers.end(), reach.begin);
    const auto last = std::lower_bound(first, containers.end(), reach.end);
    const std::size_t count = static_cast<std::size_t>(last - first);
    if (count == 0) return;
    const Row a = order_[place];
    const std::size_t others = count - (std::binary_search(first, last, place) ? 1 : 0);
    const std::size_t taken = std::min<std::size_t>(others, search_.large_bucket);
    const std::size_t start = taken == others ? 0 : (mix64(table ^ a) >> 32) % count;
    for (std::size_t i = 0, met = 0; met < taken; ++i) {
      const std::uint32_t other = first[static_cast<std::ptrdiff_t>((start + i) % count)];
      if (other == place) continue;
      packed.push_back(std::uint64_t{a} << 32 | order_[other]);
      ++met;
    }
    found.looked_at += taken;
    found.notes.not_compared += others - taken;
  }

  // Sorted, each once.
  static void unpack(std::vector<std::uint64_t>& packed, Pairs& pairs) {
    std::vector<std::uint64_t> scratch;
    radix_sort(packed, scratch);
    packed.erase(std::unique(packed.begin(), packed.end()), packed.end());
    pairs.reserve(packed.size());
    for (const std::uint64_t pair : packed) pairs.push_back({static_cast<Row>(pair >> 32), static_cast<Row>(pair)});
  }

  static ContainmentCandidates join(std::vector<ContainmentCandidates>& found) {
    ContainmentCandidates result;
    std::vector<std::uint64_t> packed;
    for (ContainmentCandidates& part : found) {
      result.looked_at += part.looked_at;
      result.notes.large += part.notes.large;
      result.notes.largest = std::max(result.notes.largest, part.notes.largest);
      result.notes.not_compared += part.notes.not_compared;
      for (const Pair& pair : part.pairs) packed.push_back(std::uint64_t{pair.a} << 32 | pair.b);
      Pairs().swap(part.pairs);
    }
    unpack(packed, result.pairs);
    return result;
  }

  const ContainmentSearch& search_;
  std::vector<Row> order_;  // smallest set first, then by row
  std::vector<SizeClass> classes_;
  std::array<std::size_t, kClasses> at_{};  // of each class number its place in classes_
  std::vector<ContainmentBands> plans_;     // of class a and class b at a · classes + b; no bands where no pair can reach the threshold
  double least_recall_ = 1;
  mutable std::atomic<std::uint64_t> held_{0};  // pairs, of all groups
};

}  // namespace

double least_jaccard(std::uint64_t a, std::uint64_t b, Ratio threshold) {
  const double t = threshold.value();
  return t / (static_cast<double>(b) / static_cast<double>(a) + 1 - t);
}

ContainmentBands containment_bands(std::uint64_t size_a, std::uint64_t size_b, Ratio threshold, double recall, std::uint32_t hashes) {
  return bands_of_classes(class_of(size_a), class_of(size_b), threshold, recall, hashes);
}

ContainmentCandidates containment_candidates(const ContainmentSearch& search, unsigned threads) { return Ensemble(search).run(threads); }

}  // namespace nearkin

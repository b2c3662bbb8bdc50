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
constexpr std::uint32_t kMostAtOnce = 16;

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

bool uses(const ContainmentBands& plan, std::uint32_t rows, std::uint32_t band) { return plan.rows == rows && band < plan.bands; }

// Sorted, each once.
Pairs unpacked(std::vector<std::uint64_t>& packed) {
  std::vector<std::uint64_t> scratch;
  radix_sort(packed, scratch);
  packed.erase(std::unique(packed.begin(), packed.end()), packed.end());
  Pairs pairs;
  pairs.reserve(packed.size());
  for (const std::uint64_t pair : packed) pairs.push_back({static_cast<Row>(pair >> 32), static_cast<Row>(pair)});
  return pairs;
}

}  // namespace

ContainmentTables::ContainmentTables(const ContainmentSearch& search) : search_(search), place_(search.sizes.size()), at_(kClasses) {
  for (const Row row : search.members) {
    if (search.sizes[row] != 0) order_.push_back(row);
  }
  std::sort(order_.begin(), order_.end(), [&](Row a, Row b) { return size(a) != size(b) ? size(a) < size(b) : a < b; });
  for (std::uint32_t place = 0; place < order_.size(); ++place) place_[order_[place]] = place;
  make_classes();
  make_plans();
  make_groups();
}

std::size_t ContainmentTables::class_at(Row row) const { return at_[class_of(size(row))]; }

void ContainmentTables::make_classes() {
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

bool ContainmentTables::can_match(const SizeClass& a, const SizeClass& b) const {
  if (a.contained == 0 || b.containers == 0 || (search_.split == 0 && a.begin == b.begin && a.contained == 1)) return false;
  return size(order_[b.end - 1]) >= least_size(size(order_[a.begin]), search_.threshold);
}

void ContainmentTables::make_plans() {
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

void ContainmentTables::make_groups() {
  std::array<std::uint32_t, kMostRows + 1> most{};
  for (const ContainmentBands& plan : plans_) most[plan.rows] = std::max(most[plan.rows], plan.bands);
  for (std::uint32_t rows = 1; rows <= kMostRows; ++rows) {
    for (std::uint32_t first = 0; first < most[rows]; first += search_.bands_at_once)
      groups_.push_back({rows, first, std::min(search_.bands_at_once, most[rows] - first)});
  }
}

// Of the classes that meet others in one of the group's bands, ascending. All that do so in a later band do so in the first.
std::vector<Row> ContainmentTables::rows_in(const BandGroup& group) const {
  std::vector<std::uint8_t> used(classes_.size());
  for (std::size_t a = 0; a < classes_.size(); ++a) {
    for (std::size_t b = 0; b < classes_.size(); ++b) {
      if (uses(plan_of(a, b), group.rows, group.first)) used[a] = used[b] = 1;
    }
  }
  std::vector<Row> rows;
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    if (used[c] != 0) rows.insert(rows.end(), order_.begin() + classes_[c].begin, order_.begin() + classes_[c].end);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

// Of each band the records key << 32 | place, ascending.
std::vector<std::vector<std::uint64_t>> ContainmentTables::tables_of(const BandGroup& group) const {
  const std::vector<Row> rows = rows_in(group);
  std::vector<std::vector<std::uint64_t>> tables(group.count, std::vector<std::uint64_t>(rows.size()));
  search_.slots.read(rows, [&](unsigned, std::size_t i, std::span<const std::byte> bytes) {
    std::array<std::uint32_t, kMostAtOnce> keys;
    const auto* const slots = reinterpret_cast<const std::uint32_t*>(bytes.data()) + std::size_t{group.first} * group.rows;
    band_keys(slots, {.bands = group.count, .rows = group.rows}, keys.data());
    for (std::uint32_t band = 0; band < group.count; ++band) tables[band][i] = std::uint64_t{keys[band]} << 32 | place_[rows[i]];
  });
  std::vector<std::uint64_t> scratch;
  for (std::vector<std::uint64_t>& table : tables) radix_sort(table, scratch);
  return tables;
}

BucketNotes ContainmentTables::scan(std::size_t group, const Meet& meet) const {
  BucketNotes notes;
  const auto [rows, first, count] = groups_[group];
  const std::vector<std::vector<std::uint64_t>> tables = tables_of(groups_[group]);
  for (std::uint32_t band = 0; band < count; ++band) scan_table(tables[band], rows, first + band, meet, notes);
  return notes;
}

// For each class the places of the classes that it meets in a band. They are neighbours: the larger B, the fewer rows, and the more
// bands of as many rows.
std::vector<ContainmentTables::Places> ContainmentTables::reach_in(std::uint32_t rows, std::uint32_t band) const {
  std::vector<Places> reach(classes_.size());
  for (std::size_t a = 0; a < classes_.size(); ++a) {
    for (std::size_t b = 0; b < classes_.size(); ++b) {
      if (!uses(plan_of(a, b), rows, band)) continue;
      if (reach[a].end == 0) reach[a].begin = classes_[b].begin;
      reach[a].end = classes_[b].end;
    }
  }
  return reach;
}

void ContainmentTables::scan_table(std::span<const std::uint64_t> records, std::uint32_t rows, std::uint32_t band, const Meet& meet,
                                   BucketNotes& notes) const {
  const std::vector<Places> reach = reach_in(rows, band);
  const std::vector<bool> takes_part = classes_in(reach);
  const std::uint64_t table = mix64(std::uint64_t{rows} << 32 | band);
  std::vector<std::uint32_t> containers;  // places, ascending
  for (std::size_t begin = 0, end = 0; begin < records.size(); begin = end) {
    for (end = begin + 1; end < records.size() && records[end] >> 32 == records[begin] >> 32;) ++end;
    if (end - begin < 2) continue;
    containers.clear();
    std::uint64_t members = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t place = static_cast<std::uint32_t>(records[i]);
      if (!takes_part[class_at(order_[place])]) continue;  // it is in the table for another band of the group
      ++members;
      if (may_contain(order_[place])) containers.push_back(place);
    }
    notes.largest = std::max(notes.largest, members);
    notes.large += containers.size() > search_.large_bucket;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t place = static_cast<std::uint32_t>(records[i]);
      if (may_be_contained(order_[place])) meet_others(place, reach_of(place, reach), containers, table, meet, notes);
    }
  }
}

// The classes that meet others, or are met, in a band.
std::vector<bool> ContainmentTables::classes_in(std::span<const Places> reach) const {
  std::vector<bool> used(classes_.size());
  for (std::size_t a = 0; a < classes_.size(); ++a) {
    if (reach[a].end == 0) continue;
    used[a] = true;
    for (std::size_t b = 0; b < classes_.size(); ++b) {
      if (reach[a].begin <= classes_[b].begin && classes_[b].end <= reach[a].end) used[b] = true;
    }
  }
  return used;
}

// What an item meets in a band, less those that are too small to contain enough of it.
ContainmentTables::Places ContainmentTables::reach_of(std::uint32_t place, std::span<const Places> reach) const {
  Places places = reach[class_at(order_[place])];
  const std::uint64_t least = least_size(size(order_[place]), search_.threshold);
  const auto small = [&](Row row) { return size(row) < least; };
  const auto large_enough = std::partition_point(order_.begin() + places.begin, order_.begin() + places.end, small);
  places.begin = static_cast<std::uint32_t>(large_enough - order_.begin());
  return places;
}

void ContainmentTables::meet_others(std::uint32_t place, Places reach, std::span<const std::uint32_t> containers, std::uint64_t table,
                                    const Meet& meet, BucketNotes& notes) const {
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
    meet(a, order_[other]);
    ++met;
  }
  notes.not_compared += others - taken;
}

bool agree_enough(std::span<const std::byte> a, std::span<const std::byte> b, std::uint32_t least) {
  constexpr std::uint32_t kStretch = 32;
  const auto hashes = static_cast<std::uint32_t>(a.size() / sizeof(std::uint32_t));
  const auto* const x = reinterpret_cast<const std::uint32_t*>(a.data());
  const auto* const y = reinterpret_cast<const std::uint32_t*>(b.data());
  std::uint32_t equal = 0;
  for (std::uint32_t i = 0; equal < least && equal + (hashes - i) >= least && i < hashes;) {
    for (const std::uint32_t end = std::min(hashes, i + kStretch); i < end; ++i) equal += x[i] == y[i];
  }
  return equal >= least;
}

double least_jaccard(std::uint64_t a, std::uint64_t b, Ratio threshold) {
  const double t = threshold.value();
  return t / (static_cast<double>(b) / static_cast<double>(a) + 1 - t);
}

ContainmentBands containment_bands(std::uint64_t size_a, std::uint64_t size_b, Ratio threshold, double recall, std::uint32_t hashes) {
  return bands_of_classes(class_of(size_a), class_of(size_b), threshold, recall, hashes);
}

ContainmentCandidates containment_candidates(const ContainmentSearch& search, std::uint64_t most_pairs, unsigned threads) {
  constexpr std::size_t kStep = 4096;
  const ContainmentTables tables(search);
  std::vector<BucketNotes> notes(tables.groups());
  std::vector<std::vector<std::uint64_t>> found(tables.groups());
  std::atomic<std::uint64_t> held{0}, met{0};
  parallel_for(tables.groups(), 1, threads, [&](std::size_t group, std::size_t, unsigned) {
    std::vector<std::uint64_t> packed;
    notes[group] = tables.scan(group, [&](Row a, Row b) {
      packed.push_back(std::uint64_t{a} << 32 | b);
      if (packed.size() % kStep == 0 && held.fetch_add(kStep, std::memory_order_relaxed) >= most_pairs) throw TooManyCandidates{};
    });
    const std::uint64_t meetings = packed.size();
    for (const auto& [a, b] : unpacked(packed)) {
      if (agree_enough(search.slots.at(a), search.slots.at(b), tables.least_equal(a, b)))
        found[group].push_back(std::uint64_t{a} << 32 | b);
    }
    met.fetch_add(meetings, std::memory_order_relaxed);
    held.fetch_sub(meetings / kStep * kStep, std::memory_order_relaxed);
    held.fetch_add(found[group].size(), std::memory_order_relaxed);
  });
  ContainmentCandidates result{.pairs = {}, .looked_at = met, .least_recall = tables.least_recall(), .notes = {}};
  std::vector<std::uint64_t> packed;
  for (std::size_t group = 0; group < tables.groups(); ++group) {
    result.notes.large += notes[group].large;
    result.notes.largest = std::max(result.notes.largest, notes[group].largest);
    result.notes.not_compared += notes[group].not_compared;
    packed.insert(packed.end(), found[group].begin(), found[group].end());
  }
  result.pairs = unpacked(packed);
  return result;
}

}  // namespace nearkin

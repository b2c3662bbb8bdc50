#include "match/feature_lists.h"

#include <algorithm>
#include <bit>

#include "base/hash.h"
#include "base/radix_sort.h"
#include "kernel/kernel.h"

namespace nearkin {
namespace {

constexpr std::size_t kCounted = 4096;   // rows counted together: their counts stay in the fastest cache
constexpr std::size_t kMarkedWords = 8;  // marked together: what is asked for rises between one and the next
constexpr std::size_t kFrequent = 64;    // a bit per row is no more than eight bytes for each 64th row
constexpr std::size_t kListsAhead = 16;  // features whose lists are prefetched
constexpr std::size_t kMostCounted = UINT16_MAX;

// Measured, in nanoseconds: to count and mark a block, to look whether a list has rows in it, and to meet a row outside of blocks.
constexpr std::size_t kCountCost = 500, kListCost = 1, kMetCost = 15;

std::uint32_t list_key(std::uint64_t feature) { return static_cast<std::uint32_t>(mix64(feature) >> 32); }

std::vector<std::uint64_t> list_records(const Features& sets) {
  std::vector<std::uint64_t> records, scratch;
  records.reserve(sets.hashes.size());
  for (std::size_t i = 0; i < sets.size(); ++i) {
    for (const std::uint64_t feature : sets[i]) records.push_back(std::uint64_t{list_key(feature)} << 32 | i);
  }
  radix_sort(records, scratch, 4, 8);  // stable, and the rows came in ascending
  return records;
}

std::vector<std::uint32_t> sizes_of(const Features& sets) {
  std::vector<std::uint32_t> sizes(sets.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = static_cast<std::uint32_t>(sets[i].size());
  return sizes;
}

std::uint64_t smallest_of(const std::vector<std::uint32_t>& sizes) {
  std::uint64_t smallest = 0;
  for (const std::uint32_t size : sizes) {
    if (size != 0 && (smallest == 0 || size < smallest)) smallest = size;
  }
  return smallest;
}

}  // namespace

// A set that shares c features has c or more. So the fewest are those of the smallest set, or of a set that has nothing but what it shares.
std::uint64_t SharedBound::fewest(std::uint64_t smallest) const {
  const auto beyond = [](std::int64_t number, std::int64_t divisor) {
    return number < 0 ? std::uint64_t{0} : static_cast<std::uint64_t>(number / divisor) + 1;
  };
  const std::uint64_t of_smallest = beyond(constant + size_factor * static_cast<std::int64_t>(smallest), factor);
  if (factor > size_factor) return std::max(of_smallest, beyond(constant, factor - size_factor));
  return constant >= 0 ? UINT64_MAX : of_smallest;
}

FeatureLists::FeatureLists(const Features& sets)
    : rows_(sets.size()),
      sizes_(sizes_of(sets)),
      smallest_(smallest_of(sizes_)),
      words_((rows_ + 64 * kMarkedWords - 1) / (64 * kMarkedWords) * kMarkedWords),
      others_(std::span<const std::uint64_t>()) {
  std::vector<std::uint64_t> records = list_records(sets);
  keep_frequent(records);
  place_frequent();
  others_ = BucketTables(records);
}

void FeatureLists::keep_frequent(std::vector<std::uint64_t>& records) {
  std::size_t kept = 0;
  for (std::size_t begin = 0, end = 0; begin < records.size(); begin = end) {
    const std::uint64_t key = records[begin] >> 32;
    while (end < records.size() && records[end] >> 32 == key) ++end;
    if ((end - begin) * kFrequent < 64 * words_) {
      kept = static_cast<std::size_t>(std::copy(records.begin() + begin, records.begin() + end, records.begin() + kept) - records.begin());
      continue;
    }
    common_.push_back(static_cast<std::uint32_t>(key));
    bits_.resize(bits_.size() + words_);
    std::uint64_t* const string = bits_.data() + bits_.size() - words_;
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = static_cast<std::uint32_t>(records[i]);
      string[row / 64] |= std::uint64_t{1} << row % 64;
    }
  }
  records.resize(kept);
  bits_.shrink_to_fit();
}

void FeatureLists::place_frequent() {
  places_.resize(std::bit_ceil(2 * common_.size() + 2));
  for (std::size_t i = 0; i < common_.size(); ++i) {
    std::size_t place = common_[i] & (places_.size() - 1);
    while (places_[place] != 0) place = (place + 1) & (places_.size() - 1);
    places_[place] = static_cast<std::uint32_t>(i + 1);
  }
}

const std::uint64_t* FeatureLists::string_of(std::uint32_t key) const {
  std::size_t place = key & (places_.size() - 1);
  while (places_[place] != 0 && common_[places_[place] - 1] != key) place = (place + 1) & (places_.size() - 1);
  return places_[place] == 0 ? nullptr : bits_.data() + (places_[place] - 1) * words_;
}

void SharedCounts::find_lists(std::span<const std::uint64_t> query) {
  features_ = query.size();
  rest_.clear();
  strings_.clear();
  listed_ = 0;
  for (std::size_t i = 0; i < query.size(); ++i) {
    if (i + kListsAhead < query.size()) lists_.others_.prefetch_place(0, list_key(query[i + kListsAhead]));
    if (i + kListsAhead / 2 < query.size()) lists_.others_.prefetch_keys(0, list_key(query[i + kListsAhead / 2]));
    const std::uint32_t key = list_key(query[i]);
    if (const std::uint64_t* const string = lists_.string_of(key)) {
      strings_.push_back(string);
    } else if (const std::span<const Row> rows = lists_.others_.bucket(0, key); !rows.empty()) {
      rest_.push_back(rows);
      listed_ += rows.size();
    }
  }
}

// Whether it is cheaper to meet the rows of the lists one by one than to go through all blocks.
bool SharedCounts::few() const {
  if (features_ > kMostCounted) return true;
  const std::size_t blocks = lists_.rows() / kCounted + 1;
  return strings_.empty() && listed_ * kMetCost < blocks * (kCountCost + rest_.size() * kListCost);
}

bool SharedCounts::visit(std::span<const std::uint64_t> query, const SharedBound& bound, const Visit& visit) {
  find_lists(query);
  if (few()) {
    visit_met(bound, visit);
    return false;
  }
  visit_blocks(bound, visit);
  return true;
}

void SharedCounts::visit_met(const SharedBound& bound, const Visit& visit) {
  met_counts_.resize(lists_.rows());
  met_.clear();
  const auto meet = [this](Row row) {
    if (met_counts_[row]++ == 0) met_.push_back(row);
  };
  for (const std::span<const Row> rows : rest_) std::for_each(rows.begin(), rows.end(), meet);
  for (const std::uint64_t* const string : strings_) {
    for (std::size_t word = 0; word < lists_.words_; ++word) {
      for (std::uint64_t bits = string[word]; bits != 0; bits &= bits - 1) meet(static_cast<Row>(64 * word + std::countr_zero(bits)));
    }
  }
  std::sort(met_.begin(), met_.end());
  bool go_on = true;
  for (const Row row : met_) {
    const std::uint64_t shared = std::exchange(met_counts_[row], 0);
    go_on = go_on && (!bound.passes(shared, lists_.sizes_[row]) || visit(row, shared));
  }
}

void SharedCounts::visit_blocks(const SharedBound& bound, const Visit& visit) {
  counts_.resize(kCounted);
  here_.resize(strings_.size());
  for (std::size_t begin = 0; begin < lists_.rows(); begin += kCounted) {
    if (bound.fewest(lists_.smallest_) > features_) return;
    count_block(begin, std::min(kCounted / 64, lists_.words_ - begin / 64));
    if (!visit_block(begin, std::min(kCounted, lists_.rows() - begin), bound, visit)) return;
  }
}

void SharedCounts::count_block(std::size_t begin, std::size_t words) {
  std::fill(counts_.begin(), counts_.end(), std::uint16_t{0});
  for (std::size_t i = 0; i < strings_.size(); ++i) here_[i] = strings_[i] + begin / 64;
  kernel::add_bits(here_.data(), here_.size(), words, counts_.data());
  const std::size_t end = begin + kCounted;
  for (std::span<const Row>& rows : rest_) {
    std::size_t done = 0;
    while (done < rows.size() && rows[done] < end) ++counts_[rows[done++] - begin];
    rows = rows.subspan(done);
  }
}

bool SharedCounts::visit_block(std::size_t begin, std::size_t count, const SharedBound& bound, const Visit& visit) {
  std::uint64_t marks[kMarkedWords];
  for (std::size_t first = 0; first < count; first += 64 * kMarkedWords) {
    const std::uint64_t fewest = bound.fewest(lists_.smallest_);
    if (fewest > features_) return true;
    kernel::mark_at_least(counts_.data() + first, kMarkedWords, static_cast<std::uint16_t>(fewest), marks);
    for (std::size_t word = 0; word < kMarkedWords; ++word) {
      if (!visit_marked(begin, first + 64 * word, marks[word], bound, visit)) return false;
    }
  }
  return true;
}

bool SharedCounts::visit_marked(std::size_t begin, std::size_t first, std::uint64_t marks, const SharedBound& bound, const Visit& visit) {
  for (; marks != 0; marks &= marks - 1) {
    const std::size_t place = first + static_cast<std::size_t>(std::countr_zero(marks)), row = begin + place;
    if (row >= lists_.rows()) return true;
    const std::uint32_t size = lists_.sizes_[row];
    if (size != 0 && bound.passes(counts_[place], size) && !visit(static_cast<Row>(row), counts_[place])) return false;
  }
  return true;
}

}  // namespace nearkin

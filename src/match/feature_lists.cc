#include "match/feature_lists.h"

#include <algorithm>
#include <bit>

#include "base/hash.h"
#include "base/radix_sort.h"
#include "kernel/kernel.h"

namespace nearkin {
namespace {

constexpr std::size_t kCounted = 4096;  // rows counted together: their counts stay in the fastest cache
constexpr std::size_t kCountedWords = kCounted / 64;
constexpr std::size_t kMarkedWords = 8;  // marked together: what is asked for rises between one and the next
constexpr std::size_t kFrequent = 32;  // a bit per row is less than four bytes for each 32nd row
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

std::uint64_t smallest_of(const Features& sets) {
  std::uint64_t smallest = 0;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    if (!sets[i].empty() && (smallest == 0 || sets[i].size() < smallest)) smallest = sets[i].size();
  }
  return smallest;
}

}  // namespace

FeatureLists::FeatureLists(const Features& sets) : rows_(sets.size()), smallest_(smallest_of(sets)), others_(std::span<const std::uint64_t>()) {
  words_ = (rows_ + kCounted - 1) / kCounted * kCountedWords;
  std::vector<std::uint64_t> records = list_records(sets);
  keep_frequent(records);
  others_ = BucketTables(records);
}

void FeatureLists::keep_frequent(std::vector<std::uint64_t>& records) {
  std::size_t kept = 0;
  for (std::size_t begin = 0, end = 0; begin < records.size(); begin = end) {
    const std::uint64_t key = records[begin] >> 32;
    while (end < records.size() && records[end] >> 32 == key) ++end;
    if ((end - begin) * kFrequent < std::max(64 * words_, kCounted)) {
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

std::size_t FeatureLists::frequent(std::uint32_t key) const {
  const auto found = std::lower_bound(common_.begin(), common_.end(), key);
  return found == common_.end() || *found != key ? kNone : static_cast<std::size_t>(found - common_.begin());
}

void SharedCounts::find_lists(std::span<const std::uint64_t> query) {
  features_ = query.size();
  rest_.clear();
  strings_.clear();
  listed_ = 0;
  for (const std::uint64_t feature : query) {
    const std::uint32_t key = list_key(feature);
    if (const std::size_t place = lists_.frequent(key); place != FeatureLists::kNone) {
      strings_.push_back(lists_.bits_.data() + place * lists_.words_);
    } else if (const std::span<const Row> rows = lists_.others_.bucket(0, key); !rows.empty()) {
      rest_.push_back(rows);
      listed_ += rows.size();
    }
  }
}

// Whether it is cheaper to meet the rows of the lists one by one than to go through all blocks.
bool SharedCounts::few() const {
  if (features_ > kMostCounted) return true;
  const std::size_t blocks = lists_.words_ / kCountedWords;
  return strings_.empty() && listed_ * kMetCost < blocks * (kCountCost + rest_.size() * kListCost);
}

bool SharedCounts::visit(std::span<const std::uint64_t> query, std::uint64_t least, const Visit& visit) {
  find_lists(query);
  if (few()) {
    visit_met(least, visit);
    return false;
  }
  visit_blocks(least, visit);
  return true;
}

void SharedCounts::visit_met(std::uint64_t least, const Visit& visit) {
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
  for (const Row row : met_) {
    const std::uint64_t shared = std::exchange(met_counts_[row], 0);
    if (shared >= least) least = visit(row, shared);
  }
}

void SharedCounts::visit_blocks(std::uint64_t least, const Visit& visit) {
  counts_.resize(kCounted);
  here_.resize(strings_.size());
  for (std::size_t block = 0; block * kCounted < lists_.rows() && least <= features_; ++block) {
    count_block(block);
    least = visit_block(block, least, visit);
  }
}

void SharedCounts::count_block(std::size_t block) {
  std::fill(counts_.begin(), counts_.end(), std::uint16_t{0});
  for (std::size_t i = 0; i < strings_.size(); ++i) here_[i] = strings_[i] + block * kCountedWords;
  kernel::add_bits(here_.data(), here_.size(), kCountedWords, counts_.data());
  const std::size_t begin = block * kCounted, end = begin + kCounted;
  for (std::span<const Row>& rows : rest_) {
    std::size_t done = 0;
    while (done < rows.size() && rows[done] < end) ++counts_[rows[done++] - begin];
    rows = rows.subspan(done);
  }
}

std::uint64_t SharedCounts::visit_block(std::size_t block, std::uint64_t least, const Visit& visit) {
  const std::size_t first = block * kCounted, count = std::min(kCounted, lists_.rows() - first);
  std::uint64_t marked[kMarkedWords];
  for (std::size_t begin = 0; begin < count && least <= features_; begin += 64 * kMarkedWords) {
    kernel::mark_at_least(counts_.data() + begin, kMarkedWords, static_cast<std::uint16_t>(least), marked);
    for (std::size_t word = 0; word < kMarkedWords; ++word) {
      for (std::uint64_t marks = marked[word]; marks != 0; marks &= marks - 1) {
        const std::size_t place = begin + 64 * word + static_cast<std::size_t>(std::countr_zero(marks));
        if (place < count && counts_[place] >= least) least = visit(static_cast<Row>(first + place), counts_[place]);
      }
    }
  }
  return least;
}

}  // namespace nearkin

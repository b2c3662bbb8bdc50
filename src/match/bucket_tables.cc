#include "match/bucket_tables.h"

#include <algorithm>

#include "base/parallel.h"
#include "base/radix_sort.h"

namespace nearkin {
namespace {

constexpr std::size_t kKeysAPlace = 8;  // of the directory, about: half a cache line
constexpr unsigned kMostPlaceBits = 24;

std::vector<Row> rows_not_empty(std::span<const std::uint8_t> empty) {
  std::vector<Row> rows;
  rows.reserve(empty.size());
  for (std::size_t i = 0; i < empty.size(); ++i) {
    if (empty[i] == 0) rows.push_back(static_cast<Row>(i));
  }
  return rows;
}

}  // namespace

BucketTables::BucketTables(std::span<const std::uint32_t> keys, std::uint32_t bands, std::span<const std::uint8_t> empty, unsigned threads)
    : bands_(bands) {
  const std::vector<Row> members = rows_not_empty(empty);
  size_for(members.size());
  std::vector<std::vector<std::uint64_t>> records(thread_count(threads)), scratch(thread_count(threads));
  parallel_for(bands, 1, thread_count(threads), [&](std::size_t begin, std::size_t end, unsigned worker) {
    for (std::size_t band = begin; band < end; ++band) {
      records[worker].clear();
      for (const Row row : members) records[worker].push_back(std::uint64_t{keys[std::size_t{row} * bands + band]} << 32 | row);
      radix_sort(records[worker], scratch[worker], 4, 8);  // stable, and the rows came in ascending
      build_band(static_cast<std::uint32_t>(band), records[worker]);
    }
  });
}

BucketTables::BucketTables(std::span<const std::uint64_t> records) : bands_(1) {
  size_for(records.size());
  build_band(0, records);
}

void BucketTables::size_for(std::size_t items) {
  items_ = items;
  unsigned bits = 1;
  while (bits < kMostPlaceBits && (items_ >> bits) > kKeysAPlace) ++bits;
  shift_ = 32 - bits;
  places_ = std::size_t{1} << bits;
  directory_.resize(bands_ * (places_ + 1));
  keys_.resize(bands_ * items_);
  rows_.resize(bands_ * items_);
}

void BucketTables::build_band(std::uint32_t band, std::span<const std::uint64_t> records) {
  std::uint64_t* directory = directory_.data() + band * (places_ + 1);
  for (std::size_t i = 0; i < items_; ++i) {
    const auto key = static_cast<std::uint32_t>(records[i] >> 32);
    keys_[band * items_ + i] = key;
    rows_[band * items_ + i] = static_cast<Row>(records[i]);
    ++directory[(key >> shift_) + 1];
  }
  for (std::size_t place = 0; place < places_; ++place) directory[place + 1] += directory[place];
}

std::span<const Row> BucketTables::bucket(std::uint32_t band, std::uint32_t key) const {
  const std::uint64_t* place = place_of(band, key);
  const std::uint32_t* keys = keys_.data() + band * items_;
  const auto [first, last] = std::equal_range(keys + place[0], keys + place[1], key);
  return {rows_.data() + band * items_ + (first - keys), static_cast<std::size_t>(last - first)};
}

}  // namespace nearkin

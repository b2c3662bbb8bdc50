// Finds ids that were used before in the same input.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <nearkin/items.h>
#include <nearkin/tools/forecast.h>

namespace nearkin {

/// Open addressing over 10 bytes per entry, of which half to four fifths are used; the ids themselves stay where they are.
class IdTable {
 public:
  /// The row that had this id before. If there is none, remembers `row` under the id and returns nothing. `hash` is hash(id). Calls
  /// id_of(row) if hashes agree, never for `row` itself.
  template <typename IdOf>
  std::optional<Row> insert(std::string_view id, std::uint64_t hash, Row row, IdOf&& id_of) {
    if (5 * (used_ + 1) > 4 * entries_.size()) resize(std::max<std::size_t>(1024, entries_.size() * 8 / 5));
    const auto high = static_cast<std::uint32_t>(hash >> 32);
    const auto tag = static_cast<std::uint16_t>(hash);
    std::size_t place = home(high);
    for (; entries_[place].row != kFree; place = next(place)) {
      if (entries_[place].high == high && tags_[place] == tag && id_of(entries_[place].row) == id) return entries_[place].row;
    }
    entries_[place] = {row, high};
    tags_[place] = tag;
    ++used_;
    return std::nullopt;
  }

  /// The hash of an id that `insert` takes.
  static std::uint64_t hash(std::string_view id) { return XXH3_64bits(id.data(), id.size()); }
  /// Prefetches for an id with this hash that will be inserted soon: the table is far larger than any cache.
  void expect(std::uint64_t hash) const {
    if (entries_.empty()) return;
    const std::size_t place = home(static_cast<std::uint32_t>(hash >> 32));
    __builtin_prefetch(&entries_[place], 1);
    __builtin_prefetch(&tags_[place], 1);
  }
  /// Room for so many ids.
  void reserve(std::size_t ids) {
    if (ids * 5 / 4 > entries_.size()) resize(std::max<std::size_t>(1024, ids * 5 / 4 + 1));
  }
  /// Bytes for each id, at the most.
  static constexpr std::uint64_t kBytes = 20;

 private:
  static constexpr Row kFree = UINT32_MAX;
  struct Entry {
    Row row = kFree;
    std::uint32_t high = 0;  // half of the hash: it determines the place, so entries can be moved without reading their ids
  };

  std::size_t home(std::uint32_t high) const { return static_cast<std::size_t>(std::uint64_t{high} * entries_.size() >> 32); }
  std::size_t next(std::size_t place) const { return place + 1 == entries_.size() ? 0 : place + 1; }

  void resize(std::size_t size) {
    std::vector<Entry> entries(size);
    std::vector<std::uint16_t> tags(size);
    entries.swap(entries_);
    tags.swap(tags_);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (entries[i].row == kFree) continue;
      std::size_t place = home(entries[i].high);
      while (entries_[place].row != kFree) place = next(place);
      entries_[place] = entries[i];
      tags_[place] = tags[i];
    }
  }

  std::vector<Entry> entries_;
  std::vector<std::uint16_t> tags_;
  std::size_t used_ = 0;
};

}  // namespace nearkin

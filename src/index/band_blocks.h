// The buckets of all bands: one sorted table of places (band, key, row), in blocks (blocks.h). A bucket is a stretch of it.
//
// FROZEN for each version of the format. A bound: band (4 bytes), key and row, big-endian, so the order of bytes is the order of numbers.
// An entry: key << 32 | row (8 bytes); its band is that of the block, which has only one. The first block of a band begins at its key 0.
#pragma once

#include <functional>
#include <vector>

#include <nearkin/items.h>

#include "index/blocks.h"

namespace nearkin {

/// Reads and changes buckets. The transaction must outlive it. All functions throw Error(file) if the table is damaged.
class Buckets {
 public:
  explicit Buckets(const Transaction& transaction) : blocks_(transaction, transaction.tables().bands, Sealed::buckets) {}
  /// Calls use(row) for the rows of a bucket, ascending, until it returns false; returns what it returned last.
  template <typename Use>
  bool for_each(std::uint32_t band, std::uint32_t key, Use use);
  bool contains(std::uint32_t band, std::uint32_t key, Row row);
  /// Throws Error(file) if the entry does not exist.
  void erase(std::uint32_t band, std::uint32_t key, Row row);
  /// Adds sorted entries of a band that the table does not have yet.
  void merge(std::uint32_t band, std::span<const std::uint64_t> added);

 private:
  // The entries of a block, and where it ends.
  struct Stretch {
    std::string_view entries;
    std::size_t size() const { return entries.size() / sizeof(std::uint64_t); }
    std::uint64_t operator[](std::size_t i) const;
    std::size_t place_of(std::uint64_t entry) const;  // of the first entry that is not below it
  };
  Block at(std::uint32_t band, std::uint64_t entry);
  bool continues(const Block& block, std::uint32_t band, std::uint64_t last) const;
  void put_again(std::uint32_t band, const std::string& lower, const std::string& upper);

  Blocks blocks_;
  std::vector<std::uint64_t> entries_;  // of a block that is changed
};

/// Makes full blocks of entries that come in ascending order, band by band.
class BandPacker {
 public:
  using Put = std::function<void(std::string_view lower, std::string_view upper, std::string_view entries)>;
  BandPacker(std::uint32_t bands, Put put);
  void add(std::uint32_t band, std::uint64_t entry);
  void finish();

 private:
  void go_to(std::uint32_t band);
  void emit(std::string_view upper);

  std::uint32_t bands_, band_ = 0;
  std::string lower_;
  std::string entries_;
  Put put_;
};

/// Calls use(band, entry) for everything in the table, ascending.
void for_each_entry_of_bands(const Transaction& transaction, std::uint32_t bands,
                             const std::function<void(std::uint32_t, std::uint64_t)>& use);

/// Places in buckets that are to be added, band by band.
class BandEntries {
 public:
  explicit BandEntries(std::uint32_t bands) : bands_(bands) {}
  void add(Row row, const std::uint32_t* keys);
  /// Writes all entries and clears them.
  void write(Transaction& transaction);
  /// The same for an empty table: pages become full.
  void write_first(Transaction& transaction);
  std::size_t bytes() const { return count_ * sizeof(std::uint64_t); }

 private:
  void clear();

  std::vector<std::vector<std::uint64_t>> bands_;
  std::vector<std::uint64_t> scratch_;
  std::size_t count_ = 0;
};

template <typename Use>
bool Buckets::for_each(std::uint32_t band, std::uint32_t key, Use use) {
  const std::uint64_t first = std::uint64_t{key} << 32;
  for (Block block = at(band, first);;) {
    const Stretch stretch{block.entries};
    for (std::size_t i = stretch.place_of(first); i < stretch.size(); ++i) {
      const std::uint64_t entry = stretch[i];
      if (entry >> 32 != key) return true;
      if (!use(static_cast<Row>(entry))) return false;
    }
    if (!continues(block, band, first | UINT32_MAX) || !blocks_.next(block)) return true;
  }
}

}  // namespace nearkin

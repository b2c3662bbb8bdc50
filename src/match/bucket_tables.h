// Bucket tables: for each band the rows that share a key, for many look-ups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nearkin/items.h>

namespace nearkin {

/// For each band the rows in order of their keys, and a directory on the keys' top bits: a lookup reads one entry of the directory, the few
/// keys behind it, and the rows. 8 bytes per item and band, and one or two for the directory.
class BucketTables {
 public:
  /// `keys` holds `bands` keys of each item, item after item; items with empty[i] != 0 are left out.
  BucketTables(std::span<const std::uint32_t> keys, std::uint32_t bands, std::span<const std::uint8_t> empty, unsigned threads);

  /// One band of records key << 32 | row, ascending; a row may have several keys.
  explicit BucketTables(std::span<const std::uint64_t> records);

  /// The rows with this key in this band, ascending.
  std::span<const Row> bucket(std::uint32_t band, std::uint32_t key) const;

  /// Prefetch what `bucket` will read for this key: first the place in the directory, some time later the keys and rows behind it.
  void prefetch_place(std::uint32_t band, std::uint32_t key) const { __builtin_prefetch(place_of(band, key)); }
  void prefetch_keys(std::uint32_t band, std::uint32_t key) const {
    const std::size_t first = band * items_ + *place_of(band, key);
    __builtin_prefetch(keys_.data() + first);
    __builtin_prefetch(rows_.data() + first);
  }

  std::uint32_t bands() const { return bands_; }

 private:
  const std::uint64_t* place_of(std::uint32_t band, std::uint32_t key) const {
    return directory_.data() + band * (places_ + 1) + (key >> shift_);
  }
  void size_for(std::size_t items);
  void build_band(std::uint32_t band, std::span<const std::uint64_t> records);

  std::uint32_t bands_;
  std::size_t items_ = 0;                 // in each band
  unsigned shift_ = 31;                   // key >> shift_ is the place in the directory
  std::size_t places_ = 2;                // of one band's directory, without its end
  std::vector<std::uint64_t> directory_;  // places_ + 1 per band: where the keys of a place begin
  std::vector<std::uint32_t> keys_;       // ascending within a band
  std::vector<Row> rows_;
};

}  // namespace nearkin

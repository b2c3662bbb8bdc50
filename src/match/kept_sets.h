// KeptSets: the sets kept so far, in order, and where their keys occur. It grows batch by batch.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "match/token_index.h"
#include "match/verify.h"

namespace nearkin {

/// Keys in the order of a set, rarest first. `alone`: how many elements that occur in no other set precede them.
struct RankedKeys {
  std::vector<std::uint32_t> keys;
  std::uint32_t alone = 0;
};

/// Places ascend in order of keeping. The sets of the current batch are found by chains, earlier ones by a few sorted indexes, each several
/// times as large as the next.
class KeptSets {
 public:
  /// For up to `most` sets. `copy`: copies the sets, because the caller's storage does not last.
  KeptSets(std::size_t most, bool copy);

  std::size_t size() const { return sets_.size(); }
  FeatureSpan operator[](std::size_t place) const { return sets_[place]; }
  Row row(std::size_t place) const { return rows_[place]; }

  /// Adds a set that can be found by its first `length` keys.
  void add(Row row, FeatureSpan set, const RankedKeys& ranked, std::size_t length);
  /// Merges the sets of this batch with the earlier ones and begins a new batch.
  void finish_batch();
  /// About how many bytes it holds; valid after finish_batch.
  std::uint64_t bytes() const;

  /// meet(place, position) for sets of earlier batches with the key, by one or more runs of ascending places.
  template <typename Meet>
  void for_earlier(std::uint32_t key, Meet&& meet) const {
    for (const TokenIndex& level : levels_) {
      for (const std::uint64_t entry : level.find(key)) meet(layout_.place(entry), layout_.position(entry));
    }
  }
  /// The same for those of this batch, the last first.
  template <typename Meet>
  void for_batch(std::uint32_t key, Meet&& meet) const {
    for (std::uint32_t link = heads_[key % heads_.size()]; link != 0; link = links_[link - 1]) {
      const std::uint64_t entry = batch_[link - 1];
      if (entry >> 32 == key) meet(layout_.place(entry), layout_.position(entry));
    }
  }

 private:
  FeatureSpan hold(FeatureSpan set);

  EntryLayout layout_;
  bool copy_;
  std::vector<Row> rows_;
  std::vector<FeatureSpan> sets_;
  std::deque<std::vector<std::uint64_t>> arena_;  // copies; a vector never grows beyond its room
  std::uint64_t held_ = 0;                        // elements of the arena
  std::vector<TokenIndex> levels_;                // the largest first
  std::vector<std::uint64_t> batch_;              // entries of this batch
  std::vector<std::uint32_t> links_;              // for each entry, the number of the previous entry of its chain plus 1; 0: none
  std::vector<std::uint32_t> heads_;              // of each chain
};

}  // namespace nearkin

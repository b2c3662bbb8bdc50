// One band: its buckets, and the pairs that they yield. The rule for a bucket depends on that bucket only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <nearkin/plan.h>
#include <nearkin/stages.h>
#include <nearkin/tools/describe.h>

#include "base/hash.h"
#include "base/radix_sort.h"
#include "base/row_set.h"
#include "match/candidates.h"
#include "match/meetings.h"
#include "match/pair_rule.h"

namespace nearkin {

/// The buckets of one band with two members or more. A record is key << 32 | place in the order of members.
struct Band {
  std::vector<std::uint64_t> records;
  std::vector<std::uint64_t> large;  ///< one bit per place: whether its bucket in this band is large; empty if no bucket is
  bool is_large(std::uint32_t place) const { return !large.empty() && (large[place / 64] >> (place % 64) & 1) != 0; }
};

inline std::uint32_t place_of(std::uint64_t record) { return static_cast<std::uint32_t>(record); }

/// Calls visit(begin, end) for every run of records with the same key.
template <typename Visit>
void for_each_bucket(std::span<const std::uint64_t> records, Visit&& visit) {
  for (std::size_t begin = 0, end = 0; begin < records.size(); begin = end) {
    for (end = begin + 1; end < records.size() && records[end] >> 32 == records[begin] >> 32;) ++end;
    visit(begin, end);
  }
}

/// What the search for candidates looks at, band by band. All spans are the caller's.
struct BandSearch {
  BandPlan plan;
  std::vector<const std::uint32_t*> columns;  ///< for each band, the key of item 0; null if the band is not in memory
  std::size_t stride = 1;                     ///< from the key of an item to that of the next
  std::span<const Row> members;               ///< the items that take part, the one most worth keeping first
  PairRule pairs = {};                        ///< the pairs that are searched for
  std::size_t most_chosen = SIZE_MAX;         ///< pairs of a large bucket that are held at a time

  std::uint32_t key(std::uint32_t place, std::uint32_t band) const { return columns[band][members[place] * stride]; }
};

inline constexpr std::uint32_t kOtherBands = LargeBucketRule::kOtherBands;
/// Bands that split a large bucket.
inline std::uint32_t other_bands(const BandPlan& plan) { return std::min(kOtherBands, plan.bands - 1); }

/// Sorts the items by their key in this band and keeps the buckets of two and more.
Band buckets_of(const BandSearch& search, std::uint32_t band);

/// Inserts the rows whose places are marked in `large`, as in Band::large.
void insert_marked(std::span<const std::uint64_t> large, std::span<const Row> members, RowSet& rows);

/// Counts of the buckets of a band, and its few largest buckets.
struct BandNotes {
  BucketNotes notes;
  std::vector<BigBucket> biggest;
};

/// The largest buckets of all bands; buckets of the same items in several bands are joined.
std::vector<BigBucket> join_biggest(std::span<const BandNotes> bands);

class BandScan {
 public:
  /// `meetings`: receives the large buckets; may be null.
  BandScan(const BandSearch& search, std::uint32_t band, const Band& buckets, MeetingSample* meetings)
      : search_(search), band_(band), buckets_(buckets), meetings_(meetings) {}

  /// Calls small(p, q) for each wanted pair of places in an ordinary bucket, and large(p, q) for each that the rule selects in a large one;
  /// once per bucket, p < q. If there are large buckets, the columns of the other bands must be in memory.
  template <typename Small, typename Large>
  BandNotes run(Small&& small, Large&& large) {
    BandNotes out;
    const std::vector<std::uint64_t>& records = buckets_.records;
    for_each_bucket(records, [&](std::size_t begin, std::size_t end) {
      const std::size_t size = end - begin;
      out.notes.largest = std::max<std::uint64_t>(out.notes.largest, size);
      note_big({records.data() + begin, size}, out.biggest);
      if (size > search_.plan.large_bucket) return scan_large({records.data() + begin, size}, large, out.notes);
      for (std::size_t j = begin + 1; j < end; ++j) {
        for (std::size_t i = begin; i < j; ++i) {
          const std::uint32_t p = place_of(records[i]), q = place_of(records[j]);
          if (search_.pairs.wants(search_.members[p], search_.members[q])) small(p, q);
        }
      }
    });
    return out;
  }

 private:
  template <typename Large>
  void scan_large(std::span<const std::uint64_t> bucket, Large&& large, BucketNotes& notes) {
    std::vector<std::uint32_t> places(bucket.size());
    for (std::size_t i = 0; i < bucket.size(); ++i) places[i] = place_of(bucket[i]);
    constexpr std::size_t kMostForOne = 16;  // most pairs that the rule selects per member
    const std::size_t step = std::max<std::size_t>(1, search_.most_chosen / kMostForOne);
    std::uint64_t taken = 0;
    for (std::size_t begin = 0; begin < places.size(); begin += std::min(step, places.size() - begin)) {
      const std::size_t end = begin + std::min(step, places.size() - begin);
      taken += scan_part(places, {places[begin], places[end - 1]}, large);
    }
    ++notes.large;
    const std::vector<Row> rows = rows_at(places);
    notes.not_compared += pairs_among(rows, search_.pairs) - taken;
    if (meetings_ != nullptr) meetings_->add_bucket(rows, search_.pairs, mix64(std::uint64_t{band_} << 32 | rows.front()));
  }

  // A pair belongs to the part in which its second place lies.
  struct Part {
    std::uint32_t first, last;
    bool holds(std::uint32_t place) const { return place >= first && place <= last; }
  };
  template <typename Large>
  std::uint64_t scan_part(std::span<const std::uint32_t> places, Part part, Large&& large) {
    const std::vector<std::uint64_t> chosen = choose_pairs(places, part);
    for (const std::uint64_t pair : chosen) large(static_cast<std::uint32_t>(pair >> 32), place_of(pair));
    return chosen.size();
  }

  std::vector<std::uint64_t> choose_pairs(std::span<const std::uint32_t> places, Part part) const;
  void choose(std::uint32_t p, std::uint32_t q, Part part, std::vector<std::uint64_t>& chosen) const;
  void choose_star(std::span<const std::uint32_t> group, Part part, std::vector<std::uint64_t>& chosen) const;
  void choose_in_group(std::span<const std::uint32_t> group, Part part, std::vector<std::uint64_t>& chosen) const;
  std::vector<Row> rows_at(std::span<const std::uint32_t> places) const;
  void note_big(std::span<const std::uint64_t> bucket, std::vector<BigBucket>& biggest) const;

  const BandSearch& search_;
  std::uint32_t band_;
  const Band& buckets_;
  MeetingSample* meetings_;
};

}  // namespace nearkin

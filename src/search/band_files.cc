#include <algorithm>
#include <list>
#include <mutex>

#include "base/parallel.h"
#include "collect/segment.h"
#include "match/band_scan.h"
#include "search/file_search.h"
#include "search/pair_sink.h"

namespace nearkin {
namespace {

// For each bucket: its size, how many members are named, and these.
std::vector<std::uint64_t> packed_buckets(const std::vector<BigBucket>& buckets) {
  std::vector<std::uint64_t> packed;
  for (const BigBucket& bucket : buckets) {
    packed.push_back(bucket.size);
    packed.push_back(bucket.members.size());
    packed.insert(packed.end(), bucket.members.begin(), bucket.members.end());
  }
  return packed;
}

std::uint64_t packed_pair(Row a, Row b) { return std::uint64_t{std::min(a, b)} << 32 | std::max(a, b); }

// How the share of the stage is used.
struct Shape {
  unsigned workers = 1;
  std::uint32_t resident = 1;  // bands whose keys stay in memory, from the first on
  std::size_t most_pairs = 0;  // that a worker gathers
};

Shape shape_of(const FileSearch& search, std::size_t members) {
  const std::uint64_t column = sizeof(std::uint32_t) * search.items();
  const std::uint64_t share = search.share(13) - std::min(search.share(13), sizeof(Row) * std::uint64_t{members});
  // Sorting takes a column and two arrays of records; large buckets a column, records, four more columns.
  const std::uint64_t worker = std::max(column + 16 * std::uint64_t{members}, (1 + kOtherBands) * column + 8 * std::uint64_t{members});
  Shape shape;
  const std::uint64_t bands = search.stage.plan.band.bands;
  shape.workers = static_cast<unsigned>(
      std::clamp<std::uint64_t>(share / (worker + worker / 3 + column + 1), 1, std::min<std::uint64_t>(search.stage.threads, bands)));
  const std::uint64_t left = share - std::min(share, shape.workers * (worker + worker / 3));
  shape.resident = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(column == 0 ? bands : left / column, 1, bands));
  const std::uint64_t least = std::min(std::uint64_t{4} << 20, search.share(13));
  const std::uint64_t for_pairs =
      std::max<std::uint64_t>(least, worker / 3 + (left - std::min(left, shape.resident * column)) / shape.workers);
  shape.most_pairs = static_cast<std::size_t>(std::min<std::uint64_t>(for_pairs / (4 * sizeof(std::uint64_t)), std::size_t{1} << 26));
  return shape;
}

// A band whose pairs are written and whose keys are in memory.
struct Done {
  std::uint32_t band;
  std::vector<std::uint64_t> large;  // as Band::large
  bool is_large(std::uint32_t place) const { return !large.empty() && (large[place / 64] >> (place % 64) & 1) != 0; }
};

class BandPairs {
 public:
  BandPairs(const FileSearch& search, std::span<const Row> members)
      : search_(search), members_(members), shape_(shape_of(search, members.size())) {
    for (std::uint32_t band = 0; band < shape_.resident; ++band) {
      resident_.push_back(whole_column<std::uint32_t>(search.rows.segments, kKeyColumns + band));
    }
  }

  void run() {
    std::vector<std::uint32_t> left;
    for (std::uint32_t band = 0; band < search_.stage.plan.band.bands; ++band) {
      if (const auto file = search_.scratch().resume("pairs", band)) {
        if (band < shape_.resident) done_.push_back({band, file->read_all<std::uint64_t>(file->at(kLargePlaces))});
      } else {
        left.push_back(band);
      }
    }
    std::uint64_t done = search_.stage.plan.band.bands - left.size();
    parallel_for(left.size(), 1, shape_.workers, [&](std::size_t i, std::size_t, unsigned) {
      do_band(left[i]);
      const std::lock_guard lock(mutex_);
      search_.stage.progress("candidates", ++done, search_.stage.plan.band.bands);
    });
    mark_large();
  }

 private:
  void mark_large() const {
    RowSet& rows = search_.result.in_large;
    for (std::uint32_t band = 0; band < search_.stage.plan.band.bands; ++band) {
      const std::shared_ptr<const RunFile> file = search_.scratch().open("pairs", band);
      const std::vector<std::uint64_t> large = file->read_all<std::uint64_t>(file->at(kLargePlaces));
      if (large.empty()) continue;
      if (rows.empty()) rows = RowSet(search_.items());
      insert_marked(large, members_, rows);
    }
  }

  // The keys of a band, from memory or read for as long as they are needed.
  const std::uint32_t* column(std::uint32_t band, std::vector<std::vector<std::uint32_t>>& held) const {
    if (band < shape_.resident) return resident_[band].data();
    held.push_back(whole_column<std::uint32_t>(search_.rows.segments, kKeyColumns + band));
    return held.back().data();
  }

  void do_band(std::uint32_t band) {
    const BandPlan& plan = search_.stage.plan.band;
    BandSearch bands{.plan = plan,
                     .columns = std::vector<const std::uint32_t*>(plan.bands),
                     .stride = 1,
                     .members = members_,
                     .pairs = search_.result.rule(search_.rows),
                     .most_chosen = shape_.most_pairs};
    std::vector<std::vector<std::uint32_t>> held;
    held.reserve(1 + kOtherBands);
    for (std::uint32_t i = 0; i < shape_.resident; ++i) bands.columns[i] = resident_[i].data();
    bands.columns[band] = column(band, held);
    Band buckets = buckets_of(bands, band);
    if (!buckets.large.empty()) {
      for (std::uint32_t step = 1; step <= other_bands(plan); ++step)
        bands.columns[(band + step) % plan.bands] = column((band + step) % plan.bands, held);
    }
    write_band(bands, band, buckets);
    if (band >= shape_.resident) return;
    const std::lock_guard lock(mutex_);
    done_.push_back({band, std::move(buckets.large)});
  }

  void write_band(const BandSearch& bands, std::uint32_t band, const Band& buckets) {
    RunFileWriter writer = search_.scratch().create("pairs", band);
    PairSink small(writer, kSmallPairs, shape_.most_pairs), large(writer, kLargePairs, shape_.most_pairs);
    const std::vector<const Done*> done = bands_done();
    std::uint64_t taken_of_large = 0;
    MeetingSample meetings;
    const BandNotes told = BandScan(bands, band, buckets, &meetings)
                               .run(
                                   [&](std::uint32_t p, std::uint32_t q) {
                                     if (!was_written(bands, done, p, q)) small.add(packed_pair(members_[p], members_[q]));
                                   },
                                   [&](std::uint32_t p, std::uint32_t q) {
                                     ++taken_of_large;
                                     large.add(packed_pair(members_[p], members_[q]));
                                   });
    small.flush();
    large.flush();
    writer.section(kLargePlaces, 0, buckets.large);
    writer.section(kBandNotes, 0,
                   std::vector<std::uint64_t>{taken_of_large, told.notes.large, told.notes.largest, told.notes.not_compared});
    writer.section(kBiggestBuckets, 0, packed_buckets(told.biggest));
    meetings.drawn();  // no more than are needed
    writer.section(kMeetings, 0, meetings.packed());
    writer.finish();
  }

  // A pair that shares an ordinary bucket in a band that was done need not be written again. This only saves room: pairs are made different
  // afterwards, so that it does not matter which bands were done before.
  static bool was_written(const BandSearch& bands, const std::vector<const Done*>& done, std::uint32_t p, std::uint32_t q) {
    return std::any_of(done.begin(), done.end(),
                       [&](const Done* other) { return bands.key(p, other->band) == bands.key(q, other->band) && !other->is_large(p); });
  }

  std::vector<const Done*> bands_done() {
    const std::lock_guard lock(mutex_);
    std::vector<const Done*> done;
    for (const Done& band : done_) done.push_back(&band);
    return done;
  }

  const FileSearch& search_;
  std::span<const Row> members_;
  Shape shape_;
  std::vector<std::vector<std::uint32_t>> resident_;
  std::mutex mutex_;
  std::list<Done> done_;  // stays where it is while it grows
};

}  // namespace

void pair_bands(const FileSearch& search, std::span<const Row> members) { BandPairs(search, members).run(); }

}  // namespace nearkin

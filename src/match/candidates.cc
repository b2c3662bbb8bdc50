#include "match/candidates.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "base/misuse.h"
#include "base/parallel.h"
#include "base/radix_sort.h"
#include "kernel/kernel.h"
#include "match/band.h"
#include "match/band_scan.h"

namespace nearkin {
namespace {

class Finder {
 public:
  explicit Finder(const CandidateSearch& search) : search_(search), bands_(search.plan.bands), found_(search.plan.bands) {
    by_band_ = {.plan = search.plan, .columns = {}, .stride = search.plan.bands, .members = search.members, .pairs = search.pairs};
    for (std::uint32_t band = 0; band < search.plan.bands; ++band) by_band_.columns.push_back(search.keys + band);
  }

  CandidateResult run(unsigned threads) {
    expect(search_.advance, 2 * bands_.size());
    parallel_for(bands_.size(), 1, threads, [&](std::size_t band, std::size_t, unsigned worker) {
      bands_[band] = buckets_of(by_band_, static_cast<std::uint32_t>(band));
      add(search_.advance, worker, 1);
    });
    std::vector<BandNotes> notes(bands_.size());
    parallel_for(bands_.size(), 1, threads, [&](std::size_t band, std::size_t, unsigned worker) {
      notes[band] = scan(static_cast<std::uint32_t>(band));
      add(search_.advance, worker, 1);
    });
    return join(notes);
  }

 private:
  struct Offered {
    Pairs pairs;
    std::uint64_t looked_at = 0;
  };

  BandNotes scan(std::uint32_t band) {
    Offered& found = found_[band];
    MeetingSample meetings;
    const BandNotes notes = BandScan(by_band_, band, bands_[band], &meetings)
                                .run(
                                    [&](std::uint32_t p, std::uint32_t q) {
                                      if (!met_before(band, p, q)) offer(p, q, found);
                                    },
                                    [&](std::uint32_t p, std::uint32_t q) { offer(p, q, found); });
    if (notes.notes.large > 0) {
      const std::lock_guard lock(mutex_);
      meetings_.add(meetings);
    }
    return notes;
  }

  bool is_likely(Row a, Row b) const {
    if (search_.least == 0) return true;
    const std::size_t size = search_.signature_size;
    return kernel::equal_bytes(search_.signatures + a * size, search_.signatures + b * size, size) >= search_.least;
  }

  // A pair that shares an ordinary bucket in an earlier band was offered there.
  bool met_before(std::uint32_t band, std::uint32_t p, std::uint32_t q) const {
    for (std::uint32_t earlier = 0; earlier < band; ++earlier) {
      if (by_band_.key(p, earlier) == by_band_.key(q, earlier) && !bands_[earlier].is_large(p)) return true;
    }
    return false;
  }

  void offer(std::uint32_t p, std::uint32_t q, Offered& found) const {
    const Row a = search_.members[p], b = search_.members[q];
    ++found.looked_at;
    if (!is_likely(a, b)) return;
    found.pairs.push_back({std::min(a, b), std::max(a, b)});
    if (found.pairs.size() % kCheckEvery == 0) check_bound(kCheckEvery);
  }

  void check_bound(std::uint64_t more) const {
    if (offered_.fetch_add(more, std::memory_order_relaxed) + more > search_.most_pairs) throw TooManyCandidates{};
  }

  CandidateResult join(const std::vector<BandNotes>& notes) {
    CandidateResult result;
    result.biggest = join_biggest(notes);
    if (std::any_of(bands_.begin(), bands_.end(), [](const Band& band) { return !band.large.empty(); })) {
      const Row last = *std::max_element(search_.members.begin(), search_.members.end());
      result.in_large = RowSet(std::max<std::size_t>(search_.rows, std::size_t{last} + 1));
      for (const Band& band : bands_) insert_marked(band.large, search_.members, result.in_large);
    }
    result.meetings =
        tested(meetings_, [&](std::uint64_t pair) { return is_likely(static_cast<Row>(pair >> 32), static_cast<Row>(pair)); });
    std::vector<std::uint64_t> packed, scratch;
    for (std::size_t band = 0; band < notes.size(); ++band) {
      result.looked_at += found_[band].looked_at;
      result.notes.large += notes[band].notes.large;
      result.notes.largest = std::max(result.notes.largest, notes[band].notes.largest);
      result.notes.not_compared += notes[band].notes.not_compared;
      for (const Pair& pair : found_[band].pairs) packed.push_back(std::uint64_t{pair.a} << 32 | pair.b);
      Pairs().swap(found_[band].pairs);
    }
    radix_sort(packed, scratch);
    packed.erase(std::unique(packed.begin(), packed.end()), packed.end());
    result.pairs.reserve(packed.size());
    for (const std::uint64_t pair : packed) result.pairs.push_back({static_cast<Row>(pair >> 32), static_cast<Row>(pair)});
    return result;
  }

  static constexpr std::uint64_t kCheckEvery = 1 << 16;
  const CandidateSearch& search_;
  BandSearch by_band_;
  std::vector<Band> bands_;
  std::vector<Offered> found_;
  std::mutex mutex_;
  MeetingSample meetings_;  // of all bands
  mutable std::atomic<std::uint64_t> offered_{0};
};

}  // namespace

CandidateResult find_candidates(const CandidateSearch& search, unsigned threads) { return Finder(search).run(threads); }

Pairs candidates(const Sketches& sketches, const BandPlan& plan, BucketNotes* notes, unsigned threads) {
  require_consistent(sketches);
  require_slots(plan, sketches.hashes);
  std::vector<std::uint32_t> keys(sketches.size() * plan.bands);
  std::vector<Row> members;
  for (Row row = 0; row < sketches.size(); ++row) {
    if (sketches.empty[row] != 0) continue;
    band_keys(sketches[row].data(), plan, keys.data() + std::size_t{row} * plan.bands);
    members.push_back(row);
  }
  CandidateResult found =
      find_candidates({.plan = plan, .keys = keys.data(), .members = members, .rows = sketches.size()}, thread_count(threads));
  if (notes != nullptr) *notes = found.notes;
  return std::move(found.pairs);
}

}  // namespace nearkin

#include "match/candidates.h"

#include <algorithm>
#include <numeric>

#include "base/parallel.h"
#include "base/radix_sort.h"
#include "kernel/kernel.h"
#include "match/band.h"

namespace nearkin {
namespace {

constexpr std::uint32_t kOtherBands = 4;  // bands that split a large bucket
constexpr std::size_t kFew = 8;           // up to so many that agree in a second band, every pair is taken

// The buckets of one band with two members or more. A record is key << 32 | place in the order of members.
struct Band {
  std::vector<std::uint64_t> records;
  std::vector<std::uint64_t> large;  // one bit a place: its bucket here is a large one; empty where there is none
  bool is_large(std::uint32_t place) const { return !large.empty() && (large[place / 64] >> (place % 64) & 1) != 0; }
};

std::uint32_t place_of(std::uint64_t record) { return static_cast<std::uint32_t>(record); }

// Calls visit(begin, end) for every run of records with the same key.
template <typename Visit>
void for_each_bucket(std::span<const std::uint64_t> records, Visit&& visit) {
  for (std::size_t begin = 0, end = 0; begin < records.size(); begin = end) {
    for (end = begin + 1; end < records.size() && records[end] >> 32 == records[begin] >> 32;) ++end;
    visit(begin, end);
  }
}

class Finder {
 public:
  explicit Finder(const CandidateSearch& search) : search_(search), bands_(search.plan.bands) {}

  CandidateResult run(unsigned threads) {
    parallel_for(bands_.size(), 1, threads, [&](std::size_t band, std::size_t, unsigned) { collect(static_cast<std::uint32_t>(band)); });
    std::vector<CandidateResult> found(bands_.size());
    parallel_for(bands_.size(), 1, threads,
                 [&](std::size_t band, std::size_t, unsigned) { scan(static_cast<std::uint32_t>(band), found[band]); });
    return join(found);
  }

 private:
  std::uint32_t key(std::uint32_t place, std::uint32_t band) const {
    return search_.keys[std::size_t{search_.members[place]} * search_.plan.bands + band];
  }
  bool wanted(Row a, Row b) const { return search_.split == 0 || (a < search_.split) != (b < search_.split); }

  // Sorts the items by their key in this band and keeps the buckets of two and more.
  void collect(std::uint32_t band) {
    std::vector<std::uint64_t> records(search_.members.size()), scratch;
    for (std::uint32_t place = 0; place < records.size(); ++place) records[place] = std::uint64_t{key(place, band)} << 32 | place;
    radix_sort(records, scratch, 4, 8);
    Band& kept = bands_[band];
    for_each_bucket(records, [&](std::size_t begin, std::size_t end) {
      if (end - begin < 2) return;
      kept.records.insert(kept.records.end(), records.begin() + static_cast<std::ptrdiff_t>(begin),
                          records.begin() + static_cast<std::ptrdiff_t>(end));
      if (end - begin <= search_.plan.large_bucket) return;
      kept.large.resize((records.size() + 63) / 64);
      for (std::size_t i = begin; i < end; ++i) kept.large[place_of(records[i]) / 64] |= std::uint64_t{1} << (place_of(records[i]) % 64);
    });
  }

  void scan(std::uint32_t band, CandidateResult& found) const {
    const std::vector<std::uint64_t>& records = bands_[band].records;
    for_each_bucket(records, [&](std::size_t begin, std::size_t end) {
      const std::size_t size = end - begin;
      found.notes.largest = std::max<std::uint64_t>(found.notes.largest, size);
      note_big({records.data() + begin, size}, found.biggest);
      if (size > search_.plan.large_bucket) return scan_large(band, {records.data() + begin, size}, found);
      for (std::size_t j = begin + 1; j < end; ++j) {
        for (std::size_t i = begin; i < j; ++i) offer_once(band, place_of(records[i]), place_of(records[j]), found);
      }
    });
  }

  // Keeps the few largest of a band; of equals the first.
  void note_big(std::span<const std::uint64_t> bucket, std::vector<BigBucket>& biggest) const {
    if (bucket.size() < 3 || (biggest.size() == CandidateResult::kBiggest && bucket.size() <= biggest.back().size)) return;
    BigBucket big{.size = bucket.size()};
    for (const std::uint64_t record : bucket.first(std::min(bucket.size(), BigBucket::kNamed))) {
      big.members.push_back(search_.members[place_of(record)]);
    }
    const auto behind = std::find_if(biggest.begin(), biggest.end(), [&](const BigBucket& other) { return other.size < big.size; });
    biggest.insert(behind, std::move(big));
    if (biggest.size() > CandidateResult::kBiggest) biggest.pop_back();
  }

  // A pair that shares an ordinary bucket in an earlier band was offered there.
  void offer_once(std::uint32_t band, std::uint32_t p, std::uint32_t q, CandidateResult& found) const {
    for (std::uint32_t earlier = 0; earlier < band; ++earlier) {
      if (key(p, earlier) == key(q, earlier) && !bands_[earlier].is_large(p)) return;
    }
    offer(p, q, found);
  }

  void offer(std::uint32_t p, std::uint32_t q, CandidateResult& found) const {
    const Row a = search_.members[p], b = search_.members[q];
    if (!wanted(a, b)) return;
    ++found.looked_at;
    if (search_.least != 0) {
      const std::size_t size = search_.signature_size;
      if (kernel::equal_bytes(search_.signatures + a * size, search_.signatures + b * size, size) < search_.least) return;
    }
    found.pairs.push_back({std::min(a, b), std::max(a, b)});
  }

  void scan_large(std::uint32_t band, std::span<const std::uint64_t> bucket, CandidateResult& found) const {
    std::vector<std::uint32_t> places(bucket.size()), group;
    for (std::size_t i = 0; i < bucket.size(); ++i) places[i] = place_of(bucket[i]);
    std::vector<std::uint64_t> chosen;  // pairs of places, the first in the high half
    choose_star(places, chosen);
    std::vector<std::uint64_t> records(bucket.size()), scratch;
    const std::uint32_t others = std::min(kOtherBands, search_.plan.bands - 1);
    for (std::uint32_t step = 1; step <= others; ++step) {
      const std::uint32_t other = (band + step) % search_.plan.bands;
      for (std::size_t i = 0; i < places.size(); ++i) records[i] = std::uint64_t{key(places[i], other)} << 32 | places[i];
      radix_sort(records, scratch, 4, 8);
      for_each_bucket(records, [&](std::size_t begin, std::size_t end) {
        group.clear();
        for (std::size_t i = begin; i < end; ++i) group.push_back(place_of(records[i]));
        choose_in_group(group, chosen);
      });
    }
    radix_sort(chosen, scratch);
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    for (const std::uint64_t pair : chosen) offer(static_cast<std::uint32_t>(pair >> 32), place_of(pair), found);
    ++found.notes.large;
    found.notes.not_compared += wanted_pairs(places) - chosen.size();
  }

  void choose(std::uint32_t p, std::uint32_t q, std::vector<std::uint64_t>& chosen) const {
    if (p != q && wanted(search_.members[p], search_.members[q])) chosen.push_back(std::uint64_t{std::min(p, q)} << 32 | std::max(p, q));
  }

  // Each with the first; between two collections, with the first of either.
  void choose_star(std::span<const std::uint32_t> group, std::vector<std::uint64_t>& chosen) const {
    const auto other_side = std::find_if(group.begin(), group.end(), [&](std::uint32_t place) {
      return search_.split != 0 && wanted(search_.members[place], search_.members[group[0]]);
    });
    for (const std::uint32_t place : group) {
      choose(group[0], place, chosen);
      if (other_side != group.end()) choose(*other_side, place, chosen);
    }
  }

  // Members of a large bucket that agree in a second band: every pair where they are few, else a star and a chain.
  void choose_in_group(std::span<const std::uint32_t> group, std::vector<std::uint64_t>& chosen) const {
    if (group.size() > kFew) choose_star(group, chosen);
    const std::size_t reach = group.size() > kFew ? 1 : group.size();
    for (std::size_t j = 1; j < group.size(); ++j) {
      for (std::size_t i = j - std::min(j, reach); i < j; ++i) choose(group[i], group[j], chosen);
    }
  }

  std::uint64_t wanted_pairs(std::span<const std::uint32_t> places) const {
    const std::uint64_t all = places.size();
    const std::uint64_t below = static_cast<std::uint64_t>(
        std::count_if(places.begin(), places.end(), [&](std::uint32_t place) { return search_.members[place] < search_.split; }));
    return search_.split == 0 ? all * (all - 1) / 2 : below * (all - below);
  }

  // Those of all bands: the same items meet in many of them.
  static std::vector<BigBucket> join_biggest(const std::vector<CandidateResult>& found) {
    std::vector<BigBucket> all;
    for (const CandidateResult& part : found) {
      for (const BigBucket& bucket : part.biggest) {
        const auto same = std::find_if(all.begin(), all.end(), [&](const BigBucket& other) { return other.members[0] == bucket.members[0]; });
        if (same == all.end()) {
          all.push_back(bucket);
          continue;
        }
        const std::uint32_t bands = same->bands + 1;
        if (bucket.size > same->size) *same = bucket;
        same->bands = bands;
      }
    }
    std::stable_sort(all.begin(), all.end(), [](const BigBucket& x, const BigBucket& y) { return x.size > y.size; });
    all.resize(std::min(all.size(), CandidateResult::kBiggest));
    return all;
  }

  static CandidateResult join(std::vector<CandidateResult>& found) {
    CandidateResult result;
    result.biggest = join_biggest(found);
    std::vector<std::uint64_t> packed, scratch;
    for (CandidateResult& part : found) {
      result.looked_at += part.looked_at;
      result.notes.large += part.notes.large;
      result.notes.largest = std::max(result.notes.largest, part.notes.largest);
      result.notes.not_compared += part.notes.not_compared;
      for (const Pair& pair : part.pairs) packed.push_back(std::uint64_t{pair.a} << 32 | pair.b);
      Pairs().swap(part.pairs);
    }
    radix_sort(packed, scratch);
    packed.erase(std::unique(packed.begin(), packed.end()), packed.end());
    result.pairs.reserve(packed.size());
    for (const std::uint64_t pair : packed) result.pairs.push_back({static_cast<Row>(pair >> 32), static_cast<Row>(pair)});
    return result;
  }

  const CandidateSearch& search_;
  std::vector<Band> bands_;
};

}  // namespace

CandidateResult find_candidates(const CandidateSearch& search, unsigned threads) { return Finder(search).run(threads); }

Pairs candidates(const Sketches& sketches, const BandPlan& plan, BucketNotes* notes, unsigned threads) {
  std::vector<std::uint32_t> keys(sketches.size() * plan.bands);
  std::vector<Row> members;
  for (Row row = 0; row < sketches.size(); ++row) {
    if (sketches.empty[row] != 0) continue;
    band_keys(sketches[row].data(), plan, keys.data() + std::size_t{row} * plan.bands);
    members.push_back(row);
  }
  CandidateResult found = find_candidates({.plan = plan, .keys = keys.data(), .members = members}, thread_count(threads));
  if (notes != nullptr) *notes = found.notes;
  return std::move(found.pairs);
}

}  // namespace nearkin

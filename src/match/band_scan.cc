#include "match/band_scan.h"

#include <bit>

#include <nearkin/tools/describe.h>

namespace nearkin {

Band buckets_of(const BandSearch& search, std::uint32_t band) {
  std::vector<std::uint64_t> records(search.members.size()), scratch;
  for (std::uint32_t place = 0; place < records.size(); ++place) records[place] = std::uint64_t{search.key(place, band)} << 32 | place;
  radix_sort(records, scratch, 4, 8);
  std::vector<std::uint64_t>().swap(scratch);
  Band kept;
  const std::size_t members = records.size();
  std::size_t end_kept = 0;  // what is kept moves to the front
  for_each_bucket(records, [&](std::size_t begin, std::size_t end) {
    if (end - begin < 2) return;
    if (end - begin > search.plan.large_bucket) {
      kept.large.resize((members + 63) / 64);
      for (std::size_t i = begin; i < end; ++i) kept.large[place_of(records[i]) / 64] |= std::uint64_t{1} << (place_of(records[i]) % 64);
    }
    std::copy(records.begin() + static_cast<std::ptrdiff_t>(begin), records.begin() + static_cast<std::ptrdiff_t>(end),
              records.begin() + static_cast<std::ptrdiff_t>(end_kept));
    end_kept += end - begin;
  });
  kept.records.assign(records.begin(), records.begin() + static_cast<std::ptrdiff_t>(end_kept));
  return kept;
}

void insert_marked(std::span<const std::uint64_t> large, std::span<const Row> members, RowSet& rows) {
  for (std::size_t word = 0; word < large.size(); ++word) {
    for (std::uint64_t left = large[word]; left != 0; left &= left - 1)
      rows.insert(members[word * 64 + static_cast<std::size_t>(std::countr_zero(left))]);
  }
}

std::vector<BigBucket> join_biggest(std::span<const BandNotes> bands) {
  std::vector<BigBucket> all;
  for (const BandNotes& part : bands) {
    for (const BigBucket& bucket : part.biggest) {
      const auto same = std::find_if(all.begin(), all.end(), [&](const BigBucket& other) { return other.members[0] == bucket.members[0]; });
      if (same == all.end()) {
        all.push_back(bucket);
        continue;
      }
      const std::uint32_t together = same->bands + 1;
      if (bucket.size > same->size) *same = bucket;
      same->bands = together;
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const BigBucket& x, const BigBucket& y) { return x.size > y.size; });
  all.resize(std::min(all.size(), CandidateResult::kBiggest));
  return all;
}

// Each with the first; those that agree in another band with one another.
std::vector<std::uint64_t> BandScan::choose_pairs(std::span<const std::uint32_t> places, Part part) const {
  std::vector<std::uint64_t> chosen, records(places.size()), scratch;  // pairs of places, the first in the high half
  std::vector<std::uint32_t> group;
  choose_star(places, part, chosen);
  for (std::uint32_t step = 1; step <= other_bands(search_.plan); ++step) {
    const std::uint32_t other = (band_ + step) % search_.plan.bands;
    for (std::size_t i = 0; i < places.size(); ++i) records[i] = std::uint64_t{search_.key(places[i], other)} << 32 | places[i];
    radix_sort(records, scratch, 4, 8);
    for_each_bucket(records, [&](std::size_t begin, std::size_t end) {
      group.clear();
      for (std::size_t i = begin; i < end; ++i) group.push_back(place_of(records[i]));
      choose_in_group(group, part, chosen);
    });
  }
  radix_sort(chosen, scratch);
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

void BandScan::choose(std::uint32_t p, std::uint32_t q, Part part, std::vector<std::uint64_t>& chosen) const {
  if (p == q || !part.holds(std::max(p, q)) || !search_.pairs.wants(search_.members[p], search_.members[q])) return;
  chosen.push_back(std::uint64_t{std::min(p, q)} << 32 | std::max(p, q));
}

// Each with the first; where not all pairs are looked for, also with the first that makes a pair with that one.
void BandScan::choose_star(std::span<const std::uint32_t> group, Part part, std::vector<std::uint64_t>& chosen) const {
  const auto other_side = std::find_if(group.begin(), group.end(), [&](std::uint32_t place) {
    return !search_.pairs.all() && search_.pairs.wants(search_.members[place], search_.members[group[0]]);
  });
  for (const std::uint32_t place : group) {
    choose(group[0], place, part, chosen);
    if (other_side != group.end()) choose(*other_side, place, part, chosen);
  }
}

// Members of a large bucket that agree in a second band: every pair where they are few, else a star and a chain.
void BandScan::choose_in_group(std::span<const std::uint32_t> group, Part part, std::vector<std::uint64_t>& chosen) const {
  if (group.size() > LargeBucketRule::kFew) choose_star(group, part, chosen);
  const std::size_t reach = group.size() > LargeBucketRule::kFew ? 1 : group.size();
  for (std::size_t j = 1; j < group.size(); ++j) {
    for (std::size_t i = j - std::min(j, reach); i < j; ++i) choose(group[i], group[j], part, chosen);
  }
}

std::vector<Row> BandScan::rows_at(std::span<const std::uint32_t> places) const {
  std::vector<Row> rows;
  rows.reserve(places.size());
  for (const std::uint32_t place : places) rows.push_back(search_.members[place]);
  return rows;
}

// Keeps the few largest of a band; of equals the first.
void BandScan::note_big(std::span<const std::uint64_t> bucket, std::vector<BigBucket>& biggest) const {
  if (bucket.size() < 3 || (biggest.size() == CandidateResult::kBiggest && bucket.size() <= biggest.back().size)) return;
  BigBucket big{.size = bucket.size()};
  for (const std::uint64_t record : bucket.first(std::min(bucket.size(), BigBucket::kNamed))) {
    big.members.push_back(search_.members[place_of(record)]);
  }
  const auto behind = std::find_if(biggest.begin(), biggest.end(), [&](const BigBucket& other) { return other.size < big.size; });
  biggest.insert(behind, std::move(big));
  if (biggest.size() > CandidateResult::kBiggest) biggest.pop_back();
}

}  // namespace nearkin

#include "family/minhash.h"

#include <algorithm>

#include "base/hash.h"

namespace nearkin {
namespace {

constexpr std::uint32_t kEmpty = kEmptySlot;
constexpr std::uint64_t kRound = kLaterRound;
constexpr std::size_t kTables = 4;

}  // namespace

// FROZEN: the order in which the constants are drawn from the seed.
MinHasher::MinHasher(const SketchPlan& plan) : hashes_(plan.hashes), rounds_(minhash_rounds(plan.hashes)) {
  SplitMix random(plan.seed);
  key_ = random();
  multipliers_.resize(hashes_);
  addends_.resize(hashes_);
  for (std::uint32_t j = 0; j < hashes_; ++j) {
    const std::uint64_t bits = random();
    multipliers_[j] = static_cast<std::uint32_t>(bits) | 1;
    addends_[j] = static_cast<std::uint32_t>(bits >> 32);
  }
  bins_.resize(hashes_);
}

// A slot holds the minimum over the set of a totally ordered key (round, value): an element has a key of round 0 in the one slot that
// its high bits choose, of a later round in one slot each, and of the last round (the fallback) in every slot. Hence the slots of A and B
// agree exactly when the least key over A∪B belongs to an element of A∩B, which has probability |A∩B|/|A∪B|; and once a slot is filled
// in one round, later rounds cannot change it. The 128-bit product x·hashes gives the slot (high half) and, within it, an even value
// (low half) for any number of slots. (Dahlgaard, Knudsen, Thorup 2017, with the random rounds cut short.)
void MinHasher::sketch(std::span<const std::uint64_t> elements, std::uint32_t* slots) {
  places_.resize(elements.size());
  low_.resize(elements.size());
  // Elements are always mixed first: minima of a linear function over structured values (consecutive ids) are biased.
  kernel::place_elements(elements.data(), elements.size(), key_, hashes_, places_.data(), low_.data());
  fill_first_round();
  for (std::uint32_t round = 1; round < rounds_; ++round) fill_later_round(elements, round);
  std::copy(bins_.begin(), bins_.end(), slots);
  kernel::fill_empty_slots(low_.data(), low_.size(), multipliers_.data(), addends_.data(), hashes_, slots);
}

// Four tables in turn, joined at the end: an element often falls into a slot that was written a moment ago, and a processor that has to
// wait for that write before it can read waits for nearly every element.
void MinHasher::fill_first_round() {
  const std::size_t hashes = hashes_, count = places_.size();
  if (count <= 2 * hashes) {
    bins_.assign(hashes, kEmpty);
    std::uint32_t* const bins = bins_.data();
    for (const std::uint64_t place : places_) bins[place >> 32] = std::min(bins[place >> 32], static_cast<std::uint32_t>(place));
    return;
  }
  tables_.assign(kTables * hashes, kEmpty);
  std::uint32_t* const tables = tables_.data();
  const auto put = [&](std::size_t table, std::size_t i) {
    std::uint32_t& bin = tables[table * hashes + (places_[i] >> 32)];
    bin = std::min(bin, static_cast<std::uint32_t>(places_[i]));
  };
  std::size_t i = 0;
  for (; i + kTables <= count; i += kTables) {
    put(0, i);
    put(1, i + 1);
    put(2, i + 2);
    put(3, i + 3);
  }
  for (; i < count; ++i) put(0, i);
  for (std::size_t j = 0; j < hashes; ++j) {
    bins_[j] = std::min(std::min(tables[j], tables[hashes + j]), std::min(tables[2 * hashes + j], tables[3 * hashes + j]));
  }
}

void MinHasher::fill_later_round(std::span<const std::uint64_t> elements, std::uint32_t round) {
  if (std::find(bins_.begin(), bins_.end(), kEmpty) == bins_.end()) return;
  // Only slots that were empty before this round take part in it: the others are put back afterwards.
  before_ = bins_;
  for (const std::uint64_t element : elements) {
    const Product128 place = multiply128(mix64(mix64(element ^ key_) + round * kRound), hashes_);
    bins_[place.high] = std::min(bins_[place.high], static_cast<std::uint32_t>(place.low >> 32));
  }
  for (std::uint32_t j = 0; j < hashes_; ++j) {
    if (before_[j] != kEmpty) bins_[j] = before_[j];
  }
}

void classic_minhash(std::span<const std::uint64_t> elements, const SketchPlan& plan, std::uint32_t* slots) {
  SplitMix random(plan.seed);
  const std::uint64_t key = random();
  std::vector<std::uint32_t> multipliers(plan.hashes), addends(plan.hashes);
  for (std::uint32_t j = 0; j < plan.hashes; ++j) {
    const std::uint64_t bits = random();
    multipliers[j] = static_cast<std::uint32_t>(bits) | 1;
    addends[j] = static_cast<std::uint32_t>(bits >> 32);
  }
  std::vector<std::uint32_t> mixed;
  for (const std::uint64_t element : elements) mixed.push_back(static_cast<std::uint32_t>(mix64(element ^ key)));
  std::fill_n(slots, plan.hashes, kEmpty);
  kernel::fill_empty_slots(mixed.data(), mixed.size(), multipliers.data(), addends.data(), plan.hashes, slots);
}

}  // namespace nearkin

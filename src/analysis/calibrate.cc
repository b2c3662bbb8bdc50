// What the inner loops of a run take on this machine.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <vector>

#include <time.h>

#include <nearkin/run.h>
#include <nearkin/tools/forecast.h>

#include "analysis/forecast.h"
#include "base/hash.h"
#include "base/radix_sort.h"
#include "family/minhash.h"
#include "feature/shingler.h"
#include "kernel/kernel.h"
#include "match/band.h"
#include "match/overlap.h"

namespace nearkin {
namespace {

using Clock = std::chrono::steady_clock;

/// What this thread has computed for so far: time that other processes take does not count.
std::chrono::nanoseconds computed() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

constexpr std::uint64_t kSeed = 1;
constexpr std::size_t kItems = 100'000;  // of a table that no cache holds whole
constexpr std::uint32_t kBands = 17, kRows = 8;
static_assert(kBands * kRows == kCalibratedHashes);

// Results are added up here, so that no compiler leaves out the work that makes them.
volatile std::uint64_t ignored;

/// ns for one of `tokens`: the least of several rounds, as whatever else runs on the machine only adds to it.
template <typename Work>
double nanoseconds(double tokens, Work&& work) {
  constexpr auto kEnough = std::chrono::milliseconds(40);
  constexpr int kRounds = 3;
  std::chrono::nanoseconds least = std::chrono::nanoseconds::max();
  const Clock::time_point begin = Clock::now();
  for (int round = 0; round < kRounds || Clock::now() - begin < kEnough; ++round) {
    const std::chrono::nanoseconds start = computed();
    ignored = ignored + work();
    least = std::min(least, computed() - start);
  }
  return std::chrono::duration<double, std::nano>(least).count() / tokens;
}

/// So many that no processor learns them by heart. `accents`: a letter beyond ASCII in one of four, which takes the slower road.
std::vector<std::string> made_up_texts(bool accents) {
  constexpr std::size_t kTexts = 1600, kWords = kCalibratedShingles + 5 - 1;  // words of a usual shingle
  SplitMix random(kSeed);
  std::vector<std::string> vocabulary(5000), texts(kTexts);
  for (std::string& word : vocabulary) {
    for (std::uint64_t letters = 2 + random() % 9; letters > 0; --letters) word += static_cast<char>('a' + random() % 26);
  }
  for (std::size_t i = 0; i < kTexts; ++i) {
    for (std::size_t word = 0; word < kWords; ++word) texts[i] += vocabulary[random() % vocabulary.size()] + ' ';
    if (accents && i % 4 == 0) texts[i] += "caf\u00e9";
  }
  return texts;
}

std::vector<std::uint64_t> random_numbers(std::size_t count) {
  SplitMix random(kSeed);
  std::vector<std::uint64_t> numbers(count);
  for (std::uint64_t& number : numbers) number = random();
  return numbers;
}

/// For the sketch of `shingles` shingles.
double sketch_cost(std::size_t shingles) {
  constexpr std::size_t kSets = 64;
  const std::vector<std::uint64_t> elements = random_numbers(kSets * shingles);
  MinHasher hasher({.hashes = kCalibratedHashes});
  std::vector<std::uint32_t> slots(kCalibratedHashes);
  return nanoseconds(kSets, [&] {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < kSets; ++i) {
      hasher.sketch({elements.data() + i * shingles, shingles}, slots.data());
      sum += slots.front();
    }
    return sum;
  });
}

/// To shingle a byte of text. What a sketch takes for each shingle, whatever its slots, is part of it.
double shingle_cost(double a_shingle, bool accents) {
  const std::vector<std::string> texts = made_up_texts(accents);
  double bytes = 0;
  for (const std::string& text : texts) bytes += static_cast<double>(text.size());
  Shingler shingler(ShinglePlan{});
  const double each = nanoseconds(bytes, [&] {
    std::uint64_t sum = 0;
    for (const std::string& text : texts) sum += content_hash(shingler.shingles(text)).low;
    return sum;
  });
  return each + a_shingle * kCalibratedShingles * static_cast<double>(texts.size()) / bytes;
}

double key_cost(const BandPlan& plan) {
  constexpr std::size_t kSketches = 1024;
  std::vector<std::uint32_t> slots(kSketches * kCalibratedHashes), keys(plan.bands);
  SplitMix random(kSeed);
  for (std::uint32_t& slot : slots) slot = static_cast<std::uint32_t>(random());
  return nanoseconds(static_cast<double>(kSketches) * plan.bands, [&] {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < kSketches; ++i) {
      band_keys(slots.data() + i * kCalibratedHashes, plan, keys.data());
      sum += keys.back();
    }
    return sum;
  });
}

/// Keys of one band, gathered from those of all, sorted and gone through.
double sort_cost(const std::vector<std::uint32_t>& keys) {
  std::vector<std::uint64_t> records(kItems), scratch;
  return nanoseconds(static_cast<double>(kItems), [&] {
    for (std::size_t i = 0; i < kItems; ++i) records[i] = std::uint64_t{keys[i * kBands]} << 32 | i;
    radix_sort(records, scratch, 4, 8);
    std::uint64_t shared = 0;
    for (std::size_t i = 1; i < kItems; ++i) shared += records[i] >> 32 == records[i - 1] >> 32;
    return shared;
  });
}

/// A random pair: the keys of the bands before, then the signatures.
double dropped_cost(const std::vector<std::uint32_t>& keys) {
  constexpr std::size_t kPairs = 20'000;
  std::vector<std::uint8_t> signatures(kItems * kCalibratedHashes);
  const std::vector<std::uint64_t> bytes = random_numbers(signatures.size() / sizeof(std::uint64_t));
  std::memcpy(signatures.data(), bytes.data(), bytes.size() * sizeof(std::uint64_t));
  SplitMix random(kSeed);
  return nanoseconds(kPairs, [&] {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < kPairs; ++i) {
      const std::size_t a = random() % kItems, b = random() % kItems;
      for (std::size_t band = 0; band < kBands / 2; ++band) sum += keys[a * kBands + band] == keys[b * kBands + band];
      sum += kernel::equal_bytes(signatures.data() + a * kCalibratedHashes, signatures.data() + b * kCalibratedHashes, kCalibratedHashes);
    }
    return sum;
  });
}

/// A random pair of sets of which half is shared.
double compared_cost() {
  constexpr std::size_t kSets = 10'000, kPairs = 4'000;
  SplitMix random(kSeed);
  std::vector<std::uint64_t> all(kCalibratedShingles * 3 / 2);
  std::uint64_t last = 0;
  for (std::uint64_t& element : all) element = last += random() >> 9;
  std::vector<std::vector<std::uint64_t>> sets(kSets);
  for (std::vector<std::uint64_t>& set : sets) {
    for (const std::uint64_t element : all) {
      if (random() % 3 != 0) set.push_back(element);
    }
  }
  return nanoseconds(kPairs, [&] {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < kPairs; ++i) sum += overlap(sets[random() % kSets], sets[random() % kSets], 0).shared;
    return sum;
  });
}

}  // namespace

MachineCosts calibrate() {
  MachineCosts costs;
  // With many shingles no slot stays empty, and what is left is the work for each of them.
  constexpr std::size_t kMany = 8 * kCalibratedShingles;
  const double a_shingle = sketch_cost(kMany) / kMany;
  // To read a record, and to take its fields apart, costs about what it costs to shingle plain text.
  costs.byte = shingle_cost(a_shingle, true) + shingle_cost(a_shingle, false);
  costs.slot = std::max(0.0, sketch_cost(kCalibratedShingles) - a_shingle * kCalibratedShingles) / kCalibratedHashes;
  std::vector<std::uint32_t> keys(kItems * kBands);
  SplitMix random(kSeed);
  for (std::uint32_t& key : keys) key = static_cast<std::uint32_t>(random());
  costs.band = key_cost({.bands = kBands, .rows = kRows}) + sort_cost(keys);
  costs.dropped = dropped_cost(keys);
  costs.compared = compared_cost();
  return costs;
}

}  // namespace nearkin

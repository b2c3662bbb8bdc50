#include <algorithm>
#include <queue>

#include <nearkin/run.h>
#include <nearkin/tools/sample.h>

#include "analysis/spread.h"
#include "base/hash.h"
#include "collect/collect.h"
#include "match/overlap.h"

namespace nearkin {
namespace {

constexpr std::size_t kSample = 400;          // items
constexpr std::size_t kSampledPairs = 4000;   // of them
constexpr std::size_t kTextBytes = 16 << 10;  // of each: a shingle is as rare at the beginning of a text as elsewhere
constexpr std::uint32_t kLargestSize = 12;    // of a shingle

std::string_view beginning(std::string_view text) {
  std::size_t end = std::min(text.size(), kTextBytes);
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

// The items with the least hashes of their row numbers: a sample that depends on the seed and the input alone.
Items sample_items(const Input& input, std::uint64_t seed, RunStats& stats) {
  using Entry = std::pair<std::uint64_t, std::string>;
  std::priority_queue<Entry> chosen;
  Sources sources(input, false);
  std::uint64_t row = stats.items;
  for_each_batch(sources, {.stats = &stats}, [&](const ReadBatch& part) {
    for (Row i = 0; i < part.batch.items.size(); ++i) {
      const std::uint64_t ticket = mix64(mix64(seed) ^ row++);
      if (chosen.size() == kSample && ticket > chosen.top().first) continue;
      chosen.emplace(ticket, beginning(part.batch.items.text(i)));
      if (chosen.size() > kSample) chosen.pop();
    }
  });
  Items items;
  for (; !chosen.empty(); chosen.pop()) items.add("", chosen.top().second);
  return items;
}

std::vector<Pair> sample_pairs(std::size_t items, std::uint64_t seed) {
  std::vector<Pair> pairs;
  SplitMix random(seed);
  for (std::size_t i = 0; items > 1 && i < kSampledPairs; ++i) {
    const Row a = static_cast<Row>(random() % items), b = static_cast<Row>(random() % items);
    if (a != b) pairs.push_back({a, b});
  }
  return pairs;
}

// Units per item that has any.
double mean_tokens(const Items& items, const ShinglePlan& plan) {
  const Features features = shingle(items, {.token = plan.token, .size = 1, .bag = true, .normalise = plan.normalise});
  std::size_t count = 0;
  for (std::size_t i = 0; i < features.size(); ++i) count += features[i].empty() ? 0 : 1;
  return count == 0 ? 0 : static_cast<double>(features.hashes.size()) / static_cast<double>(count);
}

}  // namespace

ShingleAdvice advise_shingle(const Input& input, const ShinglePlan& plan, std::uint64_t seed, RunStats* stats) {
  RunStats own;
  RunStats& noted = stats != nullptr ? *stats : own;
  const Items items = sample_items(input, seed, noted);
  const std::vector<Pair> pairs = sample_pairs(items.size(), seed);
  ShingleAdvice advice;
  advice.sampled = items.size();
  advice.tokens = mean_tokens(items, plan);
  std::vector<std::vector<double>> shares(kLargestSize);  // by size, then pair; negative: an EMPTY item
  std::vector<bool> related(pairs.size());
  for (std::uint32_t size = 1; size <= kLargestSize; ++size) {
    const Features features = shingle(items, {.token = plan.token, .size = size, .bag = plan.bag, .normalise = plan.normalise});
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const std::span<const std::uint64_t> a = features[pairs[i].a], b = features[pairs[i].b];
      const bool comparable = !a.empty() && !b.empty();
      shares[size - 1].push_back(comparable ? static_cast<double>(overlap(a, b, 0).shared) / static_cast<double>(a.size()) : -1);
      // Short shingles are shared by chance, so that only the longer half tells relatives.
      if (size > kLargestSize / 2 && shares[size - 1].back() >= kRelated) related[i] = true;
    }
  }
  for (std::uint32_t size = 1; size <= kLargestSize; ++size) {
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (related[i] || shares[size - 1][i] < 0) continue;
      sum += shares[size - 1][i];
      ++count;
    }
    advice.compared = count;
    const double chance = count == 0 ? 0 : sum / static_cast<double>(count);
    advice.chances.push_back({size, chance});
    if (advice.recommended == 0 && count > 0 && chance <= ShingleAdvice::kRare) advice.recommended = size;
  }
  advice.related = static_cast<std::uint64_t>(std::count(related.begin(), related.end(), true));
  return advice;
}

}  // namespace nearkin

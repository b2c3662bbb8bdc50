// nearkin_bench_sketch: one thread, from text to signature, against the classic loop. One JSON object a line: the machine's kernels,
// then one for each length of text. Answers are checked before anything is timed.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <nearkin/tools/forecast.h>

#include "classic_simd.h"
#include "corpus.h"
#include "family/minhash.h"
#include "feature/shingler.h"
#include "kernel/kernel.h"

namespace {

using namespace nearkin;
using bench::ClassicMinHasher;

constexpr std::uint32_t kHashes = ClassicMinHasher::kHashes;
constexpr std::size_t kElements = 100'000;  // in all texts together: 800 KB of hashes, 600 KB of text
constexpr int kRepetitions = 41;

const SketchPlan kPlan{.hashes = kHashes, .seed = 1};
const ShinglePlan kShingles{};

struct Texts {
  std::vector<std::string> texts;
  std::vector<std::vector<std::uint64_t>> elements;
  std::size_t bytes = 0, count = 0;
};

Texts make_texts(std::uint32_t words) {
  bench::Corpus corpus({.words = words, .spread = 0, .near = 0, .exact = 0});
  Shingler shingler(kShingles);
  Texts made;
  for (std::uint64_t document = 0; made.count < kElements; ++document) {
    std::string& text = made.texts.emplace_back();
    corpus.append_text(document, text);
    const auto shingles = shingler.shingles(text);
    made.elements.emplace_back(shingles.begin(), shingles.end());
    made.bytes += text.size();
    made.count += shingles.size();
  }
  return made;
}

[[noreturn]] void wrong(const char* what) {
  std::fprintf(stderr, "nearkin_bench_sketch: %s: the answer is wrong; nothing was timed\n", what);
  std::exit(2);
}

// The classic loop against the library's own, and a sketch against itself: elements reversed and repeated give the same slots.
void check(const Texts& texts) {
  ClassicMinHasher classic(kPlan);
  MinHasher hasher(kPlan);
  std::vector<std::uint32_t> ours(kHashes), right(kHashes);
  for (const auto& elements : texts.elements) {
    classic.sketch(elements, ours.data());
    classic_minhash(elements, kPlan, right.data());
    if (ours != right) wrong("classic loop");
    std::vector<std::uint64_t> reversed(elements.rbegin(), elements.rend());
    reversed.push_back(reversed.front());
    hasher.sketch(elements, ours.data());
    hasher.sketch(reversed, right.data());
    if (ours != right) wrong("sketch");
  }
}

// A value that the compiler must suppose to be read.
void use(std::uint64_t value) { asm volatile("" : : "r"(value) : "memory"); }

template <typename Work>
double seconds(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

struct Medians {
  double classic, sketch, shingle, text_to_sketch;  // seconds
  double ratio;                                     // classic / sketch of the same moment
};

Medians time_all(const Texts& texts) {
  ClassicMinHasher classic(kPlan);
  MinHasher hasher(kPlan);
  Shingler shingler(kShingles);
  std::vector<std::uint32_t> slots(kHashes);
  std::vector<double> classics, sketches, shingles, wholes, ratios;
  // The four take turns, so that a slow moment of the machine falls on all of them.
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    classics.push_back(seconds([&] {
      for (const auto& elements : texts.elements) classic.sketch(elements, slots.data()), use(slots[0]);
    }));
    sketches.push_back(seconds([&] {
      for (const auto& elements : texts.elements) hasher.sketch(elements, slots.data()), use(slots[0]);
    }));
    ratios.push_back(classics.back() / sketches.back());
    shingles.push_back(seconds([&] {
      for (const std::string& text : texts.texts) use(shingler.shingles(text).back());
    }));
    wholes.push_back(seconds([&] {
      for (const std::string& text : texts.texts) hasher.sketch(shingler.shingles(text), slots.data()), use(slots[0]);
    }));
  }
  return {median(classics), median(sketches), median(shingles), median(wholes), median(ratios)};
}

void report(std::uint32_t words) {
  const Texts texts = make_texts(words);
  check(texts);
  const Medians times = time_all(texts);
  const double elements = static_cast<double>(texts.count), bytes = static_cast<double>(texts.bytes);
  std::printf(
      "{\"words\":%u,\"documents\":%zu,\"bytes\":%zu,\"elements\":%zu,\"classic_ns\":%.3f,\"sketch_ns\":%.3f,\"ratio\":%.2f,"
      "\"shingle_ns\":%.3f,\"shingle_gb_s\":%.3f,\"text_to_sketch_ns\":%.3f,\"text_to_sketch_gb_s\":%.3f}\n",
      words, texts.texts.size(), texts.bytes, texts.count, times.classic / elements * 1e9, times.sketch / elements * 1e9, times.ratio,
      times.shingle / elements * 1e9, bytes / times.shingle / 1e9, times.text_to_sketch / elements * 1e9,
      bytes / times.text_to_sketch / 1e9);
}

}  // namespace

int main() {
  std::printf("{\"kernel\":\"%s\"}\n", kernel::name());
  for (const std::uint32_t words : {200u, 1000u, 5000u}) report(words);
}

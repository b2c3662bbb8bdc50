#include "corpus.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <unordered_set>

#include <nearkin/tools/forecast.h>

namespace nearkin::bench {
namespace {

constexpr std::uint64_t kOne = std::uint64_t{1} << 32;
constexpr std::uint32_t kShingle = 5;

std::uint64_t share_of(double share) { return static_cast<std::uint64_t>(share * static_cast<double>(kOne)); }

// Even over 0 … limit-1, for limits far below 2^32.
std::uint32_t below(SplitMix& random, std::uint64_t limit) { return static_cast<std::uint32_t>((random() >> 32) * limit >> 32); }

// Frequent words are short: lengths lie evenly in a range that depends on the rank. Weighted by frequency the mean is about 5.3.
std::uint32_t draw_letters(std::uint32_t rank, SplitMix& random) {
  struct Range {
    std::uint32_t ranks, shortest, longest;
  };
  constexpr Range kRanges[] = {{10, 2, 4}, {100, 3, 5}, {1'000, 4, 7}, {10'000, 5, 10}, {UINT32_MAX, 6, 11}};
  const Range* range = kRanges;
  while (rank >= range->ranks) ++range;
  return range->shortest + below(random, range->longest - range->shortest + 1);
}

}  // namespace

Corpus::Corpus(const CorpusOptions& options)
    : options_(options),
      copied_below_(share_of(options.exact)),
      edited_below_(copied_below_ + share_of(options.near)),
      boilerplate_below_(share_of(options.boilerplate_share)) {
  make_words();
  make_aliases();
}

void Corpus::make_words() {
  constexpr std::string_view kConsonants = "bcdfghjklmnprstvwz", kVowels = "aeiou";
  SplitMix random(options_.seed);
  std::unordered_set<std::string> used;
  while (words_.size() < kVocabulary) {
    const std::uint32_t size = draw_letters(static_cast<std::uint32_t>(words_.size()), random);
    std::string letters;
    for (std::uint32_t i = 0; i < size; ++i) {
      const std::string_view from = i % 2 == 0 ? kConsonants : kVowels;
      letters += from[below(random, from.size())];
    }
    if (!used.insert(letters).second) continue;
    Word word{.letters = {}, .size = size};
    std::copy(letters.begin(), letters.end(), word.letters.begin());
    words_.push_back(word);
  }
}

// Walker's aliases for weights 1/rank, in integers: a draw costs the same for every word, and no rounding depends on the machine.
void Corpus::make_aliases() {
  constexpr std::uint64_t kWeight = std::uint64_t{1} << 28;
  std::vector<std::uint64_t> scaled(kVocabulary);  // weight · entries: an entry's fair share is `total`
  std::uint64_t total = 0;
  for (std::uint32_t i = 0; i < kVocabulary; ++i) total += kWeight / (i + 1);
  std::vector<std::uint32_t> small, large;
  for (std::uint32_t i = 0; i < kVocabulary; ++i) {
    scaled[i] = kWeight / (i + 1) * kVocabulary;
    (scaled[i] < total ? small : large).push_back(i);
  }
  aliases_.assign(kVocabulary, {UINT32_MAX, 0});
  for (std::uint32_t i = 0; i < kVocabulary; ++i) aliases_[i].other = i;
  while (!small.empty() && !large.empty()) {
    const std::uint32_t poor = small.back(), rich = large.back();
    small.pop_back();
    aliases_[poor] = {static_cast<std::uint32_t>((scaled[poor] << 32) / total), rich};
    scaled[rich] -= total - scaled[poor];
    if (scaled[rich] >= total) continue;
    large.pop_back();
    small.push_back(rich);
  }
}

std::uint32_t Corpus::draw_word(SplitMix& random) const {
  const std::uint64_t bits = random();
  const std::uint32_t entry = static_cast<std::uint32_t>((bits >> 32) * kVocabulary >> 32);
  return static_cast<std::uint32_t>(bits) < aliases_[entry].keep ? entry : aliases_[entry].other;
}

std::uint32_t Corpus::draw_length(SplitMix& random) const {
  const std::uint32_t away = static_cast<std::uint32_t>(options_.spread * options_.words);
  return std::max(1u, options_.words - away + below(random, 2 * std::uint64_t{away} + 1));
}

Corpus::Kind Corpus::kind(std::uint64_t document) const {
  const std::uint64_t drawn = SplitMix(stream(document) ^ 1)() >> 32;
  if (document == 0 || drawn >= edited_below_) return Kind::original;
  return drawn < copied_below_ ? Kind::copied : Kind::edited;
}

std::uint64_t Corpus::earlier_original(std::uint64_t document, SplitMix& random) const {
  for (;;) {
    const std::uint64_t earlier = multiply128(random(), document).high;
    if (kind(earlier) == Kind::original) return earlier;
  }
}

void Corpus::draw_original(std::uint64_t document) {
  SplitMix random(stream(document));
  const std::uint32_t length = draw_length(random);
  document_.clear();
  if (options_.boilerplate > 0 && random() >> 32 < boilerplate_below_) {
    SplitMix shared(options_.seed ^ 0x626f696c6572u);
    for (std::uint32_t i = 0; i < options_.boilerplate; ++i) document_.push_back(draw_word(shared));
  }
  while (document_.size() < length) document_.push_back(draw_word(random));
}

void Corpus::replace_word(std::size_t place, SplitMix& random) {
  const std::uint32_t before = document_[place];
  while (document_[place] == before) document_[place] = draw_word(random);
}

// The similarity s is drawn evenly from 0.5 to 1. Of n shingles k must change for s = (n − k)/(n + k): one word replaced within the
// text changes five of them, the word at place p < 5 changes p + 1. The words replaced stand five apart at least.
void Corpus::edit(SplitMix& random) {
  if (document_.size() < kShingle) return;
  const std::uint64_t shingles = document_.size() - kShingle + 1;
  const std::uint64_t drawn = random() >> 32;  // s = 0.5 + drawn/2^33
  const std::uint64_t change = shingles * (kOne - drawn) / (3 * kOne + drawn);
  const std::size_t rest = change % kShingle;
  if (rest > 0) replace_word(rest - 1, random);
  const std::size_t begin = rest + kShingle - 1, end = document_.size() - kShingle + 1;
  if (end < begin + kShingle) return;
  const std::size_t replaced = std::min<std::size_t>(change / kShingle, (end - begin) / kShingle);
  for (std::size_t i = 0; i < replaced; ++i) {
    const std::size_t first = begin + (end - begin) * i / replaced, next = begin + (end - begin) * (i + 1) / replaced;
    replace_word(first + below(random, next - first - kShingle + 1), random);
  }
}

void Corpus::draw_member(std::uint64_t document) {
  draw_original(0);
  SplitMix random(stream(document) ^ 2);
  for (std::uint32_t i = 0; document > 0 && i < options_.cluster; ++i) replace_word(below(random, document_.size()), random);
}

void Corpus::make_document(std::uint64_t document) {
  if (options_.cluster > 0) return draw_member(document);
  const Kind what = kind(document);
  if (what == Kind::original) return draw_original(document);
  SplitMix random(stream(document) ^ 2);
  draw_original(earlier_original(document, random));
  if (what == Kind::edited) edit(random);
}

void Corpus::append_text(std::uint64_t document, std::string& out) {
  make_document(document);
  SplitMix random(stream(document) ^ 3);
  const std::size_t start = out.size();
  out.resize(start + document_.size() * (kLongest + 2) + kLongest);
  char* to = out.data() + start;
  std::uint32_t left = 0;  // words to the end of the sentence
  for (const std::uint32_t number : document_) {
    const Word& word = words_[number];
    std::memcpy(to, word.letters.data(), kLongest);
    if (left == 0) {
      *to = static_cast<char>(*to - 'a' + 'A');
      left = 6 + below(random, 16);
    }
    to += word.size;
    if (--left == 0) *to++ = '.';
    *to++ = ' ';
  }
  out.resize(static_cast<std::size_t>(to - out.data()) - 1);
}

void Corpus::append_record(std::uint64_t document, std::string& out) {
  out += "{\"id\":\"d";
  out += std::to_string(document);
  out += "\",\"text\":\"";
  append_text(document, out);
  out += "\"}\n";
}

}  // namespace nearkin::bench

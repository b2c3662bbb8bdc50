// nearkin in one slow file: every idea of the engine, written the plainest way. Read it to learn what the engine computes; the tests
// run it beside the engine to see that the engine computes just that.
//
//   texts → shingles → similarity of every pair → matches → clusters → what is kept
//                  ↘ sketches → bands → candidates ↗            (the short cut that saves looking at every pair)
//
// Nothing here is clever. Sets are std::map, pairs are two nested loops, and clusters are found by relabelling until nothing changes.
// Text is ASCII: what Unicode asks for is the engine's business.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nearkin/nearkin.h>

#include "base/hash.h"
#include "family/minhash.h"

namespace nearkin::reference {

// ---------------------------------------------------------------------------------------------------------------------------------
// 1. Texts become sets of shingles.

inline bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }
inline bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
inline char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// "It's 5 o'CLOCK" → it, s, 5, o, clock: runs of letters and digits, lower case.
inline std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> result;
  std::string word;
  for (const char c : text) {
    if (is_letter_or_digit(c)) {
      word += lower(c);
    } else if (!word.empty()) {
      result.push_back(word);
      word.clear();
    }
  }
  if (!word.empty()) result.push_back(word);
  return result;
}

/// "  A \n b" → "a", " ", "b": each character by itself, white space counted once between words and not at all at the ends.
inline std::vector<std::string> characters(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    if (!is_space(c)) {
      plain += lower(c);
    } else if (!plain.empty() && plain.back() != ' ') {
      plain += ' ';
    }
  }
  if (!plain.empty() && plain.back() == ' ') plain.pop_back();
  std::vector<std::string> result;
  for (const char c : plain) result.emplace_back(1, c);
  return result;
}

/// A bag of shingles: how often each occurs. A set is a bag in which every count is 1. No shingles at all: the text is EMPTY.
using Shingles = std::map<std::string, std::uint32_t>;

/// Every run of `size` tokens. A text shorter than that is one shingle, all of it. Units are joined by a byte that no token holds,
/// so that ("ab", "c") and ("a", "bc") differ.
inline Shingles shingles_of(const std::vector<std::string>& tokens, std::size_t size, bool bag) {
  Shingles result;
  if (tokens.empty()) return result;
  size = std::min(size, tokens.size());
  for (std::size_t begin = 0; begin + size <= tokens.size(); ++begin) {
    std::string shingle;
    for (std::size_t i = begin; i < begin + size; ++i) shingle += tokens[i] + '\x1f';
    std::uint32_t& count = result[shingle];
    count = bag ? count + 1 : 1;
  }
  return result;
}

inline Shingles shingles(std::string_view text, const ShinglePlan& plan) {
  return shingles_of(plan.token == Token::word ? words(text) : characters(text), plan.size, plan.bag);
}

// ---------------------------------------------------------------------------------------------------------------------------------
// 2. Two sets have a similarity: a fraction, never a rounded number.

inline std::uint32_t size_of(const Shingles& shingles) {
  std::uint32_t size = 0;
  for (const auto& [shingle, count] : shingles) size += count;
  return size;
}

/// |A∩B| and |A∪B|. In bags: the sum of the smaller and of the larger counts.
inline Match jaccard(Row a, Row b, const Shingles& first, const Shingles& second) {
  std::uint32_t shared = 0;
  for (const auto& [shingle, count] : first) {
    const auto same = second.find(shingle);
    if (same != second.end()) shared += std::min(count, same->second);
  }
  return {a, b, shared, size_of(first) + size_of(second) - shared};
}

/// shared/total ≥ numerator/denominator, multiplied out: integers do not round. Items that share nothing never
/// match, EMPTY ones least of all.
inline bool reaches(const Match& match, Ratio threshold) {
  return match.shared > 0 && match.shared * threshold.denominator >= threshold.numerator * match.total;
}

// ---------------------------------------------------------------------------------------------------------------------------------
// 3. All pairs, the honest way: compare everything with everything.

inline Matches brute_force(const std::vector<Shingles>& items, Ratio threshold) {
  Matches matches;
  for (Row a = 0; a < items.size(); ++a) {
    for (Row b = a + 1; b < items.size(); ++b) {
      const Match match = jaccard(a, b, items[a], items[b]);
      if (reaches(match, threshold)) matches.push_back(match);
    }
  }
  return matches;
}

// ---------------------------------------------------------------------------------------------------------------------------------
// 4. Sketches: a few numbers for each set, such that P[a number of A equals that of B] = similarity of A and B.
//
// Classic min-hashing gives every element a random number in every slot and keeps the least. That is `hashes` numbers for each element.
// Bucketed min-hashing throws each element into ONE slot (round 0). Where a slot stays empty a few more rounds are tried, and at last
// the classic way. A number of an earlier round goes before any of a later one: each slot keeps the least (round, number) of all elements,
// and, as in the classic way, two sets agree in a slot when the element that wins among all of theirs is one that they share.

struct Throw {
  std::uint64_t slot, number;
};

/// x·slots as a 128-bit product: its high half is a slot, each as likely as another, its low half a number within the slot.
inline Throw throw_element(std::uint64_t x, std::uint64_t slots) {
  const Product128 product = multiply128(x, slots);
  return {product.high, product.low};
}

/// The random numbers of a plan, in the order in which they are drawn from its seed.
struct Constants {
  explicit Constants(const SketchPlan& plan) {
    SplitMix random(plan.seed);
    key = random();
    for (std::uint32_t slot = 0; slot < plan.hashes; ++slot) {
      const std::uint64_t bits = random();
      multiplier.push_back(static_cast<std::uint32_t>(bits) | 1);
      addend.push_back(static_cast<std::uint32_t>(bits >> 32));
    }
  }
  std::uint64_t key;
  std::vector<std::uint32_t> multiplier, addend;
};

/// One slot of the sketch of a set of 64-bit elements that is not empty.
inline std::uint32_t slot_value(std::span<const std::uint64_t> elements, std::uint32_t slot, const SketchPlan& plan,
                                const Constants& constants) {
  constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();
  for (std::uint32_t round = 0; round < minhash_rounds(plan.hashes); ++round) {
    std::uint64_t least = kNone;
    for (const std::uint64_t element : elements) {
      const std::uint64_t mixed = mix64(element ^ constants.key);
      const Throw thrown = throw_element(round == 0 ? mixed : mix64(mixed + round * 0x9e3779b97f4a7c15u), plan.hashes);
      if (thrown.slot == slot) least = std::min(least, thrown.number);
    }
    if (least != kNone) return static_cast<std::uint32_t>(least >> 32);
  }
  std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
  for (const std::uint64_t element : elements) {
    const auto low = static_cast<std::uint32_t>(mix64(element ^ constants.key));
    least = std::min(least, constants.multiplier[slot] * low + constants.addend[slot]);
  }
  return least;
}

inline std::vector<std::uint32_t> sketch(std::span<const std::uint64_t> elements, const SketchPlan& plan) {
  const Constants constants(plan);
  std::vector<std::uint32_t> slots;
  for (std::uint32_t slot = 0; slot < plan.hashes; ++slot) slots.push_back(slot_value(elements, slot, plan, constants));
  return slots;
}

// ---------------------------------------------------------------------------------------------------------------------------------
// 5. Bands: cut each sketch into `bands` pieces of `rows` numbers. Two items that agree in one whole piece share a bucket there, and are
// candidates: worth a closer look. P[candidates] = 1 − (1 − s^rows)^bands is next to 0 for small s and next to 1 for large s.

inline bool agree_in_band(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b, std::uint32_t band, std::uint32_t rows) {
  for (std::uint32_t row = band * rows; row < (band + 1) * rows; ++row) {
    if (a[row] != b[row]) return false;
  }
  return true;
}

inline bool share_a_bucket(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b, const BandPlan& plan) {
  for (std::uint32_t band = 0; band < plan.bands; ++band) {
    if (agree_in_band(a, b, band, plan.rows)) return true;
  }
  return false;
}

/// All pairs that share a bucket, where no bucket is a large one.
inline Pairs candidates(const Sketches& sketches, const BandPlan& plan) {
  Pairs pairs;
  for (Row a = 0; a < sketches.size(); ++a) {
    for (Row b = a + 1; b < sketches.size(); ++b) {
      if (sketches.empty[a] != 0 || sketches.empty[b] != 0) continue;
      if (share_a_bucket(sketches[a], sketches[b], plan)) pairs.push_back({a, b});
    }
  }
  return pairs;
}

/// The candidates that reach the threshold: what a run by sketches reports. It may lack a pair of brute_force; it never has another.
inline Matches verify(const Pairs& pairs, const std::vector<Shingles>& items, Ratio threshold) {
  Matches matches;
  for (const auto& [a, b] : pairs) {
    const Match match = jaccard(a, b, items[a], items[b]);
    if (reaches(match, threshold)) matches.push_back(match);
  }
  return matches;
}

// ---------------------------------------------------------------------------------------------------------------------------------
// 6. Which item of a group is worth most: an order of all items, the best first.

inline std::vector<Row> keep_order(const Keep& keep, const std::vector<std::string>& texts) {
  std::vector<Row> order;
  for (Row row = 0; row < texts.size(); ++row) order.push_back(row);
  if (keep.rule == Keep::Rule::last) std::reverse(order.begin(), order.end());
  const auto longer = [&](Row a, Row b) { return texts[a].size() > texts[b].size(); };
  const auto shorter = [&](Row a, Row b) { return texts[a].size() < texts[b].size(); };
  // Stable: of equals the earlier one stays first.
  if (keep.rule == Keep::Rule::longest) std::stable_sort(order.begin(), order.end(), longer);
  if (keep.rule == Keep::Rule::shortest) std::stable_sort(order.begin(), order.end(), shorter);
  return order;
}

// ---------------------------------------------------------------------------------------------------------------------------------
// 7. Matches become groups. Each function gives the keeper of every item; items with the same keeper are one group.

/// Connected: who can be reached over matches is in the group. Each item starts with a label of its own; two that match take the smaller
/// label of both, again and again, until nothing changes. Of each label, the first in order is the keeper.
inline std::vector<Row> keepers_connected(const Matches& matches, const std::vector<Row>& order) {
  std::vector<Row> label(order.size());
  for (Row row = 0; row < label.size(); ++row) label[row] = row;
  for (bool changed = true; changed;) {
    changed = false;
    for (const Match& match : matches) {
      const Row least = std::min(label[match.a], label[match.b]);
      changed = changed || label[match.a] != least || label[match.b] != least;
      label[match.a] = label[match.b] = least;
    }
  }
  std::map<Row, Row> keeper_of_label;
  for (const Row row : order) keeper_of_label.emplace(label[row], row);  // emplace: the first one stays
  std::vector<Row> keepers;
  for (const Row one : label) keepers.push_back(keeper_of_label.at(one));
  return keepers;
}

/// Star: every member matches its keeper itself. In order: an item that matches a keeper so far goes to the first
/// such; else it is a keeper.
inline std::vector<Row> keepers_star(const Matches& matches, const std::vector<Row>& order) {
  std::set<Pair> matching;
  for (const Match& match : matches) matching.insert({match.a, match.b});
  std::vector<Row> keepers(order.size());
  std::vector<Row> kept;
  for (const Row row : order) {
    const auto matches_row = [&](Row keeper) { return matching.contains({std::min(row, keeper), std::max(row, keeper)}); };
    const auto found = std::find_if(kept.begin(), kept.end(), matches_row);
    keepers[row] = found != kept.end() ? *found : row;
    if (found == kept.end()) kept.push_back(row);
  }
  return keepers;
}

/// Groups numbered in the order in which their first members stand in the input.
inline Clusters cluster(const Matches& matches, Linkage linkage, const std::vector<Row>& order) {
  const std::vector<Row> keepers = linkage == Linkage::star ? keepers_star(matches, order) : keepers_connected(matches, order);
  Clusters result;
  for (const Row keeper : keepers) {
    const auto known = std::find(result.keeper.begin(), result.keeper.end(), keeper);
    result.cluster.push_back(static_cast<std::uint32_t>(known - result.keeper.begin()));
    if (known == result.keeper.end()) result.keeper.push_back(keeper);
  }
  return result;
}

// ---------------------------------------------------------------------------------------------------------------------------------
// 8. What stays: the keepers, in input order.

inline std::vector<Row> kept_rows(const Clusters& clusters) {
  std::vector<Row> kept = clusters.keeper;
  std::sort(kept.begin(), kept.end());
  return kept;
}

}  // namespace nearkin::reference

// Corpora of sets with near copies and parts of one another among them, in many shapes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "support/random.h"
#include "support/random_sets.h"

namespace nearkin::test {

struct CorpusShape {
  const char* name;
  std::size_t least, most;  // sizes of sets
  std::uint64_t universe;   // different elements
  bool skewed;              // low elements far more often
  double copied;            // share of sets that are an earlier one, a little changed
  bool spread = true;       // elements mixed over 64 bits; otherwise small numbers, whose high halves all agree
};

inline const std::vector<CorpusShape> kCorpusShapes{
    {"single elements", 1, 1, 20, false, 0},
    {"tiny sets of few elements", 1, 6, 12, false, 0.1},
    {"near copies among rare elements", 1, 60, 100'000, false, 0.6},
    {"near copies among common elements", 5, 60, 300, false, 0.5},
    {"skewed frequencies", 1, 60, 400, true, 0.3},
    {"one size", 20, 20, 60, false, 0.5},
    {"nearly all copies", 10, 30, 5000, false, 0.97},
    {"small numbers as hashes", 1, 30, 200, false, 0.5, false},
};

inline std::uint64_t draw_element(Random& random, const CorpusShape& shape) {
  std::uint64_t element = random() % shape.universe;
  if (shape.skewed) element = element * (random() % shape.universe) / shape.universe * (random() % shape.universe) / shape.universe;
  return shape.spread ? mix64(element + 1) : element;
}

inline Set draw_set(Random& random, const CorpusShape& shape) {
  const std::size_t size = shape.least + random() % (shape.most - shape.least + 1);
  std::set<std::uint64_t> set;
  for (std::size_t tries = 0; set.size() < size && tries < 4 * size; ++tries) set.insert(draw_element(random, shape));
  return {set.begin(), set.end()};
}

inline Set changed(Random& random, const Set& original, const CorpusShape& shape) {
  std::set<std::uint64_t> set(original.begin(), original.end());
  for (std::uint64_t edits = random() % 4; edits > 0; --edits) {
    if (set.size() > 1) set.erase(std::next(set.begin(), static_cast<std::ptrdiff_t>(random() % set.size())));
    set.insert(draw_element(random, shape));
  }
  return {set.begin(), set.end()};
}

/// None is empty.
inline std::vector<Set> draw_corpus(Random& random, const CorpusShape& shape, std::size_t count) {
  std::vector<Set> sets;
  while (sets.size() < count) {
    const bool copy = !sets.empty() && static_cast<double>(random() % 1000) < 1000 * shape.copied;
    sets.push_back(copy ? changed(random, sets[random() % sets.size()], shape) : draw_set(random, shape));
  }
  return sets;
}

/// Sentences of 4 to 16 words as sets, the word of rank r with a frequency about in proportion to 1/r; one in eight is an earlier one with
/// a word changed.
inline std::vector<Set> short_sentences(Random& random, std::size_t count, std::size_t vocabulary) {
  std::vector<double> sums;
  for (std::size_t rank = 1; rank <= vocabulary; ++rank) sums.push_back((sums.empty() ? 0 : sums.back()) + 1 / static_cast<double>(rank));
  const auto word = [&] {
    const double drawn = static_cast<double>(random() >> 11) * 0x1p-53 * sums.back();
    return mix64(static_cast<std::uint64_t>(std::lower_bound(sums.begin(), sums.end(), drawn) - sums.begin()) + 1);
  };
  std::vector<Set> sets;
  while (sets.size() < count) {
    std::set<std::uint64_t> set;
    if (!sets.empty() && random() % 8 == 0) {
      const Set& earlier = sets[random() % sets.size()];
      set = {earlier.begin(), earlier.end()};
      set.erase(set.begin());
    }
    for (std::size_t left = set.empty() ? 4 + random() % 13 : 1; left > 0; --left) set.insert(word());
    sets.emplace_back(set.begin(), set.end());
  }
  return sets;
}

/// Sets of 190 elements, each the same but for five of its own.
inline std::vector<Set> near_copies(Random& random, std::size_t count) {
  Set common(190);
  for (std::uint64_t& element : common) element = random();
  std::vector<Set> sets(count, common);
  for (Set& set : sets) {
    for (int i = 0; i < 5; ++i) set[random() % set.size()] = random();
    std::sort(set.begin(), set.end());
  }
  return sets;
}

inline std::vector<Row> rows_up_to(std::size_t count) {
  std::vector<Row> rows(count);
  for (Row row = 0; row < count; ++row) rows[row] = row;
  return rows;
}

}  // namespace nearkin::test

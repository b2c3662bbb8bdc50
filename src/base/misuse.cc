#include "base/misuse.h"

#include <limits>

#include <nearkin/error.h>

namespace nearkin {
namespace {

constexpr std::uint64_t kMostItems = std::numeric_limits<Row>::max() - 1;  // the last number means "none"

[[noreturn]] void refuse(const char* subject, const std::string& message) { throw Error(ErrorCode::plan, subject, message); }

std::string text(std::uint64_t number) { return std::to_string(number); }

void require_size(std::size_t size, std::uint64_t expected, const char* subject, const std::string& what) {
  if (size != expected) refuse(subject, text(size) + " " + what + " where there must be " + text(expected));
}

// Item i of a flat array, whose ends have been found to be enough.
void require_stretch(std::span<const std::uint64_t> ends, std::size_t i, std::size_t size, const char* subject) {
  const std::uint64_t begin = i == 0 ? 0 : ends[i - 1], end = ends[i];
  if (end < begin)
    refuse(subject, "item " + text(i) + " ends at " + text(end) + ", before it begins at " + text(begin) + "; ends must ascend");
  if (end > size) refuse(subject, "item " + text(i) + " ends at " + text(end) + ", beyond the " + text(size) + " entries there are");
}

// What does not take a look at each item.
void require_sizes(const Vectors& vectors) {
  require_countable(vectors.size(), "vectors");
  switch (vectors.kind) {
    case Vectors::Kind::dense:
      return require_size(vectors.numbers.size(), std::uint64_t{vectors.dimensions} * vectors.size(), "vectors", "numbers");
    case Vectors::Kind::bits: return require_size(vectors.words.size(), vectors.word_count() * vectors.size(), "vectors", "words");
    case Vectors::Kind::sparse: break;
  }
  require_size(vectors.ends.size(), vectors.size(), "vectors", "ends");
  require_size(vectors.values.size(), vectors.indices.size(), "vectors", "values");
}

// Where each item of a flat array ends.
void require_ends(std::span<const std::uint64_t> ends, std::size_t size, const char* subject) {
  std::uint64_t before = 0;
  for (const std::uint64_t end : ends) {
    if (end < before) refuse(subject, "an item ends at " + text(end) + ", before it begins at " + text(before) + "; ends must ascend");
    before = end;
  }
  if (before > size) refuse(subject, "the last item ends at " + text(before) + ", beyond the " + text(size) + " entries there are");
}

}  // namespace

void require_countable(std::size_t items, const char* subject) {
  if (items > kMostItems) refuse(subject, text(items) + " are more than the " + text(kMostItems) + " that can be numbered; use fewer");
}

void refuse_row(std::uint64_t row, std::size_t items, const char* subject) {
  refuse(subject, "row " + text(row) + " is not among the " + text(items) + " items, which are numbered from 0");
}

void require_rows_of(const Pairs& pairs, std::size_t items) {
  for (const Pair& pair : pairs) {
    require_row(pair.a, items, "pairs");
    require_row(pair.b, items, "pairs");
  }
}

void require_rows_of(const Matches& matches, std::size_t items) {
  for (const Match& match : matches) {
    require_row(match.a, items, "matches");
    require_row(match.b, items, "matches");
  }
}

void require_order(std::span<const Row> order, std::size_t items) {
  require_size(order.size(), items, "order", "rows");
  std::vector<bool> listed(items);
  for (const Row row : order) {
    require_row(row, items, "order");
    if (listed[row]) refuse("order", "row " + text(row) + " is listed twice; every row must be listed once");
    listed[row] = true;
  }
}

void require_consistent(const Items& items) {
  require_countable(items.size(), "items");
  require_size(items.texts.size(), items.ids.size(), "items", "texts");
}

void require_consistent(const MemoryItems& items) {
  if (items.vectors && !items.texts.empty()) {
    refuse("memory", text(items.texts.size()) + " texts beside " + text(items.vectors->size()) + " vectors; give one of them");
  }
  if (items.vectors) require_consistent(*items.vectors);
  const std::size_t count = items.vectors ? items.vectors->size() : items.texts.size();
  require_countable(count, "memory");
  if (!items.numbers.empty()) require_size(items.numbers.size(), count, "memory", "numbers");
}

void require_consistent(const Features& features) {
  require_countable(features.size(), "features");
  require_ends(features.ends, features.hashes.size(), "features");
}

void require_consistent(const Sketches& sketches) {
  require_countable(sketches.size(), "sketches");
  require_size(sketches.slots.size(), std::uint64_t{sketches.hashes} * sketches.size(), "sketches", "slots");
}

void require_consistent(const Vectors& vectors) {
  require_sizes(vectors);
  if (vectors.kind == Vectors::Kind::sparse) require_ends(vectors.ends, vectors.indices.size(), "vectors");
}

void require_item(const Features& features, std::size_t i) {
  require_row(i, features.size(), "features");
  require_stretch(features.ends, i, features.hashes.size(), "features");
}

void require_item(const Vectors& vectors, std::size_t i) {
  require_row(i, vectors.size(), "vectors");
  require_sizes(vectors);
  if (vectors.kind == Vectors::Kind::sparse) require_stretch(vectors.ends, i, vectors.indices.size(), "vectors");
}

void require_slots(const BandPlan& plan, std::size_t slots) {
  if (plan.bands > 0 && plan.rows == 0) refuse("rows", "0 rows make no band; use 1 or more");
  const std::uint64_t needed = std::uint64_t{plan.bands} * plan.rows;
  if (needed <= slots) return;
  refuse("bands", text(plan.bands) + " of " + text(plan.rows) + " rows need " + text(needed) + " hashes, the sketch has " + text(slots) +
                      "; use fewer of either");
}

void require_sketch(const SketchPlan& plan) {
  if (plan.hashes == 0) refuse("hashes", "0 slots make no sketch; the exact join (recall 1) needs none");
}

void require_fraction(Ratio ratio, const std::string& subject) {
  constexpr std::uint64_t kFinest = 1'000'000'000;
  if (ratio.denominator > 0 && ratio.denominator <= kFinest && ratio.numerator <= ratio.denominator) return;
  throw Error(
      ErrorCode::plan, subject,
      text(ratio.numerator) + "/" + text(ratio.denominator) + " is not a fraction from 0 to 1 with a denominator of 1 to 1000000000");
}

void require_limit(const Plan& plan) {
  require_fraction(plan.threshold, "threshold");
  if (!is_distance(plan.measure) || plan.radius >= 0) return;
  refuse("radius", std::to_string(plan.radius) + " is no distance; use 0 or more");
}

}  // namespace nearkin

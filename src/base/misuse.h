// Misuse of the public functions: sizes that do not fit together, rows that do not exist. Each check throws Error(plan) that names the
// value and its limit. All are one pass over the argument at most, without memory unless said otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <nearkin/items.h>
#include <nearkin/plan.h>
#include <nearkin/stages.h>
#include <nearkin/vectors.h>

namespace nearkin {

[[noreturn]] void refuse_row(std::uint64_t row, std::size_t items, const char* subject);
/// `row` is one of `items` items; `subject` says where it was given.
inline void require_row(std::uint64_t row, std::size_t items, const char* subject) {
  if (row >= items) refuse_row(row, items, subject);
}
void require_rows_of(const Pairs& pairs, std::size_t items);
void require_rows_of(const Matches& matches, std::size_t items);
/// The order lists every one of `items` rows exactly once. Takes a bit of memory per item.
void require_order(std::span<const Row> order, std::size_t items);

/// This many items can be numbered by Row; `subject` says where they were given.
void require_countable(std::size_t items, const char* subject);
/// The arrays have the sizes that the other members say, and the items can be numbered by Row.
void require_consistent(const Items& items);
void require_consistent(const MemoryItems& items);
void require_consistent(const Features& features);
void require_consistent(const Sketches& sketches);
void require_consistent(const Vectors& vectors);
/// Item i exists and the arrays are long enough for it. Takes constant time.
void require_item(const Features& features, std::size_t i);
void require_item(const Vectors& vectors, std::size_t i);

/// Bands of at least one row fit into this many slots of a sketch.
void require_slots(const BandPlan& plan, std::size_t slots);
/// A sketch has at least one slot.
void require_sketch(const SketchPlan& plan);
/// A fraction from 0 to 1 with a denominator of at most 10^9.
void require_fraction(Ratio ratio, const std::string& subject);
/// The plan's threshold is such a fraction; its radius, where the measure is a distance, is 0 or more.
void require_limit(const Plan& plan);

}  // namespace nearkin

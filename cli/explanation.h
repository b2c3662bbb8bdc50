// What `explain` tells of one or two items: what each step makes of them, as plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <nearkin/nearkin.h>
#include <nearkin/tools/compare.h>

namespace nearkin::cli {

struct ExplainedItem {
  std::string name;  ///< the file; empty for a text that was typed
  std::string text;
  ShingleSpans spans;
  std::size_t size = 0;     ///< features: different shingles of a set, all of a bag
  std::size_t ignored = 0;  ///< of the spans: shingles that do not count
  // Empty where the item is EMPTY or the plan has no sketch.
  std::vector<std::uint32_t> slots = {};
  std::vector<SlotOrigin> origins = {};
  std::vector<std::uint32_t> buckets = {};
};

/// A shingle as a set or a bag has it: the second occurrence in a bag is another.
struct ExplainedShingle {
  std::uint64_t feature;
  std::size_t item, span;       ///< where it stands first
  std::uint64_t earlier = 0;    ///< in a bag: so often it occurred before
  std::uint64_t times[2] = {};  ///< in either item
};

struct Explanation {
  Plan plan;
  std::vector<ExplainedItem> items;                       ///< one or two
  std::vector<ExplainedShingle> shingles;                 ///< in order of appearance, those of the first item first
  std::unordered_map<std::uint64_t, std::size_t> places;  ///< of features in `shingles`
  std::optional<Comparison> comparison;                   ///< of two items

  bool two() const { return items.size() == 2; }
  bool sketched() const { return plan.sketch.hashes > 0; }
  /// How a shingle stands in the normalised text.
  std::string text_of(const ExplainedShingle& shingle) const;
  /// Whether slot i, or the bucket of band i, is the same in two items that have sketches.
  bool same_slot(std::size_t i) const { return items[0].slots[i] == items[1].slots[i]; }
  bool same_bucket(std::size_t i) const { return items[0].buckets[i] == items[1].buckets[i]; }
  /// Both items have slots, buckets.
  bool slots_compare() const { return two() && !items[0].slots.empty() && !items[1].slots.empty(); }
  bool buckets_compare() const { return two() && !items[0].buckets.empty() && !items[1].buckets.empty(); }
  std::size_t equal_slots() const;
};

struct NamedText {
  std::string name, text;
};

/// Walks one or two texts through every step of the plan, which is one over shingles.
Explanation explain(const std::vector<NamedText>& texts, const Plan& plan);

/// What is longer is cut, and how much was left out is said.
struct ExplainLimits {
  std::size_t rows;        ///< of a table, elements of a list
  std::size_t characters;  ///< of a text
};
std::string explanation_text(const Explanation& explanation, const ExplainLimits& limits);
std::string explanation_json(const Explanation& explanation, const ExplainLimits& limits);

}  // namespace nearkin::cli

// Looking at single items: one pair in full, where shingles are in a text, where the slots of a sketch come from. For showing, not for
// speed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nearkin/plan.h>
#include <nearkin/vectors.h>

namespace nearkin {

/// One pair in full.
struct Comparison {
  std::uint64_t a_size = 0, b_size = 0;  ///< number of shingles; for vectors, of dimensions, or of entries of sparse ones
  std::uint64_t shared = 0, total = 0;   ///< as in Match; 0 for vectors
  double similarity = 0;                 ///< or the distance
  /// For sets, the similarity estimated by the plan's sketch; for vectors, the share of equal hashes. 0 = no sketch.
  double estimate = 0;
  double found = 0;                   ///< probability that the plan's bands make the pair a candidate; 1 without bands
  bool candidate = false;             ///< whether they do with the plan's seed
  std::vector<std::string> passages;  ///< the longest passages of `a` that `b` has too, as they are in its text, longest first
};
/// Compares two texts, or sets. Returns at most `passages` passages.
Comparison compare(std::string_view a, std::string_view b, const Plan& plan, std::size_t passages = 5);
/// Compares vector i of `a` and vector j of `b`, both after `prepare`. Throws Error(plan) if there is no such vector, Error(data) if the
/// two have different kinds or lengths.
Comparison compare(const Vectors& a, std::size_t i, const Vectors& b, std::size_t j, const Plan& plan);

/// The shingles of one text in order of appearance, repetitions included.
struct ShingleSpans {
  std::string normalised;  ///< the text after normalising
  struct Span {
    std::uint64_t hash;
    std::uint32_t begin, end;  ///< bytes of `normalised`
    std::uint64_t feature;     ///< what Features has for it: the hash; in a bag another one for each further occurrence
    bool ignored = false;      ///< by the plan: Features do not have it
  };
  std::vector<Span> spans;
};
ShingleSpans shingle_spans(std::string_view text, const ShinglePlan& plan);

/// Where one slot of a sketch comes from.
struct SlotOrigin {
  std::uint64_t element;  ///< the shingle that gave the slot its value
  /// The round, from 0, in which an element first fell into this slot; each round throws all elements once. Absent: no element fell into
  /// it, and `element` is the one with the least value of the slot's own hash function.
  std::optional<std::uint32_t> round;
};
/// For each slot of the sketch of `elements`. Throws Error(plan) if there are no elements.
std::vector<SlotOrigin> slot_origins(std::span<const std::uint64_t> elements, const SketchPlan& plan);

/// A text with what it shares with another one.
struct MarkedText {
  struct Stretch {
    std::size_t begin, end;  ///< bytes of `text`, at boundaries of characters
    bool operator==(const Stretch&) const = default;
  };
  std::string text;             ///< as it was read; after normalising if `normalised`
  std::vector<Stretch> shared;  ///< ascending, not touching
  /// What is shared, by passages: the stretches of both texts that follow each other in the same order have the same number, from 0.
  struct Part {
    std::size_t begin, end;
    std::uint32_t passage;
    bool operator==(const Part&) const = default;
  };
  std::vector<Part> parts = {};  ///< ascending, within `shared`
  bool normalised = false;       ///< the shared parts could not be traced back to the text as it was read
  std::uint64_t left_out = 0;    ///< bytes of the text that follow `text`
};
struct MarkedPair {
  MarkedText a, b;
};
/// Both texts, each with the parts that are covered by shingles of the other. Only the first `most` bytes of each are returned.
MarkedPair mark_shared(std::string_view a, std::string_view b, const ShinglePlan& plan, std::size_t most = SIZE_MAX);

}  // namespace nearkin

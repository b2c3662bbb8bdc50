// Family: how an item is hashed. The closed set of families behind one concept and one variant, with one std::visit per batch.
#pragma once

#include <concepts>
#include <variant>

#include <nearkin/plan.h>
#include <nearkin/vectors.h>

#include "family/minhash.h"
#include "family/vector_families.h"
#include "family/weighted_minhash.h"

namespace nearkin {

/// A hasher of vectors: built from the plan and the shape of the vectors, one per thread (it owns its scratch), hashing item after item.
template <typename H>
concept VectorHasher = requires(H hasher, const Vectors& vectors, std::size_t i, std::uint32_t* slots) {
  { hasher.sketch(vectors, i, slots) } -> std::same_as<void>;
};

using AnyVectorHasher = std::variant<WeightedMinHasher, HyperplaneHasher, BitSampler, StableHasher>;

/// The hasher of plan.family for vectors of this kind and these dimensions. Throws Error(plan) for a family that does not hash such
/// vectors.
AnyVectorHasher vector_hasher(const SketchPlan& plan, Vectors::Kind kind, std::uint32_t dimensions);

/// Sketches of the items [begin, end) by the plan's family; plan.hashes slots each to `slots`. EMPTY items are the caller's business.
void sketch_range(AnyVectorHasher& hasher, const Vectors& vectors, std::size_t begin, std::size_t end, std::uint32_t* slots,
                  std::uint32_t hashes);

/// Bits of a slot that tell items apart in a table of prefixes, and the slot reduced to them: minhash and weighted minhash 8 (a byte of the
/// mixed slot), gaussian and cauchy 2 (neighbouring slots differ), hyperplane and bit_sampling 1.
std::uint32_t digit_bits(Family family);
std::uint32_t digit(Family family, std::uint32_t slot);

}  // namespace nearkin

#include "io/formats/vector_batch.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <nearkin/tools/names.h>

namespace nearkin {

namespace {

/// What belongs to item i among entries that stand end to end.
template <typename T>
std::span<const T> part(const std::vector<T>& entries, const std::vector<std::uint64_t>& ends, std::size_t i) {
  const std::uint64_t begin = i == 0 ? 0 : ends[i - 1];
  return std::span(entries).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(ends[i] - begin));
}

template <typename T>
void append(std::vector<T>& all, std::span<const T> more) {
  all.insert(all.end(), more.begin(), more.end());
}

std::string counted(std::uint32_t count, Vectors::Kind kind) {
  const char* const what = kind == Vectors::Kind::bits ? " bit" : " number";
  return std::to_string(count) + what + (count == 1 ? "" : "s");
}

template <typename T>
std::optional<double> first_negative(std::span<const T> numbers) {
  const auto found = std::find_if(numbers.begin(), numbers.end(), [](T number) { return number < 0; });
  return found == numbers.end() ? std::nullopt : std::optional(static_cast<double>(*found));
}

}  // namespace

VectorShape shape_of(const Batch& batch, std::size_t i) {
  const Vectors::Kind kind = batch.vectors.kind;
  return {kind, kind == Vectors::Kind::sparse ? 0 : batch.vector_lengths[i]};
}

std::string unlike_first(const std::optional<VectorShape>& first, const Batch& batch, std::size_t i) {
  if (!first) return {};
  const auto [kind, dimensions] = shape_of(batch, i);
  if (kind != first->kind) return std::string(name(kind)) + ", the first items are " + std::string(name(first->kind));
  if (dimensions == first->dimensions) return {};
  return counted(dimensions, kind) + ", the first item has " + std::to_string(first->dimensions);
}

void append_vector(Vectors& all, const Batch& batch, std::size_t i) {
  const Vectors& from = batch.vectors;
  if (all.count == 0) {
    const VectorShape shape = shape_of(batch, i);
    all.kind = shape.kind;
    all.dimensions = shape.dimensions;
  }
  switch (from.kind) {
    case Vectors::Kind::dense: append(all.numbers, part(from.numbers, from.ends, i)); break;
    case Vectors::Kind::bits: append(all.words, part(from.words, from.ends, i)); break;
    case Vectors::Kind::sparse:
      append(all.indices, part(from.indices, from.ends, i));
      append(all.values, part(from.values, from.ends, i));
      all.ends.push_back(all.indices.size());
      break;
  }
  ++all.count;
}

std::optional<double> negative_number(const Batch& batch, std::size_t i) {
  const Vectors& vectors = batch.vectors;
  if (vectors.kind == Vectors::Kind::dense) return first_negative(part(vectors.numbers, vectors.ends, i));
  if (vectors.kind == Vectors::Kind::sparse) return first_negative(part(vectors.values, vectors.ends, i));
  return std::nullopt;
}

}  // namespace nearkin

#include "io/source/memory_items.h"

#include <charconv>
#include <cmath>

#include <nearkin/error.h>
#include <nearkin/tools/names.h>
#include <nearkin/vectors.h>

namespace nearkin {
namespace {

Format format_of_kind(Vectors::Kind kind) {
  switch (kind) {
    case Vectors::Kind::dense: return Format::dense;
    case Vectors::Kind::sparse: return Format::sparse;
    case Vectors::Kind::bits: return Format::bits;
  }
  return Format::dense;
}

// The first number that is not finite, said as a fault of the row; empty: there is none.
template <typename Number>
std::string not_finite(std::span<const Number> numbers) {
  for (std::size_t at = 0; at < numbers.size(); ++at) {
    if (!std::isfinite(numbers[at])) return not_a_float(at, static_cast<double>(numbers[at]));
  }
  return {};
}

// Indices ascending, values finite and not zero: what SparseView promises to all who look at it.
std::string sparse_problem(const SparseView& vector) {
  for (std::size_t at = 0; at < vector.indices.size(); ++at) {
    if (at > 0 && vector.indices[at] <= vector.indices[at - 1]) {
      return "index " + std::to_string(vector.indices[at]) + " follows index " + std::to_string(vector.indices[at - 1]) +
             "; sort them, each once";
    }
    if (vector.values[at] == 0) return "index " + std::to_string(vector.indices[at]) + " has the value 0; leave it out";
  }
  return not_finite(vector.values);
}

template <typename T>
void append(std::vector<T>& to, std::span<const T> from) {
  to.insert(to.end(), from.begin(), from.end());
}

void add_vector(const Vectors& vectors, std::size_t row, std::string_view id, const Location& location, RecordSink& sink) {
  std::string problem;
  if (vectors.kind == Vectors::Kind::dense) problem = not_finite(vectors.dense(row));
  if (vectors.kind == Vectors::Kind::sparse) problem = sparse_problem(vectors.sparse(row));
  if (!problem.empty()) return sink.fault(location, problem);
  switch (vectors.kind) {
    case Vectors::Kind::dense: append(sink.vectors().numbers, vectors.dense(row)); break;
    case Vectors::Kind::bits: append(sink.vectors().words, vectors.bits(row)); break;
    case Vectors::Kind::sparse:
      append(sink.vectors().indices, vectors.sparse(row).indices);
      append(sink.vectors().values, vectors.sparse(row).values);
      break;
  }
  sink.vector(id, vectors.dimensions, location);
}

}  // namespace

std::size_t size_of(const MemoryItems& items) { return items.vectors ? items.vectors->size() : items.texts.size(); }

std::uint64_t bytes_of(const MemoryItems& items) {
  std::uint64_t bytes = 0;
  for (std::size_t row = 0; row < size_of(items); ++row) bytes += bytes_of(items, row) + kItemBytes;
  return bytes;
}

std::uint64_t bytes_of(const MemoryItems& items, std::size_t row) {
  if (!items.vectors) return items.texts[row].size();
  const Vectors& vectors = *items.vectors;
  switch (vectors.kind) {
    case Vectors::Kind::dense: return sizeof(float) * vectors.dimensions;
    case Vectors::Kind::bits: return sizeof(std::uint64_t) * vectors.word_count();
    case Vectors::Kind::sparse: break;
  }
  return (sizeof(std::uint64_t) + sizeof(double)) * vectors.sparse(row).indices.size();
}

Format format_of(const MemoryItems& items, const Input& input) {
  const Format own = items.vectors ? format_of_kind(items.vectors->kind) : Format::lines;
  if (!input.format || *input.format == own || (!items.vectors && *input.format == Format::sets)) return input.format.value_or(own);
  throw Error(ErrorCode::plan, "format",
              std::string(name(*input.format)) + " is not a format of items in memory; use " +
                  (items.vectors ? std::string(name(own)) : "lines for texts, sets for sets") + ", or leave it out");
}

void parse_memory(const MemoryItems& items, const Chunk& chunk, bool numbers, bool scopes, RecordSink& sink) {
  if (items.vectors) sink.begin_vectors(items.vectors->kind);
  char digits[24];
  for (std::size_t row = chunk.offset; row < chunk.offset + chunk.rows; ++row) {
    const std::string_view id(digits, std::to_chars(digits, digits + sizeof digits, row).ptr);
    const Location location{chunk.source, static_cast<std::uint32_t>(row), row, bytes_of(items, row) + kItemBytes};
    if (items.vectors) {
      add_vector(*items.vectors, row, id, location, sink);
      continue;
    }
    if (scopes && row < items.scopes.size()) sink.scope(items.scopes[row]);
    if (const auto bad = first_invalid_utf8(items.texts[row])) return sink.invalid_utf8(location, *bad);
    sink.item(id, items.texts[row], location, numbers && row < items.numbers.size() ? items.numbers[row] : kNoNumber);
  }
}

}  // namespace nearkin

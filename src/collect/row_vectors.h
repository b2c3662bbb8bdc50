// The vectors of rows: in memory, or read again from their records: the input is their storage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <nearkin/vectors.h>

#include "collect/rows.h"
#include "match/row_bytes.h"
#include "match/vector_parts.h"

namespace nearkin {

/// Whether each vector is prepared by itself; a run then need not hold all of them. The cuts of median, mean and unary and the frequencies
/// of tfidf need all vectors at once.
bool prepares_one_by_one(const Plan& plan);

/// What vectors of this shape become when they are prepared one by one.
VectorShape prepared_shape(const VectorShape& read, const Plan& plan);

/// Prepares rows.arrays.vectors and fills in what a run remembers of each: empty, contents, band keys, and the entries of sparse ones.
/// `like`: what to prepare them with, instead of values computed from them.
void finish_vectors(Rows& rows, const Plan& plan, unsigned threads, const Preparation* like = nullptr);

/// Bytes that the numbers take in memory.
std::uint64_t bytes_of(const Vectors& vectors);

/// The number of places of a vector as it is compared, or of columns of a table; 0 for other items.
std::uint32_t places_of(const Rows& rows, const Plan& plan);

/// The vectors of the rows in the order given, prepared for comparing. Throws Error(file) where a file has changed since it was read.
Vectors load_vectors(const Rows& rows, const Plan& plan, std::span<const Row> wanted, unsigned threads);

/// Where joins get them from. Rows and plan must outlive it.
VectorRows vector_rows(const Rows& rows, const Plan& plan, unsigned threads);

/// Rows in files: each vector as bytes, which `value_of_bytes` compares. Rows and plan must outlive it.
RowBytes vector_bytes(const Rows& rows, const Plan& plan, unsigned threads);
/// Similarity or distance of two vectors of this shape.
double value_of_bytes(std::span<const std::byte> a, std::span<const std::byte> b, const VectorShape& shape, Measure measure);

}  // namespace nearkin

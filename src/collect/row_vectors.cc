#include "collect/row_vectors.h"

#include <cstring>
#include <memory>
#include <optional>

#include <nearkin/error.h>

#include "base/parallel.h"
#include "collect/segment.h"
#include "collect/sketcher.h"
#include "io/formats/records.h"
#include "match/space.h"

namespace nearkin {
namespace {

template <typename T>
std::size_t copy_from(std::span<const std::byte> bytes, std::size_t at, T* to, std::size_t count) {
  if (count > 0) std::memcpy(to, bytes.data() + at, count * sizeof(T));
  return at + count * sizeof(T);
}

template <typename T>
void append_bytes(std::vector<std::byte>& to, std::span<const T> from) {
  const auto bytes = std::as_bytes(from);
  to.insert(to.end(), bytes.begin(), bytes.end());
}

// Numbers or words one after the other; of sparse vectors all indices, then all values.
void to_bytes(const Vectors& vectors, std::size_t i, std::vector<std::byte>& bytes) {
  bytes.clear();
  switch (vectors.kind) {
    case Vectors::Kind::dense: return append_bytes(bytes, vectors.dense(i));
    case Vectors::Kind::bits: return append_bytes(bytes, vectors.bits(i));
    case Vectors::Kind::sparse: append_bytes(bytes, vectors.sparse(i).indices); append_bytes(bytes, vectors.sparse(i).values);
  }
}

constexpr std::size_t kEntry = sizeof(std::uint64_t) + sizeof(double);

// Puts a vector at its place; room for it is there.
void put(Vectors& all, std::size_t i, std::span<const std::byte> bytes) {
  if (all.kind == Vectors::Kind::dense) {
    copy_from(bytes, 0, all.numbers.data() + i * all.dimensions, all.dimensions);
  } else if (all.kind == Vectors::Kind::bits) {
    copy_from(bytes, 0, all.words.data() + i * all.word_count(), all.word_count());
  } else {
    const std::uint64_t begin = i == 0 ? 0 : all.ends[i - 1];
    const auto entries = static_cast<std::size_t>(all.ends[i] - begin);
    copy_from(bytes, copy_from(bytes, 0, all.indices.data() + begin, entries), all.values.data() + begin, entries);
  }
}

/// The sizes of all rows; `entries` is filled for sparse vectors only.
struct Sizes {
  VectorShape shape;
  std::vector<std::uint32_t> entries;

  std::uint64_t operator()(Row row) const {
    switch (shape.kind) {
      case Vectors::Kind::dense: return sizeof(float) * std::uint64_t{shape.dimensions};
      case Vectors::Kind::bits: return sizeof(std::uint64_t) * ((std::uint64_t{shape.dimensions} + 63) / 64);
      default: return kEntry * std::uint64_t{entries[row]};
    }
  }
};

Sizes sizes_of(const Rows& rows) {
  Sizes sizes{rows.shape, {}};
  if (rows.shape.kind == Vectors::Kind::sparse)
    sizes.entries = whole_column<std::uint32_t>(rows.segments, kSetSizes, std::optional(std::uint32_t{0}));
  return sizes;
}

// Room for the vectors of these rows.
Vectors room_for(const Sizes& sizes, std::span<const Row> wanted) {
  Vectors all{.kind = sizes.shape.kind, .dimensions = sizes.shape.dimensions, .count = wanted.size()};
  if (all.kind == Vectors::Kind::dense) all.numbers.resize(all.count * all.dimensions);
  if (all.kind == Vectors::Kind::bits) all.words.resize(all.count * all.word_count());
  if (all.kind != Vectors::Kind::sparse) return all;
  std::uint64_t end = 0;
  for (const Row row : wanted) all.ends.push_back(end += sizes.entries[row]);
  all.indices.resize(static_cast<std::size_t>(end));
  all.values.resize(static_cast<std::size_t>(end));
  return all;
}

// Reads single rows again. One thread.
class VectorReader {
 public:
  VectorReader(const Rows& rows, const Plan& plan) : rows_(rows), plan_(plan), reader_(rows) {}

  /// Good until the next call.
  std::span<const std::byte> operator()(Row row, std::uint64_t size) {
    const Location location = reader_.location(row);
    const Sources& sources = rows_.sources_of(row);
    batch_.clear();
    sources.parse_again(location, buffer_, batch_);
    Vectors one;
    if (batch_.items.size() == 1) append_vector(one, batch_, 0);
    if (one.size() == 1) to_bytes(prepare(std::move(one), plan_, rows_.preparation), 0, bytes_);
    if (batch_.items.size() != 1 || bytes_.size() != size)
      throw Error(ErrorCode::file, sources.name(location.source), "changed while it was being read; run again");
    return bytes_;
  }

 private:
  const Rows& rows_;
  const Plan& plan_;
  RowReader reader_;
  std::string buffer_;
  Batch batch_;
  std::vector<std::byte> bytes_;
};

void read_vectors_again(const Rows& rows, const Plan& plan, const Sizes& sizes, std::span<const Row> wanted, unsigned threads,
                        const RowBytes::Use& use) {
  constexpr std::size_t kBlock = 64;
  std::vector<std::unique_ptr<VectorReader>> readers(threads);
  parallel_for(wanted.size(), kBlock, threads, [&](std::size_t begin, std::size_t end, unsigned worker) {
    if (!readers[worker]) readers[worker] = std::make_unique<VectorReader>(rows, plan);
    for (std::size_t i = begin; i < end; ++i) use(worker, i, (*readers[worker])(wanted[i], sizes(wanted[i])));
  });
}

Vectors load_again(const Rows& rows, const Plan& plan, const Sizes& sizes, std::span<const Row> wanted, unsigned threads) {
  Vectors all = room_for(sizes, wanted);
  read_vectors_again(rows, plan, sizes, wanted, threads,
                     [&](unsigned, std::size_t i, std::span<const std::byte> bytes) { put(all, i, bytes); });
  return all;
}

Vectors vector_of(std::span<const std::byte> bytes, const VectorShape& shape) {
  Vectors one{.kind = shape.kind, .dimensions = shape.dimensions, .count = 1};
  one.numbers.resize(shape.kind == Vectors::Kind::dense ? shape.dimensions : 0);
  one.words.resize(shape.kind == Vectors::Kind::bits ? one.word_count() : 0);
  if (shape.kind == Vectors::Kind::sparse) {
    one.ends = {bytes.size() / kEntry};
    one.indices.resize(bytes.size() / kEntry);
    one.values.resize(bytes.size() / kEntry);
  }
  put(one, 0, bytes);
  return one;
}

}  // namespace

bool prepares_one_by_one(const Plan& plan) {
  return plan.kind != Kind::tfidf && (plan.binarise == Binarise::none || plan.binarise == Binarise::sign);
}

VectorShape prepared_shape(const VectorShape& read, const Plan& plan) {
  return {plan.binarise == Binarise::none ? read.kind : Vectors::Kind::bits, read.dimensions};
}

void finish_vectors(Rows& rows, const Plan& plan, unsigned threads, const Preparation* like) {
  RowArrays& arrays = rows.arrays;
  rows.preparation = like != nullptr ? *like : preparation_of(arrays.vectors, plan);
  arrays.vectors = prepare(std::move(arrays.vectors), plan, rows.preparation);
  const Vectors& vectors = arrays.vectors;
  if (vectors.size() > 0) rows.shape = {vectors.kind, vectors.dimensions};
  arrays.empty.resize(vectors.size());
  arrays.contents.resize(vectors.size());
  parallel_for(vectors.size(), 1024, threads, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t i = begin; i < end; ++i) {
      arrays.empty[i] = is_empty(vectors, i, plan.measure);
      arrays.contents[i] = content_of(vectors, i);
    }
  });
  for (const std::uint8_t empty : arrays.empty) rows.stats.empty += empty;
  if (vectors.kind == Vectors::Kind::sparse) {
    for (std::size_t i = 0; i < vectors.size(); ++i)
      arrays.set_sizes.push_back(static_cast<std::uint32_t>(vectors.sparse(i).values.size()));
  }
  if (plan.sketch.hashes > 0) arrays.keys = vector_band_keys(vectors, arrays.empty, plan, threads);
}

std::uint64_t bytes_of(const Vectors& vectors) {
  return vectors.numbers.size() * sizeof(float) + vectors.words.size() * sizeof(std::uint64_t) + vectors.indices.size() * kEntry +
         vectors.ends.size() * sizeof(std::uint64_t);
}

std::uint32_t places_of(const Rows& rows, const Plan& plan) { return compares_vectors(plan) ? rows.shape.dimensions : rows.columns; }

Vectors load_vectors(const Rows& rows, const Plan& plan, std::span<const Row> wanted, unsigned threads) {
  if (!rows.in_files()) return gather(rows.arrays.vectors, wanted);
  return load_again(rows, plan, sizes_of(rows), wanted, threads);
}

VectorRows vector_rows(const Rows& rows, const Plan& plan, unsigned threads) {
  if (!rows.in_files()) return rows_in_memory(rows.arrays.vectors);
  const auto sizes = std::make_shared<const Sizes>(sizes_of(rows));
  return {.size = [sizes](Row row) { return (*sizes)(row); },
          .load = [&rows, &plan, sizes, threads](std::span<const Row> wanted) { return load_again(rows, plan, *sizes, wanted, threads); }};
}

RowBytes vector_bytes(const Rows& rows, const Plan& plan, unsigned threads) {
  const auto sizes = std::make_shared<const Sizes>(sizes_of(rows));
  return {
      .size = [sizes](Row row) { return (*sizes)(row); },
      .read = [&rows, &plan, sizes, threads](std::span<const Row> wanted,
                                             const RowBytes::Use& use) { read_vectors_again(rows, plan, *sizes, wanted, threads, use); }};
}

double value_of_bytes(std::span<const std::byte> a, std::span<const std::byte> b, const VectorShape& shape, Measure measure) {
  const Vectors one = vector_of(a, shape), other = vector_of(b, shape);
  return Space(one, other, measure).value(0, 0);
}

}  // namespace nearkin

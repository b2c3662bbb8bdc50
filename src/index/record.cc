#include "index/record.h"

#include <cstring>

#include "base/rice.h"
#include "index/seal.h"

namespace nearkin {
namespace {

enum ContentKind : std::uint8_t { kSet = 0, kDense = 1, kSparse = 2, kBits = 3 };

template <typename Number>
void append_number(std::string& out, Number number) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

template <typename Number>
void append_numbers(std::string& out, std::span<const Number> numbers) {
  out.append(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
}

void append_with_length(std::string& out, std::string_view bytes) {
  std::size_t length = bytes.size();
  for (; length >= 128; length >>= 7) out += static_cast<char>(length | 128);
  out += static_cast<char>(length);
  out.append(bytes);
}

bool take_with_length(std::string_view& rest, std::string_view& bytes) {
  std::uint64_t length = 0;
  for (unsigned shift = 0;; shift += 7) {
    if (rest.empty() || shift > 28) return false;
    const auto group = static_cast<unsigned char>(rest.front());
    rest.remove_prefix(1);
    length |= std::uint64_t{group & 127u} << shift;
    if (group < 128) break;
  }
  if (length > rest.size()) return false;
  bytes = rest.substr(0, static_cast<std::size_t>(length));
  rest.remove_prefix(bytes.size());
  return true;
}

// Where a record begins; its checksum is filled in by `seal`.
std::size_t begin_record(std::string& out, std::string_view id, std::string_view metadata, ContentKind kind) {
  const std::size_t begin = out.size();
  append_number(out, std::uint32_t{0});
  out += static_cast<char>(kind);
  append_with_length(out, id);
  append_with_length(out, metadata);
  return begin;
}

void seal(std::string& out, std::size_t begin) {
  const std::uint32_t checksum = checksum32(std::string_view(out).substr(begin + kSealBytes));
  std::memcpy(out.data() + begin, &checksum, kSealBytes);
}

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }

template <typename Number>
void append_from(std::vector<Number>& to, std::string_view bytes) {
  const std::size_t before = to.size();
  to.resize(before + bytes.size() / sizeof(Number));
  if (!bytes.empty()) std::memcpy(to.data() + before, bytes.data(), bytes.size());
}

struct Counted {
  std::uint32_t count = 0;
  std::string_view bytes;
};
std::optional<Counted> counted_content(const RecordView& record) {
  Counted content;
  if (record.content.size() < sizeof content.count) return std::nullopt;
  std::memcpy(&content.count, record.content.data(), sizeof content.count);
  content.bytes = record.content.substr(sizeof content.count);
  const std::uint64_t n = content.count;
  const std::uint64_t expected = record.kind == kDense ? n * sizeof(float) : record.kind == kSparse ? n * 16 : (n + 63) / 64 * 8;
  if (content.bytes.size() != expected) return std::nullopt;
  return content;
}

Vectors::Kind kind_of(const RecordView& record) {
  return record.kind == kDense ? Vectors::Kind::dense : record.kind == kSparse ? Vectors::Kind::sparse : Vectors::Kind::bits;
}

bool append_vector(const RecordView& record, Vectors& vectors) {
  const std::optional<Counted> content = counted_content(record);
  if (!content || vectors.kind != kind_of(record)) return false;
  if (record.kind != kSparse) {
    if (vectors.count == 0) vectors.dimensions = content->count;
    if (vectors.dimensions != content->count) return false;
  }
  switch (record.kind) {
    case kDense: append_from(vectors.numbers, content->bytes); break;
    case kBits: append_from(vectors.words, content->bytes); break;
    default:
      append_from(vectors.indices, content->bytes.substr(0, std::size_t{content->count} * 8));
      append_from(vectors.values, content->bytes.substr(std::size_t{content->count} * 8));
      vectors.ends.push_back(vectors.indices.size());
  }
  ++vectors.count;
  return true;
}

}  // namespace

void append_set_record(std::string& out, std::string_view id, std::string_view metadata, std::span<const std::uint64_t> features) {
  const std::size_t begin = begin_record(out, id, metadata, kSet);
  append_rice(out, features);
  seal(out, begin);
}

void append_vector_record(std::string& out, std::string_view id, std::string_view metadata, const Vectors& vectors, std::size_t i) {
  const bool dense = vectors.kind == Vectors::Kind::dense, sparse = vectors.kind == Vectors::Kind::sparse;
  const std::size_t begin = begin_record(out, id, metadata, dense ? kDense : sparse ? kSparse : kBits);
  append_number(out, sparse ? static_cast<std::uint32_t>(vectors.sparse(i).indices.size()) : vectors.dimensions);
  if (dense) append_numbers(out, vectors.dense(i));
  if (sparse) append_numbers(out, vectors.sparse(i).indices);
  if (sparse) append_numbers(out, vectors.sparse(i).values);
  if (!dense && !sparse) append_numbers(out, vectors.bits(i));
  seal(out, begin);
}

std::optional<RecordView> read_record(std::string_view bytes, std::uint32_t mark) {
  if (bytes.size() <= kSealBytes) return std::nullopt;
  const std::uint32_t seal = seal_in(bytes);
  bytes.remove_prefix(kSealBytes);
  if ((checksum32(bytes) ^ mark) != seal) return std::nullopt;
  RecordView record;
  record.kind = static_cast<std::uint8_t>(bytes.front());
  bytes.remove_prefix(1);
  if (record.kind > kBits || !take_with_length(bytes, record.id) || !take_with_length(bytes, record.metadata)) return std::nullopt;
  record.content = bytes;
  return record;
}

void clear_for(const RecordView& record, Points& points) {
  if (record.kind != kSet) {
    points = Vectors{.kind = kind_of(record)};
  } else if (auto* sets = std::get_if<Features>(&points)) {
    sets->hashes.clear();
    sets->ends.clear();
  } else {
    points = Features{};
  }
}

bool append_content(const RecordView& record, Points& points) {
  if (auto* vectors = std::get_if<Vectors>(&points)) return record.kind != kSet && append_vector(record, *vectors);
  auto& sets = std::get<Features>(points);
  if (record.kind != kSet) return false;
  const std::optional<std::size_t> used = decode_rice(bytes_of(record.content), sets.hashes);
  if (!used) return false;
  if (*used != record.content.size()) {
    sets.hashes.resize(sets.ends.empty() ? 0 : static_cast<std::size_t>(sets.ends.back()));
    return false;
  }
  sets.ends.push_back(sets.hashes.size());
  return true;
}

std::optional<std::uint64_t> size_of(const RecordView& record) {
  if (record.kind != kSet) {
    const std::optional<Counted> content = counted_content(record);
    return content ? std::optional<std::uint64_t>(content->count) : std::nullopt;
  }
  std::vector<std::uint64_t> features;
  if (decode_rice(bytes_of(record.content), features) != record.content.size()) return std::nullopt;
  return features.size();
}

}  // namespace nearkin

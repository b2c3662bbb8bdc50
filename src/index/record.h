// The record of an item in an index: its id, its metadata, and what it is compared by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <nearkin/query.h>
#include <nearkin/vectors.h>

namespace nearkin {

// FROZEN for each version of the format: checksum of all that follows (4 bytes), kind of the content (1 byte), id and metadata, each with
// its length before it, and the content. Numbers are little-endian, lengths in groups of seven bits, the lowest first.
//   set: append_rice;  dense: dimensions (4), floats;  sparse: entries (4), indices (8 each), values (8 each);  bits: dimensions (4), words
//   (8)

void append_set_record(std::string& out, std::string_view id, std::string_view metadata, std::span<const std::uint64_t> features);
void append_vector_record(std::string& out, std::string_view id, std::string_view metadata, const Vectors& vectors, std::size_t i);

struct RecordView {
  std::string_view id, metadata;
  std::uint8_t kind = 0;
  std::string_view content;
};
/// Absent for bytes that are no whole record.
std::optional<RecordView> read_record(std::string_view bytes);

/// Adds the content behind the items of `points`, which are of its kind (see clear_for). False, with `points` as it was, for content
/// that is damaged, or of another kind or dimensions than the items before.
bool append_content(const RecordView& record, Points& points);

/// Makes `points` an empty collection of the record's kind.
void clear_for(const RecordView& record, Points& points);

/// Shingles, numbers, entries or bits; absent where the content is damaged.
std::optional<std::uint64_t> size_of(const RecordView& record);

}  // namespace nearkin

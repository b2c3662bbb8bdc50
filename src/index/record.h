// Items as an index stores them: the record of an item, and items that are encoded and hashed but not yet written.
#pragma once

#include <nearkin/query.h>
#include <nearkin/vectors.h>

#include "feature/shingler.h"
#include "query/points.h"

namespace nearkin {

// FROZEN for each version of the format: checksum of all that follows, XOR the mark of its row (4 bytes, seal.h), kind of the content (1
// byte), id and metadata, each with its length before it, and the content. Numbers are little-endian, lengths in groups of seven bits, the
// lowest first.
//   set: append_rice;  dense: dimensions (4), floats;  sparse: entries (4), indices (8 each), values (8 each);  bits: dimensions (4), words
//   (8)

void append_set_record(std::string& out, std::string_view id, std::string_view metadata, std::span<const std::uint64_t> features);
void append_vector_record(std::string& out, std::string_view id, std::string_view metadata, const Vectors& vectors, std::size_t i);

struct RecordView {
  std::string_view id, metadata;
  std::uint8_t kind = 0;
  std::string_view content;
};
/// Absent if the bytes are not a whole record. `mark`: what its checksum is XORed with (seal.h); 0 before the record has a row.
std::optional<RecordView> read_record(std::string_view bytes, std::uint32_t mark = 0);

/// Appends the content to the items of `points`, which are of its kind (see clear_for). Returns false, with `points` unchanged, if the
/// content is damaged or differs in kind or dimensions from the items before.
bool append_content(const RecordView& record, Points& points);

/// Makes `points` an empty collection of the record's kind.
void clear_for(const RecordView& record, Points& points);

/// The number of shingles, numbers, entries or bits; absent if the content is damaged.
std::optional<std::uint64_t> size_of(const RecordView& record);

/// Items ready to be written, in flat arrays.
struct Prepared {
  Strings ids;
  Strings records;                  ///< record.h
  Strings texts;                    ///< checksum (4 bytes) and block (compression.h); empty where texts are not kept
  std::vector<std::uint32_t> keys;  ///< plan.band.bands per item
  std::vector<std::uint8_t> empty;  ///< 1 for EMPTY items, which have no places in buckets
  /// If the items are parts of records: the end of each record among them. Otherwise empty.
  std::vector<std::size_t> record_ends;

  std::size_t size() const { return ids.size(); }
  void clear();
  void append(const Prepared& other);
};

/// One per thread. The plan must outlive it.
class Preparer {
 public:
  explicit Preparer(const Plan& plan)
      : plan_(plan), shingler_(plan.shingle), hasher_(plan.sketch), slots_(plan.sketch.hashes), keys_(plan.band.bands) {}

  void add(Prepared& out, std::string_view id, std::string_view text, std::string_view metadata, bool keep_text);
  void add(Prepared& out, std::string_view id, const Vectors& vectors, std::size_t i, std::string_view metadata);

  /// The text as a query: a collection of one item.
  Points points_of(std::string_view text);
  /// The band keys of an item that is not EMPTY; good until the next call.
  const std::vector<std::uint32_t>& keys_of(const Points& points, std::size_t i);

 private:
  void add_keys(Prepared& out, bool empty);

  const Plan& plan_;
  Shingler shingler_;
  PointHasher hasher_;
  std::vector<std::uint32_t> slots_, keys_;
  std::string record_;
};

/// Throws Error(plan) naming what an index cannot keep.
void require_indexable(const Plan& plan);

/// What is wrong with an id ("is empty; …"); absent: it can be put.
std::optional<std::string> fault_of_id(std::string_view id);
/// An id that can be put. Throws Error(data).
void require_id(std::string_view id);
/// Metadata that can be put. Throws Error(data) naming the id.
void require_metadata(std::string_view id, std::string_view metadata);

}  // namespace nearkin

// What is put into an index, made ready: encoded, hashed, and not yet written.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nearkin/query.h>

#include "feature/shingler.h"
#include "query/point_hasher.h"

namespace nearkin {

/// Items ready to be written, in flat arrays.
struct Prepared {
  Strings ids;
  Strings records;                  ///< record.h
  Strings texts;                    ///< compressed; empty where texts are not kept
  std::vector<std::uint32_t> keys;  ///< plan.band.bands an item
  std::vector<std::uint8_t> empty;  ///< 1 for EMPTY items, which have no places in buckets

  std::size_t size() const { return ids.size(); }
  void clear();
  void append(const Prepared& other);
};

/// One a thread. The plan must outlive it.
class Preparer {
 public:
  explicit Preparer(const Plan& plan)
      : plan_(plan), shingler_(plan.shingle), hasher_(plan.sketch), slots_(plan.sketch.hashes), keys_(plan.band.bands) {}

  void add(Prepared& out, std::string_view id, std::string_view text, std::string_view metadata, bool keep_text);
  void add(Prepared& out, std::string_view id, const Vectors& vectors, std::size_t i, std::string_view metadata);

  /// The text as it is asked with: a collection of this one item.
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

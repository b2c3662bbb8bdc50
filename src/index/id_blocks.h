// The table of ids: which row each id has, sorted, in blocks (blocks.h).
//
// FROZEN for each version of the format. An entry: length of the key (2 bytes), key, row (4 bytes).
#pragma once

#include <functional>
#include <vector>

#include <nearkin/items.h>

#include "index/blocks.h"

namespace nearkin {

/// The key of an id in its table: the id itself up to 495 bytes, else so many of it and a hash of it all, which makes 511, the most that
/// LMDB takes.
std::string id_key(std::string_view id);
/// Keys of this size are not the whole id.
inline constexpr std::size_t kHashedKey = 511;

/// Absent: there is no such id, which is certain.
std::optional<Row> find_row(const Transaction& transaction, std::string_view id);

struct IdEntry {
  std::string key;
  Row row = 0;
};
/// Adds entries whose keys are not there, in bytewise order. Throws Error(file) for one that is there.
void put_ids(Transaction& transaction, const std::vector<IdEntry>& added);
/// Throws Error(file) where it is not there.
void erase_id(Transaction& transaction, std::string_view id);
/// Calls use(key, row) for the keys above `after`, in bytewise order, until it returns false.
void for_each_id(const Transaction& transaction, std::string_view after, const std::function<bool(std::string_view, Row)>& use);

/// Makes full blocks of entries that come in bytewise order of their keys.
class IdPacker {
 public:
  using Put = std::function<void(std::string_view lower, std::string_view upper, std::string_view entries)>;
  /// The first of the table begins at kFirstId.
  IdPacker(std::string lower, std::size_t block_bytes, Put put) : lower_(std::move(lower)), most_(block_bytes), put_(std::move(put)) {}
  void add(std::string_view key, Row row);
  /// Empty: nothing follows in the table.
  void finish(std::string_view upper);

 private:
  std::string lower_, last_, entries_;
  std::size_t most_;
  Put put_;
};
/// The least of all ids.
inline constexpr std::string_view kFirstId{"\0", 1};

}  // namespace nearkin

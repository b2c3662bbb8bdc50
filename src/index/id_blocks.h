// The table of ids: which row each id has, sorted, in blocks (blocks.h).
//
// FROZEN for each version of the format. An entry: length of the key (2 bytes), key, row (4 bytes).
#pragma once

#include <functional>
#include <vector>

#include <nearkin/items.h>

#include "index/blocks.h"

namespace nearkin {

/// The key of an id in its table: the id itself if it has up to 495 bytes, otherwise its first 495 bytes and a hash of the whole id, 511
/// bytes in total, the most that LMDB allows.
std::string id_key(std::string_view id);
/// Keys of this size contain a hash instead of the whole id.
inline constexpr std::size_t kHashedKey = 511;

/// Absent if there is no such id.
std::optional<Row> find_row(const Transaction& transaction, std::string_view id);

struct IdEntry {
  std::string key;
  Row row = 0;
};
/// Adds entries with new keys, in bytewise order. Throws Error(file) for a key that exists.
void put_ids(Transaction& transaction, const std::vector<IdEntry>& added);
/// Throws Error(file) if the id does not exist.
void erase_id(Transaction& transaction, std::string_view id);
struct PartEntry {
  std::string id;
  Row row = 0;
};
/// The items that are parts of this record, by their names (name_unit). `id_at` gives the id of a row.
std::vector<PartEntry> parts_of(const Transaction& transaction, std::string_view owner, const std::function<std::string(Row)>& id_at);
/// Calls use(key, row) for the keys above `after`, in bytewise order, until it returns false.
void for_each_id(const Transaction& transaction, std::string_view after, const std::function<bool(std::string_view, Row)>& use);

/// Makes full blocks of entries that come in bytewise order of their keys.
class IdPacker {
 public:
  using Put = std::function<void(std::string_view lower, std::string_view upper, std::string_view entries)>;
  /// `lower`: where the first block begins; kFirstId for the first block of a table.
  IdPacker(std::string lower, std::size_t block_bytes, Put put) : lower_(std::move(lower)), most_(block_bytes), put_(std::move(put)) {}
  void add(std::string_view key, Row row);
  /// `upper`: where the next block begins; empty at the end of the table.
  void finish(std::string_view upper);

 private:
  std::string lower_, last_, entries_;
  std::size_t most_;
  Put put_;
};
/// The least of all ids.
inline constexpr std::string_view kFirstId{"\0", 1};

}  // namespace nearkin

// Sorted entries of a table, in blocks. Each block has a checksum and states its range of keys. So a block that was read also proves which
// keys do not exist, even if pages on the way to it were damaged.
//
// FROZEN for each version of the format. Key: the least key that the block answers for. Value: checksum (4 bytes), length of the upper
// bound (2), the least key that it does not answer for (none in the table's last block), entries. The upper bound of a block is the key of
// the next.
#pragma once

#include "index/seal.h"
#include "index/store.h"

namespace nearkin {

/// Bytes of entries, about: eight blocks fill a page.
inline constexpr std::size_t kBlockBytes = 472;

struct Block {
  std::string_view lower, upper, entries;
};

/// Adds the value of a block.
void append_block_value(std::string& out, Sealed what, std::string_view lower, std::string_view upper, std::string_view entries);

/// The blocks of one table. The transaction must outlive it. Blocks that it returns are valid until something is changed. All functions
/// throw Error(file) naming the index if a block is damaged or missing.
class Blocks {
 public:
  Blocks(const Transaction& transaction, MDB_dbi table, Sealed what)
      : transaction_(transaction), what_(what), cursor_(transaction, table) {}

  /// The block whose range contains the key.
  Block at(std::string_view key);
  /// The first block of the table, which must begin at `lower`.
  Block first(std::string_view lower);
  /// The block after the last one returned. False if that was the last of the table.
  bool next(Block& block);
  void put(std::string_view lower, std::string_view upper, std::string_view entries, unsigned flags = 0);
  [[noreturn]] void fail() const;

 private:
  Block here();

  const Transaction& transaction_;
  Sealed what_;
  Cursor cursor_;
  std::string value_;
};

}  // namespace nearkin

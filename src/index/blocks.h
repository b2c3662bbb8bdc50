// Sorted entries of a table, in blocks. Each block has a checksum and says for which keys it answers, so that a block which was read
// proves also what is not in it, whatever became of the pages on the way there.
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

/// The blocks of one table. The transaction must outlive it. What it gives is good until something is changed; everything throws
/// Error(file) that names the index where a block is damaged, or is not there.
class Blocks {
 public:
  Blocks(const Transaction& transaction, MDB_dbi table, Sealed what)
      : transaction_(transaction), what_(what), cursor_(transaction, table) {}

  /// The one that answers for the key.
  Block at(std::string_view key);
  /// The first of the table, which must begin there.
  Block first(std::string_view lower);
  /// The one behind the last that was given. False: that was the last of the table.
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

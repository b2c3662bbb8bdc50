// The tables of an index once more, in fresh pages that are full: for compaction, copies and older formats.
#pragma once

#include "index/seal.h"
#include "index/store.h"

namespace nearkin {

/// Writes the tables of one view, in order, into an environment without tables. Everything is checked on the way. Throws Error(file): for
/// damage it names the index, for what cannot be written the file. Rows stay what they are.
void rewrite_tables(const Transaction& from, Environment& to);
/// The same for tables of format 1.
void rewrite_format_1(const Transaction& from, Environment& to);

/// Appends to fresh tables, in transactions of some MiB.
class Filler {
 public:
  explicit Filler(Environment& to) : to_(to) {}
  Transaction& transaction();
  void append(MDB_dbi table, std::string_view key, std::string_view value);
  /// Bytes that begin with a checksum, which `mark` is to be XORed with.
  void append_marked(MDB_dbi table, std::uint32_t row, std::string_view bytes, std::uint32_t mark);
  void append_block(MDB_dbi table, Sealed what, std::string_view lower, std::string_view upper, std::string_view entries);
  void finish();

 private:
  Environment& to_;
  std::optional<Transaction> transaction_;
  std::size_t bytes_ = 0;
  std::string value_;
};

}  // namespace nearkin

// Writes the tables of an index again, into full new pages: for compaction, copies and older formats.
#pragma once

#include "index/seal.h"
#include "index/store.h"

namespace nearkin {

/// Writes the tables of one view, in order, into an environment without tables. Checks everything. Throws Error(file) naming the index if
/// it is damaged, or the file if it cannot be written. Row numbers stay the same.
void rewrite_tables(const Transaction& from, Environment& to);
/// The same for tables of format 1.
void rewrite_format_1(const Transaction& from, Environment& to);

/// Appends to fresh tables, in transactions of some MiB.
class Filler {
 public:
  explicit Filler(Environment& to) : to_(to) {}
  Transaction& transaction();
  void append(MDB_dbi table, std::string_view key, std::string_view value);
  /// Appends bytes that begin with a checksum, after XORing the checksum with `mark`.
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

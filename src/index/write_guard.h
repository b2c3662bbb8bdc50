// Looks at the pages that a change will touch, before LMDB does: LMDB goes by what a page says of itself, and would move bytes that are
// not the page's where that is damaged.
#pragma once

#include <unordered_map>
#include <vector>

#include "index/page_format.h"
#include "index/store.h"

namespace nearkin {

/// The pages of the state that a writer began with. What it has changed since, LMDB has made anew from pages that were looked at, so each
/// page is looked at once per transaction. Everything throws Error(file) that names the index where a page is damaged.
class WriteGuard {
 public:
  /// `commit`: the number of the state. Looks at all of the list of free pages and of the list of tables, which every commit changes.
  WriteGuard(const Environment& environment, std::uint64_t commit);

  /// The pages on the way to the key, those of its value, and the next leaf where a search for the first key from this one on ends there.
  void before_read(MDB_dbi table, std::string_view key);
  void before_put(MDB_dbi table, std::string_view key);
  /// Also those beside them: LMDB may move entries from there, or there, where few are left.
  void before_erase(MDB_dbi table, std::string_view key);

 private:
  struct Table {
    Tree tree;
    bool by_row = false;  // keys are numbers
    // Describes the leaf that was looked at last, if it has no long values: keys from `lower` to below `upper` are there (no bound: any),
    // and `last` is the greatest that is.
    bool known = false;
    std::optional<std::string_view> lower, upper;
    std::string_view last;
    bool contains(std::string_view key) const;
  };
  /// The branches on the way to a page, and which of its nodes each is left by.
  struct Step {
    Page page;
    std::size_t node;
  };
  using Way = std::vector<Step>;
  /// Neighbours of one level that were looked at for the sake of an erasure, without a gap: the ways to the first and to the last.
  struct Run {
    Way first, last;
  };

  [[noreturn]] void fail(std::uint64_t page, const char* what) const;
  const char* bytes_of(std::uint64_t page) const;
  Page checked(std::uint64_t number, PageKind kind);
  void check_long(const PageNode& node);
  template <typename Use>
  void visit_all(std::uint64_t number, std::size_t depth, const Use& use);
  void check_free_list(const Tree& tree);
  void find_tables(const Tree& tree);
  void check_value(const Table& table, const Page& leaf, std::string_view key);
  std::optional<Page> descend(Table& table, std::string_view key);
  bool move(Way& way, int by);
  Page end_of(const Way& way, const Table& table);
  std::size_t joined(std::size_t run);
  void check_beside(const Table& table, const Way& way);
  void extend(const Table& table, std::size_t run, Way Run::*end, int by);

  const Environment& environment_;
  const std::size_t page_bytes_;
  std::uint64_t last_page_ = 0;
  std::vector<bool> checked_;
  std::unordered_map<MDB_dbi, Table> tables_;
  Way way_;
  std::vector<Run> runs_;
  std::vector<std::size_t> joined_;  // by run: that which it is part of now
  std::unordered_map<std::uint64_t, std::size_t> run_of_page_;
};

}  // namespace nearkin

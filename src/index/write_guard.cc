#include "index/write_guard.h"

#include <algorithm>

namespace nearkin {
namespace {

constexpr std::uint16_t kNumbers = MDB_INTEGERKEY;

// LMDB's order of keys.
bool less(std::string_view a, std::string_view b, bool by_row) {
  if (!by_row || a.size() != sizeof(std::uint32_t) || b.size() != sizeof(std::uint32_t)) return a < b;
  return number_at<std::uint32_t>(a.data()) < number_at<std::uint32_t>(b.data());
}

// The first of the nodes from `from` on whose key is above `key`.
std::size_t first_above(const Page& page, std::size_t from, std::string_view key, bool by_row) {
  std::size_t to = page.size();
  while (from < to) {
    const std::size_t middle = (from + to) / 2;
    if (less(key, page.node(middle).key(), by_row)) {
      to = middle;
    } else {
      from = middle + 1;
    }
  }
  return from;
}

bool has_long_value(const Page& leaf) {
  for (std::size_t i = 0; i < leaf.size(); ++i) {
    if (leaf.node(i).is_long()) return true;
  }
  return false;
}

}  // namespace

WriteGuard::WriteGuard(const Environment& environment, std::uint64_t commit)
    : environment_(environment), page_bytes_(environment.page_bytes()) {
  const std::uint64_t place = commit & 1;
  const MetaPage state(bytes_of(place));
  MDB_envinfo info{};
  environment.check(mdb_env_info(environment.get(), &info));
  if (state.commit != commit || state.last_page > info.me_last_pgno) fail(place, "is damaged");
  last_page_ = state.last_page;
  checked_.resize(last_page_ + 1);
  if (state.free_list.flags != kNumbers || state.tables.flags != 0) fail(place, "is damaged");
  check_free_list(state.free_list);
  find_tables(state.tables);
}

void WriteGuard::fail(std::uint64_t page, const char* what) const { environment_.fail_damaged_page(page, what); }

const char* WriteGuard::bytes_of(std::uint64_t page) const { return environment_.map() + page * page_bytes_; }

Page WriteGuard::checked(std::uint64_t number, PageKind kind) {
  if (number <= 1 || number > last_page_) fail(number, "is named by a page in use, and is not in the file");
  const Page page(bytes_of(number));
  if (checked_[number] && page.kind() == kind) return page;
  if (page.number() != number) fail(number, "holds another page");
  if (!header_fits(page, kind, page_bytes_)) fail(number, "has a damaged header");
  checked_[number] = true;
  return page;
}

void WriteGuard::check_long(const PageNode& node) {
  const std::uint64_t number = node.long_page();
  if (number <= 1 || number > last_page_) fail(number, "is named by a page in use, and is not in the file");
  const Page page(bytes_of(number));
  if (page.number() != number) fail(number, "holds another page");
  if (!long_header_fits(page, number, node.value_bytes(), page_bytes_, last_page_)) fail(number, "has a damaged header");
}

// Calls use(number of the leaf, node) for each entry.
template <typename Use>
void WriteGuard::visit_all(std::uint64_t number, std::size_t depth, const Use& use) {
  if (number == kNoPage && depth == 0) return;
  if (depth == 0 || depth > kDeepestTree) fail(number, "is not as deep in its table as that says");
  const Page page = checked(number, depth == 1 ? kLeaf : kBranch);
  for (std::size_t i = 0; i < page.size(); ++i) {
    const PageNode node = page.node(i);
    if (depth > 1) {
      visit_all(node.child(), depth - 1, use);
      continue;
    }
    if (node.is_long()) check_long(node);
    use(number, node);
  }
}

void WriteGuard::check_free_list(const Tree& tree) {
  visit_all(tree.root, tree.depth, [&](std::uint64_t leaf, const PageNode& node) {
    const std::string_view pages =
        node.is_long() ? std::string_view(Page(bytes_of(node.long_page())).long_value(), node.value_bytes()) : node.value();
    if ((node.flags() & ~kLongValue) != 0 || node.key().size() != sizeof(std::uint64_t) || !free_pages_fit(pages, last_page_)) {
      fail(leaf, "is of the list of free pages, and is damaged");
    }
  });
}

void WriteGuard::find_tables(const Tree& tree) {
  const IndexTables& names = environment_.tables();
  std::unordered_map<std::string_view, MDB_dbi> by_name = {
      {"meta", names.meta}, {"ids", names.ids}, {"items", names.items}, {"bands", names.bands}, {"texts", names.texts}};
  visit_all(tree.root, tree.depth, [&](std::uint64_t leaf, const PageNode& node) {
    const auto named = by_name.find(node.key());
    if (node.flags() != kTable || node.value_bytes() != Tree::kBytes || named == by_name.end()) fail(leaf, "names damaged tables");
    Table table;
    table.tree = Tree(node.value().data());
    table.by_row = named->second == names.items || named->second == names.texts;
    const std::uint16_t flags = table.by_row ? kNumbers : 0;
    const bool empty = table.tree.root == kNoPage;
    if (table.tree.flags != flags || table.tree.depth > kDeepestTree || empty != (table.tree.depth == 0))
      fail(leaf, "names damaged tables");
    tables_.emplace(named->second, table);
  });
  if (tables_.size() != by_name.size()) fail(tree.root, "names damaged tables");
}

// What is in the place of the key, if it is there: the flags of its entry, and the pages of a long value.
void WriteGuard::check_value(const Table& table, const Page& leaf, std::string_view key) {
  const std::size_t above = first_above(leaf, 0, key, table.by_row);
  if (above == 0) return;
  const PageNode node = leaf.node(above - 1);
  if (node.key() != key) return;
  if ((node.flags() & ~kLongValue) != 0) fail(leaf.number(), "has a damaged entry");
  if (node.is_long()) check_long(node);
}

// The leaf for a key, with the way to it in way_. None: the table is empty.
std::optional<Page> WriteGuard::descend(Table& table, std::string_view key) {
  way_.clear();
  if (table.tree.root == kNoPage) return std::nullopt;
  table.lower = table.upper = std::nullopt;
  std::uint64_t number = table.tree.root;
  for (std::size_t depth = table.tree.depth; depth > 1; --depth) {
    const Page page = checked(number, kBranch);
    const std::size_t i = first_above(page, 1, key, table.by_row) - 1;  // the key of the first node does not count
    if (i > 0) table.lower = page.node(i).key();
    if (i + 1 < page.size()) table.upper = page.node(i + 1).key();
    way_.push_back({page, i});
    number = page.node(i).child();
  }
  const Page leaf = checked(number, kLeaf);
  table.known = !has_long_value(leaf);
  table.last = leaf.node(leaf.size() - 1).key();
  return leaf;
}

bool WriteGuard::Table::contains(std::string_view key) const {
  return known && !(lower && less(key, *lower, by_row)) && (!upper || less(key, *upper, by_row));
}

void WriteGuard::before_read(MDB_dbi id, std::string_view key) {
  Table& table = tables_.at(id);
  if (table.contains(key) && !less(table.last, key, table.by_row)) return;
  const std::optional<Page> leaf = descend(table, key);
  if (!leaf) return;
  check_value(table, *leaf, key);
  if (less(table.last, key, table.by_row) && move(way_, 1)) end_of(way_, table);
}

void WriteGuard::before_put(MDB_dbi id, std::string_view key) {
  Table& table = tables_.at(id);
  if (table.contains(key)) return;
  const std::optional<Page> leaf = descend(table, key);
  if (leaf) check_value(table, *leaf, key);
}

void WriteGuard::before_erase(MDB_dbi id, std::string_view key) {
  Table& table = tables_.at(id);
  const std::optional<Page> leaf = descend(table, key);
  if (!leaf) return;
  check_value(table, *leaf, key);
  for (Way way = way_; !way.empty(); way.pop_back()) check_beside(table, way);
}

// To the next page of the same level, on one side. False: there is none.
bool WriteGuard::move(Way& way, int by) {
  std::size_t turn = way.size();
  while (turn > 0 && (by < 0 ? way[turn - 1].node == 0 : way[turn - 1].node + 1 == way[turn - 1].page.size())) --turn;
  if (turn == 0) return false;
  way[turn - 1].node += static_cast<std::size_t>(by);
  for (; turn < way.size(); ++turn) {
    const Page page = checked(way[turn - 1].page.node(way[turn - 1].node).child(), kBranch);
    way[turn] = {page, by < 0 ? page.size() - 1 : 0};
  }
  return true;
}

// The page that the way leads to. The first leaf below a branch too: LMDB takes the key of a page that it moves from there.
Page WriteGuard::end_of(const Way& way, const Table& table) {
  std::size_t depth = table.tree.depth - way.size();
  const Page page = checked(way.back().page.node(way.back().node).child(), depth == 1 ? kLeaf : kBranch);
  for (Page first = page; depth > 1; --depth) first = checked(first.node(0).child(), depth == 2 ? kLeaf : kBranch);
  return page;
}

std::size_t WriteGuard::joined(std::size_t run) {
  while (joined_[run] != run) run = joined_[run] = joined_[joined_[run]];
  return run;
}

// An erasure may change the pages beside its own, and so the next one those beside these: a run of pages that may have been changed grows
// by one that was not, on each side.
void WriteGuard::check_beside(const Table& table, const Way& way) {
  const auto [known, is_new] = run_of_page_.try_emplace(end_of(way, table).number(), runs_.size());
  if (is_new) {
    joined_.push_back(runs_.size());
    runs_.push_back({way, way});
  }
  const std::size_t run = joined(known->second);
  extend(table, run, &Run::first, -1);
  extend(table, run, &Run::last, 1);
}

void WriteGuard::extend(const Table& table, std::size_t run, Way Run::*end, int by) {
  while (move(runs_[run].*end, by)) {
    const std::uint64_t number = (runs_[run].*end).back().page.node((runs_[run].*end).back().node).child();
    const bool seen = number <= last_page_ && checked_[number];  // maybe changed by a put
    end_of(runs_[run].*end, table);
    const auto [known, is_new] = run_of_page_.try_emplace(number, run);
    const std::size_t other = joined(known->second);
    if (other != run) {
      runs_[run].*end = std::move(runs_[other].*end);
      joined_[other] = run;
    } else if (!seen) {
      return;
    }
  }
}

}  // namespace nearkin

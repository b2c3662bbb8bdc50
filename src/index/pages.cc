#include "index/pages.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <vector>

#include "index/meta.h"

namespace nearkin {
namespace {

// LMDB's format (its lmdb.h promises that of 0.9 to all versions that begin so). A page begins with its own number (8 bytes), 2 bytes
// that are not used, what it is (2 bytes), and where the list of its nodes ends and where the first node is (2 bytes each), or the number
// of pages that a long value takes (4 bytes).
constexpr std::size_t kHeader = 16, kNodeHeader = 8, kDeepest = 32;
enum PageKind : std::uint16_t { kBranch = 1, kLeaf = 2, kLong = 4 };
enum NodeFlag : std::uint16_t { kLongValue = 1, kTable = 2 };
constexpr std::uint64_t kNoPage = ~std::uint64_t{0};

template <typename T>
T number_at(const char* bytes) {
  T value{};
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

/// What a table says of itself.
struct Tree {
  static constexpr std::size_t kBytes = 48;
  explicit Tree(const char* bytes)
      : depth(number_at<std::uint16_t>(bytes + 6)),
        entries(number_at<std::uint64_t>(bytes + 32)),
        root(number_at<std::uint64_t>(bytes + 40)) {
    for (std::size_t i = 0; i < pages.size(); ++i) pages[i] = number_at<std::uint64_t>(bytes + 8 + 8 * i);
  }
  std::uint16_t depth;
  std::array<std::uint64_t, 3> pages{};  // branches, leaves, those of long values
  std::uint64_t entries, root;
};

/// One of the first two pages: where the tables of a state begin.
struct MetaPage {
  explicit MetaPage(const char* page)
      : free_list(page + 40),
        tables(page + 40 + Tree::kBytes),
        last_page(number_at<std::uint64_t>(page + 136)),
        commit(number_at<std::uint64_t>(page + 144)) {}
  Tree free_list, tables;
  std::uint64_t last_page, commit;
};

class Walk {
 public:
  Walk(const char* map, std::size_t page_bytes, std::uint64_t last_page, const std::function<void(const std::string&)>& problem)
      : map_(map), page_bytes_(page_bytes), last_page_(last_page), problem_(problem), used_(last_page + 1) {}

  void free_list(const Tree& tree) {
    walk(tree, [&](std::string_view pages, std::uint16_t) {
      const std::size_t listed = pages.size() / sizeof(std::uint64_t);
      const std::uint64_t count = listed > 0 ? number_at<std::uint64_t>(pages.data()) : 0;
      if (listed == 0 || count >= listed) return problem_("the list of free pages is damaged");
      for (std::size_t i = 1; i <= count; ++i) free_.push_back(number_at<std::uint64_t>(pages.data() + i * sizeof count));
    });
  }

  void tables(const Tree& tree) {
    std::vector<Tree> found;
    walk(tree, [&](std::string_view value, std::uint16_t flags) {
      if (flags != kTable || value.size() != Tree::kBytes) return problem_("the list of tables is damaged");
      found.emplace_back(value.data());
    });
    for (const Tree& table : found) walk(table, [](std::string_view, std::uint16_t) {});
  }

  // A page that is in use and listed as free would be written over.
  void check_free() {
    for (const std::uint64_t page : free_) {
      if (page <= 1 || page > last_page_ || used_[page]) {
        problem_("the list of free pages names page " + std::to_string(page) + ", which is not free");
      } else {
        used_[page] = true;
      }
    }
  }

 private:
  struct Counts {
    std::array<std::uint64_t, 3> pages{};
    std::uint64_t entries = 0;
  };

  template <typename Use>
  void walk(const Tree& tree, const Use& use) {
    Counts counts;
    if (tree.depth > kDeepest) return problem_("a table is " + std::to_string(tree.depth) + " pages deep");
    if (tree.root != kNoPage) {
      visit(tree.root, tree.depth, counts, use);
    } else if (tree.depth != 0) {
      problem_("a table of depth " + std::to_string(tree.depth) + " has no pages");
    }
    if (counts.pages != tree.pages || counts.entries != tree.entries) problem_("a table does not count its pages and entries rightly");
  }

  const char* take(std::uint64_t number) {
    if (number <= 1 || number > last_page_) return damaged(number, "is named by a page in use, and is not in the file");
    if (used_[number]) return damaged(number, "is in use twice");
    used_[number] = true;
    const char* const page = map_ + number * page_bytes_;
    if (number_at<std::uint64_t>(page) != number) return damaged(number, "holds another page");
    return page;
  }

  // Those behind the first of a long value, which have no headers.
  bool take_more(std::uint64_t number, std::uint64_t pages) {
    if (pages > last_page_ - number + 1) return false;
    for (std::uint64_t i = number + 1; i < number + pages; ++i) {
      if (used_[i]) return false;
      used_[i] = true;
    }
    return true;
  }

  const char* damaged(std::uint64_t number, const std::string& what) {
    problem_("page " + std::to_string(number) + " " + what);
    return nullptr;
  }

  template <typename Use>
  void visit(std::uint64_t number, std::uint16_t depth, Counts& counts, const Use& use) {
    const char* const page = take(number);
    if (page == nullptr) return;
    const bool leaf = depth == 1;
    ++counts.pages[leaf ? 1 : 0];
    const std::vector<std::size_t> nodes = nodes_of(page, leaf ? kLeaf : kBranch);
    if (nodes.empty()) {
      damaged(number, "has a damaged header");
      return;
    }
    for (const std::size_t node : nodes) {
      if (leaf) {
        ++counts.entries;
        entry(page + node, counts, use);
      } else {
        visit(child(page + node), static_cast<std::uint16_t>(depth - 1), counts, use);
      }
    }
  }

  // Where its nodes are; none: its header does not fit what follows. The nodes fill the end of the page without a gap.
  std::vector<std::size_t> nodes_of(const char* page, PageKind kind) const {
    const std::size_t end = number_at<std::uint16_t>(page + 12), first = number_at<std::uint16_t>(page + 14);
    if (number_at<std::uint16_t>(page + 10) != kind || end <= kHeader || end % 2 != 0 || end > first || first > page_bytes_) return {};
    std::map<std::size_t, std::size_t> ends;
    std::vector<std::size_t> nodes;
    for (std::size_t place = kHeader; place < end; place += 2) {
      const std::size_t node = number_at<std::uint16_t>(page + place);
      if (node < first || node + kNodeHeader > page_bytes_) return {};
      const std::size_t bytes = kNodeHeader + key_bytes(page + node) + (kind == kLeaf ? inner_bytes(page + node) : 0);
      ends[node] = node + bytes + bytes % 2;
      nodes.push_back(node);
    }
    std::size_t expected = first;
    for (const auto& [begin, behind] : ends) {
      if (begin != expected) return {};
      expected = behind;
    }
    return expected == page_bytes_ && ends.size() == nodes.size() ? nodes : std::vector<std::size_t>{};
  }

  static std::size_t key_bytes(const char* node) { return number_at<std::uint16_t>(node + 6); }
  static std::uint16_t flags_of(const char* node) { return number_at<std::uint16_t>(node + 4); }
  static std::size_t value_bytes(const char* node) { return number_at<std::uint32_t>(node); }
  static std::size_t inner_bytes(const char* node) { return flags_of(node) & kLongValue ? sizeof(std::uint64_t) : value_bytes(node); }
  static std::uint64_t child(const char* node) { return number_at<std::uint32_t>(node) | std::uint64_t{flags_of(node)} << 32; }

  template <typename Use>
  void entry(const char* node, Counts& counts, const Use& use) {
    const char* const value = node + kNodeHeader + key_bytes(node);
    const std::uint16_t flags = flags_of(node);
    if (!(flags & kLongValue)) return use(std::string_view(value, value_bytes(node)), flags);
    const std::uint64_t number = number_at<std::uint64_t>(value), needed = (kHeader + value_bytes(node) + page_bytes_ - 1) / page_bytes_;
    const char* const page = take(number);
    if (page == nullptr) return;
    const std::uint64_t pages = number_at<std::uint32_t>(page + 12);  // a value that became shorter leaves some of them empty
    if (number_at<std::uint16_t>(page + 10) != kLong || pages < needed || !take_more(number, pages)) {
      damaged(number, "has a damaged header");
      return;
    }
    counts.pages[2] += pages;
    use(std::string_view(page + kHeader, value_bytes(node)), flags & ~kLongValue);
  }

  const char* map_;
  std::size_t page_bytes_;
  std::uint64_t last_page_;
  const std::function<void(const std::string&)>& problem_;
  std::vector<bool> used_;
  std::vector<std::uint64_t> free_;
};

}  // namespace

bool check_pages(const Transaction& transaction, const std::function<void(const std::string&)>& problem) {
  MDB_env* const environment = transaction.environment().get();
  MDB_envinfo info{};
  MDB_stat stat{};
  transaction.check(mdb_env_info(environment, &info));
  transaction.check(mdb_env_stat(environment, &stat));
  const std::size_t page_bytes = stat.ms_psize;
  const std::optional<std::string_view> plan = transaction.find(transaction.tables().meta, meta::kPlan);
  if (!plan) fail_damaged(transaction, "the plan is missing");
  const char* const map = map_around(*plan, page_bytes);
  const std::uint64_t commit = mdb_txn_id(transaction.get());
  const MetaPage state(map + (commit & 1) * page_bytes);
  if (state.commit != commit) return false;
  if (state.last_page > info.me_last_pgno) {
    problem("the first pages are damaged");
    return true;
  }
  Walk walk(map, page_bytes, state.last_page, problem);
  walk.free_list(state.free_list);
  walk.tables(state.tables);
  walk.check_free();
  return true;
}

}  // namespace nearkin

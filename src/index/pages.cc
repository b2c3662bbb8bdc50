#include "index/pages.h"

#include <algorithm>
#include <array>
#include <vector>

#include "index/meta.h"
#include "index/page_format.h"

namespace nearkin {
namespace {

class Walk {
 public:
  Walk(const char* map, std::size_t page_bytes, std::uint64_t last_page, const std::function<void(const std::string&)>& problem)
      : map_(map), page_bytes_(page_bytes), last_page_(last_page), problem_(problem), used_(last_page + 1) {}

  void free_list(const Tree& tree) {
    walk(tree, [&](std::string_view pages, std::uint16_t) {
      if (!free_pages_fit(pages, last_page_)) return problem_("the list of free pages is damaged");
      const auto count = number_at<std::uint64_t>(pages.data());
      for (std::size_t i = 1; i <= count; ++i) free_.push_back(number_at<std::uint64_t>(pages.data() + i * sizeof count));
    });
  }

  void tables(const Tree& tree) {
    std::vector<Tree> found;
    walk(tree, [&](std::string_view value, std::uint16_t flags) {
      if (flags != kTable || value.size() != Tree::kBytes) return problem_("the list of tables is damaged");
      found.emplace_back(value.data());
    });
    for (const Tree& table : found) {
      walk(table, [&](std::string_view, std::uint16_t flags) {
        if (flags != 0) problem_("an entry of a table has the wrong kind");
      });
    }
  }

  // A page that is in use and listed as free would be written over.
  void check_free() {
    for (const std::uint64_t page : free_) {
      if (used_[page]) {
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
    if (tree.depth > kDeepestTree) return problem_("a table is " + std::to_string(tree.depth) + " pages deep");
    if (tree.root != kNoPage) {
      visit(tree.root, tree.depth, counts, use);
    } else if (tree.depth != 0) {
      problem_("a table of depth " + std::to_string(tree.depth) + " has no pages");
    }
    if (counts.pages != tree.pages || counts.entries != tree.entries) problem_("a table has a wrong count of its pages or entries");
  }

  const char* take(std::uint64_t number) {
    if (number <= 1 || number > last_page_) return damaged(number, "is named by a page in use, and is not in the file");
    if (used_[number]) return damaged(number, "is in use twice");
    used_[number] = true;
    const char* const page = map_ + number * page_bytes_;
    if (Page(page).number() != number) return damaged(number, "holds another page");
    return page;
  }

  // Those behind the first of a long value, which have no headers.
  bool take_more(std::uint64_t number, std::uint64_t pages) {
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
    const char* const bytes = take(number);
    if (bytes == nullptr) return;
    const Page page(bytes);
    const bool leaf = depth == 1;
    ++counts.pages[leaf ? 1 : 0];
    if (!header_fits(page, leaf ? kLeaf : kBranch, page_bytes_)) {
      damaged(number, "has a damaged header");
      return;
    }
    for (std::size_t i = 0; i < page.size(); ++i) {
      if (leaf) {
        ++counts.entries;
        entry(page.node(i), counts, use);
      } else {
        visit(page.node(i).child(), static_cast<std::uint16_t>(depth - 1), counts, use);
      }
    }
  }

  template <typename Use>
  void entry(const PageNode& node, Counts& counts, const Use& use) {
    if (!node.is_long()) return use(node.value(), node.flags());
    const std::uint64_t number = node.long_page();
    const char* const bytes = take(number);
    if (bytes == nullptr) return;
    const Page page(bytes);
    if (!long_header_fits(page, number, node.value_bytes(), page_bytes_, last_page_) || !take_more(number, page.long_pages())) {
      damaged(number, "has a damaged header");
      return;
    }
    counts.pages[2] += page.long_pages();
    use(std::string_view(page.long_value(), node.value_bytes()), node.flags() & ~kLongValue);
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
  if (map == nullptr) fail_damaged(transaction, "the page of the plan has a wrong number");
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

// LMDB's pages, as its format has them (its lmdb.h promises that of 0.9 to all versions that begin so).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace nearkin {

constexpr std::size_t kDeepestTree = 32;
constexpr std::uint64_t kNoPage = ~std::uint64_t{0};
enum PageKind : std::uint16_t { kBranch = 1, kLeaf = 2, kLong = 4 };
enum NodeFlag : std::uint16_t { kLongValue = 1, kTable = 2 };

template <typename T>
T number_at(const char* bytes) {
  T value{};
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

/// What a table says of itself.
struct Tree {
  static constexpr std::size_t kBytes = 48;
  Tree() = default;
  explicit Tree(const char* bytes)
      : flags(number_at<std::uint16_t>(bytes + 4)),
        depth(number_at<std::uint16_t>(bytes + 6)),
        entries(number_at<std::uint64_t>(bytes + 32)),
        root(number_at<std::uint64_t>(bytes + 40)) {
    for (std::size_t i = 0; i < pages.size(); ++i) pages[i] = number_at<std::uint64_t>(bytes + 8 + 8 * i);
  }
  std::uint16_t flags = 0, depth = 0;
  std::array<std::uint64_t, 3> pages{};  // branches, leaves, those of long values
  std::uint64_t entries = 0, root = kNoPage;
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

/// An entry of a leaf, or what leads from a branch to a page below it.
class PageNode {
 public:
  static constexpr std::size_t kHeader = 8;
  explicit PageNode(const char* bytes) : bytes_(bytes) {}

  std::uint16_t flags() const { return number_at<std::uint16_t>(bytes_ + 4); }
  std::string_view key() const { return {bytes_ + kHeader, number_at<std::uint16_t>(bytes_ + 6)}; }
  std::uint64_t child() const { return number_at<std::uint32_t>(bytes_) | std::uint64_t{flags()} << 32; }
  bool is_long() const { return (flags() & kLongValue) != 0; }
  std::size_t value_bytes() const { return number_at<std::uint32_t>(bytes_); }
  /// The value, if it is in the page itself.
  std::string_view value() const { return {bytes_ + kHeader + key().size(), value_bytes()}; }
  /// The first page of a long value.
  std::uint64_t long_page() const { return number_at<std::uint64_t>(bytes_ + kHeader + key().size()); }
  /// In the page.
  std::size_t bytes(PageKind kind) const {
    const std::size_t behind_key = kind == kBranch ? 0 : is_long() ? sizeof(std::uint64_t) : value_bytes();
    const std::size_t all = kHeader + key().size() + behind_key;
    return all + all % 2;
  }

 private:
  const char* bytes_;
};

/// A page begins with its own number (8 bytes), 2 bytes that are not used, what it is (2 bytes), and where the list of its nodes ends and
/// where the first node is (2 bytes each), or the number of pages that a long value takes (4 bytes).
class Page {
 public:
  static constexpr std::size_t kHeader = 16;
  explicit Page(const char* bytes) : bytes_(bytes) {}

  std::uint64_t number() const { return number_at<std::uint64_t>(bytes_); }
  std::uint16_t kind() const { return number_at<std::uint16_t>(bytes_ + 10); }
  std::size_t list_end() const { return number_at<std::uint16_t>(bytes_ + 12); }
  std::size_t first_node() const { return number_at<std::uint16_t>(bytes_ + 14); }
  /// The number of nodes, and one of them, in the order of their keys; for a branch or leaf whose header fits its nodes.
  std::size_t size() const { return (list_end() - kHeader) / 2; }
  PageNode node(std::size_t i) const { return PageNode(bytes_ + place_of(i)); }
  std::size_t place_of(std::size_t i) const { return number_at<std::uint16_t>(bytes_ + kHeader + 2 * i); }
  /// The number of pages of a long value, which may be more than it needs, and where it begins.
  std::uint64_t long_pages() const { return number_at<std::uint32_t>(bytes_ + 12); }
  const char* long_value() const { return bytes_ + kHeader; }

 private:
  const char* bytes_;
};

/// The header of a branch or leaf fits its nodes, which fill the end of the page without a gap.
bool header_fits(const Page& page, PageKind kind, std::size_t page_bytes);

/// The header of the first page of a long value fits that value and the file.
bool long_header_fits(const Page& page, std::uint64_t number, std::size_t value_bytes, std::size_t page_bytes, std::uint64_t last_page);

/// A value of the list of free pages: their number and then the pages, each in the file, descending.
bool free_pages_fit(std::string_view value, std::uint64_t last_page);

}  // namespace nearkin

// Copies are folded before the search: the one most worth keeping stands for all items of its content.
#include <algorithm>
#include <numeric>

#include "collect/segment.h"
#include "match/keep.h"
#include "search/fold.h"

namespace nearkin {
namespace {

constexpr std::size_t kRowsAtATime = std::size_t{1} << 16;

void order_items(const Rows& rows, const Keep& keep, SearchResult& found) {
  if (keep.rule == Keep::Rule::first) return;
  const bool by_number = keep.rule == Keep::Rule::max || keep.rule == Keep::Rule::min;
  const Column<double> numbers = by_number ? rows.numbers() : Column<double>();
  const Column<std::uint64_t> sizes = rows.text_sizes();
  found.order = keep_order(keep, sizes.values(), numbers.values());
  found.rank.resize(found.order.size());
  for (Row place = 0; place < found.order.size(); ++place) found.rank[found.order[place]] = place;
}

std::uint64_t packed(Row a, Row b) { return std::uint64_t{std::min(a, b)} << 32 | std::max(a, b); }

// Contents of some rows in order of keeping: open addressing finds the first of each content.
class ContentTable {
 public:
  ContentTable(Row split, bool across_too, Folded& out) : split_(split), across_too_(across_too), out_(out) {}

  /// row_at(i) and content_at(i) of the i-th row in order.
  template <typename RowAt, typename ContentAt>
  void fold(std::size_t count, RowAt&& row_at, ContentAt&& content_at) {
    std::size_t size = 1024;
    while (size < 2 * count) size *= 2;
    table_.assign(size, Entry{});
    const std::size_t mask = size - 1;
    for (std::size_t i = 0; i < count; ++i) {
      if (i + kAhead < count) __builtin_prefetch(&table_[content_at(i + kAhead).high & mask], 1);
      const Row row = row_at(i);
      if (out_.found.empty[row] != 0) continue;
      const Hash128 content = content_at(i);
      const auto half = static_cast<std::uint32_t>(content.low);
      std::size_t place = content.high & mask;
      std::optional<Row> other_side;
      for (; table_[place].index != kFree; place = (place + 1) & mask) {
        const auto [index, its_half] = table_[place];
        if (its_half != half || content_at(index) != content) continue;
        if ((row_at(index) < split_) == (row < split_)) break;
        other_side = row_at(index);
      }
      if (table_[place].index == kFree) {
        table_[place] = {static_cast<std::uint32_t>(i), half};
        if (other_side && across_too_) out_.equal_across.push_back(packed(*other_side, row));
      } else {
        out_.found.representative[row] = row_at(table_[place].index);
      }
    }
  }

 private:
  static constexpr std::uint32_t kFree = UINT32_MAX;
  static constexpr std::size_t kAhead = 16;
  // Half of a hash beside the index: the contents of another row are looked at only where they are most likely the same.
  struct Entry {
    std::uint32_t index = kFree;
    std::uint32_t half = 0;
  };
  Row split_;
  bool across_too_;
  Folded& out_;
  std::vector<Entry> table_;
};

// Contents of one part of all hashes, with their rows, in order of keeping.
struct Part {
  std::vector<Hash128> contents;
  std::vector<Row> rows;
  std::vector<std::uint32_t> order;  // of these; empty: as they are
};

Part read_part(const Rows& rows, const SearchResult& found, std::uint64_t part, std::uint64_t parts) {
  Part out;
  for_each_values<Hash128>(rows.segments, kContents, 1, kRowsAtATime, [&](Row first, std::span<const Hash128> contents) {
    for (std::size_t i = 0; i < contents.size(); ++i) {
      if (contents[i].low % parts != part) continue;
      out.contents.push_back(contents[i]);
      out.rows.push_back(first + static_cast<Row>(i));
    }
  });
  if (found.order.empty()) return out;
  out.order.resize(out.rows.size());
  std::iota(out.order.begin(), out.order.end(), 0u);
  std::sort(out.order.begin(), out.order.end(), [&](auto x, auto y) { return found.rank[out.rows[x]] < found.rank[out.rows[y]]; });
  return out;
}

void fold_in_files(const Rows& rows, const Stage& stage, ContentTable& table, const SearchResult& found) {
  constexpr std::uint64_t kBytes = sizeof(Hash128) + sizeof(Row) + 2 * sizeof(std::uint64_t), kGrowth = 2;
  const std::uint64_t parts = 1 + rows.size() * kBytes * kGrowth / share_of(rows, stage, 13);
  for (std::uint64_t number = 0; number < parts; ++number) {
    const Part part = read_part(rows, found, number, parts);
    const auto at = [&](std::size_t i) { return part.order.empty() ? i : part.order[i]; };
    table.fold(
        part.rows.size(), [&](std::size_t i) { return part.rows[at(i)]; }, [&](std::size_t i) { return part.contents[at(i)]; });
  }
}

// Each with the first that it makes a pair with: one of two, as those of the first's own scope have the first of another.
void add_star(std::span<const Row> group, const PairRule& rule, std::vector<std::uint64_t>& pairs) {
  std::vector<Row> hubs;
  for (const Row row : group) {
    if (rule.split != 0 && row < rule.split) continue;
    if (hubs.empty() || rule.scopes[row] != rule.scopes[hubs[0]]) hubs.push_back(row);
    if (hubs.size() == 2) break;
  }
  for (const Row row : group) {
    const auto hub = std::find_if(hubs.begin(), hubs.end(), [&](Row other) { return rule.wants(row, other); });
    if (hub != hubs.end()) pairs.push_back(packed(row, *hub));
  }
}

void add_all(std::span<const Row> group, const PairRule& rule, std::uint64_t most, std::vector<std::uint64_t>& pairs) {
  for (std::size_t j = 1; j < group.size(); ++j) {
    for (std::size_t i = 0; i < j && pairs.size() < most; ++i) {
      if (rule.wants(group[i], group[j])) pairs.push_back(packed(group[i], group[j]));
    }
  }
}

}  // namespace

std::vector<std::uint64_t> equal_across_scopes(const Rows& rows, const SearchResult& found, bool every_pair, std::uint64_t most) {
  std::vector<std::pair<Hash128, Row>> places;
  RowReader reader(rows);
  for (Row place = 0; place < rows.size(); ++place) {
    const Row row = found.at_place(place);
    if (found.empty[row] == 0) places.emplace_back(reader.content(row), place);
  }
  std::sort(places.begin(), places.end());
  const PairRule rule = found.rule(rows);
  std::vector<std::uint64_t> pairs;
  std::vector<Row> group;
  for (std::size_t begin = 0, end = 0; begin < places.size(); begin = end) {
    group.clear();
    for (; end < places.size() && places[end].first == places[begin].first; ++end) group.push_back(found.at_place(places[end].second));
    every_pair ? add_all(group, rule, most, pairs) : add_star(group, rule, pairs);
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

Folded fold(const Rows& rows, const Stage& stage, const Keep& keep) {
  Folded out;
  SearchResult& found = out.found;
  found.empty = rows.empty();
  found.scopes = rows.scopes_to_cross();
  order_items(rows, keep, found);
  found.representative.resize(rows.size());
  std::iota(found.representative.begin(), found.representative.end(), Row{0});
  // Across scopes, copies are pairs like others. Within one they are folded.
  if (rows.scope_rule() == Scope::Rule::across) return out;
  ContentTable table(rows.split, stage.plan.measure == Measure::exact && rows.split != 0, out);
  if (rows.in_files()) {
    fold_in_files(rows, stage, table, found);
  } else {
    const auto row_at = [&](std::size_t i) { return found.at_place(static_cast<Row>(i)); };
    table.fold(rows.size(), row_at, [&](std::size_t i) { return rows.arrays.contents[row_at(i)]; });
  }
  std::sort(out.equal_across.begin(), out.equal_across.end());
  return out;
}

SearchResult fold_copies(const Rows& rows, const Stage& stage, const Keep& keep) { return fold(rows, stage, keep).found; }

}  // namespace nearkin

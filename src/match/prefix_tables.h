// Prefix tables: find the nearest items by prefixes of codes, which are shortened until enough items were seen (Aumüller, Christiani, Pagh
// and Vesterli, "PUFFINN", ESA 2019).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nearkin/items.h>
#include <nearkin/tools/theory.h>

namespace nearkin {

/// A code is `depth` digits of `digit_bits` bits each, the first digit in the highest of its depth·digit_bits bits.
struct PrefixShape {
  std::uint32_t tables = 0;
  std::uint32_t depth = 0;
  std::uint32_t digit_bits = 1;  ///< depth · digit_bits ≤ 64
};

/// For each table, the items in order of (code, row): items that share a prefix are adjacent. 12 bytes per item and table.
class PrefixTables {
 public:
  /// `members`: the rows that take part, ascending. `codes` of table t and members[i] at t · members.size() + i.
  PrefixTables(const PrefixShape& shape, std::vector<std::uint64_t> codes, std::span<const Row> members, unsigned threads);

  const PrefixShape& shape() const { return shape_; }
  std::size_t items() const { return items_; }
  std::span<const std::uint64_t> codes(std::uint32_t table) const { return {codes_.data() + table * items_, items_}; }
  std::span<const Row> rows(std::uint32_t table) const { return {rows_.data() + table * items_, items_}; }

 private:
  PrefixShape shape_;
  std::size_t items_;
  std::vector<std::uint64_t> codes_;
  std::vector<Row> rows_;
};

/// The state of one query: for each table, the range of items that share a prefix with it. The range grows as the prefix is shortened.
class PrefixWalk {
 public:
  /// `codes`: the query's, one per table. The caller owns both and must keep them.
  void start(const PrefixTables& tables, std::span<const std::uint64_t> codes);

  /// Extends the range in this table to the items that share the first `depth` digits with the query. Returns the items that were added
  /// before and behind it. Depths must not grow from call to call.
  struct Added {
    std::span<const Row> before, behind;
  };
  Added extend(std::uint32_t table, std::uint32_t depth);

 private:
  struct Stretch {
    std::uint32_t begin, end;
    bool placed;  ///< begin and end are known
  };
  const PrefixTables* tables_ = nullptr;
  std::span<const std::uint64_t> codes_;
  std::vector<Stretch> stretches_;
};

/// When a search may stop. After depth j in the first i of L tables and depth j + 1 in the others, an item with which each hash agrees with
/// probability p has been missed with probability (1 − p^j)^i · (1 − p^(j+1))^(L−i). At full depth, the other tables have not been searched
/// yet.
class StopLevels {
 public:
  StopLevels(const PrefixShape& shape, double failure);
  /// The least p for which that is at most `failure`, with i = `done` of 1..L.
  double least_agreement(std::uint32_t depth, std::uint32_t done) const { return levels_[depth * tables_ + done - 1]; }

 private:
  std::uint32_t tables_;
  std::vector<double> levels_;
};

}  // namespace nearkin

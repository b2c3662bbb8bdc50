// HeldSets: sets of a part of the rows, in memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "match/row_bytes.h"

namespace nearkin {

/// Sets of some rows by their place among them: copies, or for rows that are in memory the rows themselves.
class HeldSets {
 public:
  HeldSets() = default;
  /// Of `rows`, in any order.
  HeldSets(const RowBytes& sets, std::span<const Row> rows);

  std::size_t size() const { return spans_.size(); }
  std::span<const std::uint64_t> operator[](std::size_t place) const { return spans_[place]; }

 private:
  std::vector<std::span<const std::uint64_t>> spans_;
  std::vector<std::uint64_t> elements_;
};

/// Bytes that HeldSets takes for a row.
inline std::uint64_t held_bytes(const RowBytes& sets, Row row) {
  return sizeof(std::span<const std::uint64_t>) + (sets.at ? 0 : sets.size(row) + 2 * sizeof(std::uint32_t));
}

}  // namespace nearkin

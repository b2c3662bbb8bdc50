// The items that each representative stands for.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <nearkin/items.h>

namespace nearkin {

/// The rows of each representative, ascending; empty for a row that is not a representative.
class CopyGroups {
 public:
  explicit CopyGroups(std::span<const Row> representative) : starts_(representative.size() + 1), rows_(representative.size()) {
    for (const Row row : representative) ++starts_[row + 1];
    for (std::size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
    for (Row row = static_cast<Row>(representative.size()); row-- > 0;) rows_[--starts_[representative[row] + 1]] = row;
    // Every start has moved to where its own rows begin, one place late.
    for (std::size_t i = 0; i + 1 < starts_.size(); ++i) starts_[i] = starts_[i + 1];
    starts_.back() = static_cast<Row>(rows_.size());
  }
  std::span<const Row> operator[](Row row) const { return {rows_.data() + starts_[row], rows_.data() + starts_[row + 1]}; }

 private:
  std::vector<Row> starts_, rows_;
};

}  // namespace nearkin

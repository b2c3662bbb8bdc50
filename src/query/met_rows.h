// Rows that were met, each once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <nearkin/items.h>

#include "base/hash.h"

namespace nearkin {

/// Takes memory for what it holds, however large the collection is, and forgets it in the same time.
class MetRows {
 public:
  /// False: it was met before.
  bool insert(Row row) {
    if (2 * taken_.size() >= slots_.size()) grow();
    const std::size_t place = place_of(row);
    if (slots_[place] != 0) return false;
    slots_[place] = std::uint64_t{row} + 1;
    taken_.push_back(place);
    return true;
  }
  bool contains(Row row) const { return !taken_.empty() && slots_[place_of(row)] != 0; }
  void clear() {
    for (const std::size_t place : taken_) slots_[place] = 0;
    taken_.clear();
  }

 private:
  /// Where it is, or would be.
  std::size_t place_of(Row row) const {
    const std::uint64_t wanted = std::uint64_t{row} + 1;
    std::size_t place = mix64(wanted) & (slots_.size() - 1);
    while (slots_[place] != 0 && slots_[place] != wanted) place = (place + 1) & (slots_.size() - 1);
    return place;
  }
  void grow() {
    std::vector<std::uint64_t> before(std::max<std::size_t>(64, 2 * slots_.size()));
    before.swap(slots_);
    taken_.clear();
    for (const std::uint64_t held : before) {
      if (held != 0) insert(static_cast<Row>(held - 1));
    }
  }

  std::vector<std::uint64_t> slots_;  // 0: free; else row + 1
  std::vector<std::size_t> taken_;    // places
};

}  // namespace nearkin

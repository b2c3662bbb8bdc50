// The shingle sets of the candidates of a run in files: written once, row after row, each read when it is needed.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/row_set.h"
#include "search/local_join.h"
#include "search/spill_search.h"

namespace nearkin {

class SpilledSets {
 public:
  /// Reads the rows of the set again from the input and writes their shingles. Unit: a stretch of rows.
  void write(SpillSearch& search, RowSet rows);

  /// The sets as 64-bit hashes, ascending. Good while this and the search are.
  RowBytes bytes(const SpillSearch& search) const;

 private:
  struct Unit {
    std::uint32_t first;  ///< of the members of rows_
    std::shared_ptr<const RunFile> file;
  };
  void add_unit(SpillSearch& search, std::span<const Row> rows, std::span<const Location> locations);
  void read(const SpillSearch& search, std::span<const Row> rows, const RowBytes::Use& use) const;

  RowSet rows_{0};
  std::vector<std::uint32_t> sizes_;  ///< of each member
  std::vector<Unit> units_;
};

}  // namespace nearkin

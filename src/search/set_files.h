// The shingle sets of the candidates of a run in files: written once, row after row, each read when it is needed.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/row_set.h"
#include "collect/stage.h"
#include "search/local_join.h"

namespace nearkin {

class SetFiles {
 public:
  /// Reads the rows of the set again from the input and writes their shingles. Unit: a stretch of rows.
  void write(const Rows& rows, const Stage& stage, RowSet wanted);

  /// The sets as 64-bit hashes, ascending. Good while this is.
  RowBytes bytes(unsigned threads) const;

 private:
  struct Unit {
    std::uint32_t first;  ///< of the members of rows_
    std::shared_ptr<const RunFile> file;
  };
  void add_unit(const Rows& rows, const Stage& stage, std::span<const Row> wanted);
  void read(std::span<const Row> rows, unsigned threads, const RowBytes::Use& use) const;

  RowSet rows_{0};
  std::vector<std::uint32_t> sizes_;  ///< of each member
  std::vector<Unit> units_;
};

}  // namespace nearkin

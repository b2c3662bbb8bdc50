// Sorts matches that come in any order into a stream.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collect/rows.h"
#include "search/match_stream.h"

namespace nearkin {

/// Collects matches and sorts them by rows or by a given order. What exceeds its memory goes to files of the run. One thread at a time.
class MatchSorter {
 public:
  /// `kind`: the name of its files; two sorters in use at the same time need different names.
  MatchSorter(Rows& rows, std::uint64_t memory, bool with_values, const char* kind = "joined", MatchOrder before = {});
  void add(std::span<const Match> matches);
  /// Call after the last match.
  MatchStream finish();

 private:
  void sort();
  void flush();

  Rows& rows_;
  std::size_t most_;
  bool with_values_;
  const char* kind_;
  MatchOrder before_;
  Matches held_;
  MatchStream::Files runs_;
};

}  // namespace nearkin

// Matches that come in any order, made a stream.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collect/rows.h"
#include "search/match_stream.h"

namespace nearkin {

/// Gathers matches, sorts them, and writes what is more than it may hold to files of the run. One thread at a time.
class MatchSorter {
 public:
  MatchSorter(Rows& rows, std::uint64_t memory, bool with_values);
  void add(std::span<const Match> matches);
  /// After the last of them.
  MatchStream finish();

 private:
  void flush();

  Rows& rows_;
  std::size_t most_;
  bool with_values_;
  Matches held_;
  MatchStream::Files runs_;
};

}  // namespace nearkin

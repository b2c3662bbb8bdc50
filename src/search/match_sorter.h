// Matches that come in any order, made a stream.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collect/rows.h"
#include "search/match_stream.h"

namespace nearkin {

/// Gathers matches, sorts them by their rows or as it is told, and writes what is more than it may hold to files of the run. One thread at
/// a time.
class MatchSorter {
 public:
  /// `kind`: what its files are called; no two that are in use may have one name.
  MatchSorter(Rows& rows, std::uint64_t memory, bool with_values, const char* kind = "joined", MatchOrder before = {});
  void add(std::span<const Match> matches);
  /// After the last of them.
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

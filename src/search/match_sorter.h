// Matches that come in any order, made a stream.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collect/scratch.h"
#include "search/match_stream.h"

namespace nearkin {

/// More matches came than may be held in memory, and there is no folder to put them in.
struct TooManyMatches {};

/// Gathers matches, sorts them, and writes what is more than it may hold to files of the run. One thread at a time.
class MatchSorter {
 public:
  /// `scratch` null: TooManyMatches is thrown where they do not fit into `memory` bytes.
  MatchSorter(Scratch* scratch, std::uint64_t memory, bool with_values);
  void add(std::span<const Match> matches);
  /// After the last of them.
  MatchStream finish();

 private:
  void flush();

  Scratch* scratch_;
  std::size_t most_;
  bool with_values_;
  Matches held_;
  MatchStream::Files runs_;
};

}  // namespace nearkin

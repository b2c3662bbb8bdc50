// What all joins of whole collections have in common: how much they may take, and where their matches go.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <vector>

#include <nearkin/stages.h>

#include "base/advance.h"
#include "match/verify.h"

namespace nearkin {

struct JoinLimits {
  std::uint64_t memory = UINT64_MAX;  ///< bytes that a join may hold; one row and what it needs is always held
  unsigned threads = 1;               ///< at least as many as read the rows; 0: one per core
  Advance* advance = nullptr;         ///< is told how much of the join is done
};

/// Gets the matches block by block as they are found, in no order, each once; one thread at a time.
using MatchSink = std::function<void(std::span<const Match> matches)>;

/// True for a pair that can be skipped; called by many threads at once. Empty: no pair is skipped.
using SkipPair = std::function<bool(Row a, Row b)>;

struct JoinNotes {
  std::uint64_t looked_at = 0;  ///< pairs verified
  double closest_below = 0;     ///< the best value of the fully compared pairs outside the border (0: none)
  std::uint64_t passed = 0;     ///< sets: entries of the index that were visited
};

struct JoinResult : VerifyResult {  ///< matches ascending
  std::uint64_t looked_at = 0;      ///< pairs verified
  std::uint64_t passed = 0;         ///< as in JoinNotes
};

/// Buffers the matches of each worker and passes them to the sink before they grow large.
class MatchOutlet {
 public:
  MatchOutlet(const MatchSink& sink, unsigned workers, Advance* advance = nullptr) : sink_(sink), found_(workers), advance_(advance) {}
  JoinResult& of(unsigned worker) { return found_[worker]; }

  /// How much there is to do, and how much more of it is done, in a unit of the join's own.
  void expect(std::uint64_t total) const { nearkin::expect(advance_, total); }
  void advance(unsigned worker, std::uint64_t amount) const { add(advance_, worker, amount); }

  /// Call from the worker from time to time.
  void drain(unsigned worker) {
    constexpr std::size_t kMost = 4096;
    if (found_[worker].matches.size() >= kMost) hand_on(found_[worker]);
  }
  /// The same, if the sink must get each match at once.
  void drain_all(unsigned worker) {
    if (!found_[worker].matches.empty()) hand_on(found_[worker]);
  }
  /// Call once, from one thread, at the end. closer(value, so far) returns the nearer of two values outside the border.
  template <typename Closer>
  JoinNotes finish(Closer&& closer) {
    JoinNotes notes;
    for (JoinResult& found : found_) {
      if (!found.matches.empty()) hand_on(found);
      notes.looked_at += found.looked_at;
      notes.passed += found.passed;
      if (found.closest_below != 0) notes.closest_below = closer(found.closest_below, notes.closest_below);
    }
    return notes;
  }
  /// The same for similarities.
  JoinNotes finish() {
    return finish([](double x, double y) { return std::max(x, y); });
  }

 private:
  void hand_on(JoinResult& found) {
    const std::lock_guard lock(mutex_);
    sink_(found.matches);
    found.matches.clear();
  }

  const MatchSink& sink_;
  std::mutex mutex_;
  std::vector<JoinResult> found_;
  Advance* advance_;
};

/// The matches of all blocks as one list, ascending; the blocks are emptied.
Matches in_order(std::vector<Matches>& blocks, unsigned threads);

/// All matches of join(emit), which returns JoinNotes, as a list.
template <typename Join>
JoinResult collect_matches(unsigned threads, Join&& join) {
  std::vector<Matches> blocks;
  const MatchSink take = [&](std::span<const Match> matches) { blocks.emplace_back(matches.begin(), matches.end()); };
  const JoinNotes notes = join(take);
  JoinResult result;
  result.matches = in_order(blocks, threads);
  result.looked_at = notes.looked_at;
  result.closest_below = notes.closest_below;
  return result;
}

}  // namespace nearkin

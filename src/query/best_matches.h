// The so many best matches of those offered.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include <nearkin/stages.h>

#include "io/formats/result_rows.h"

namespace nearkin {

/// A function of the set of matches offered alone: the nearest come first, ties by row (b).
class BestMatches {
 public:
  /// `most`: how many are kept; 0: all.
  void start(std::uint32_t most, Measure measure) {
    most_ = most;
    measure_ = measure;
    matches_.clear();
  }

  bool full() const { return most_ != 0 && matches_.size() == most_; }
  /// When full: how near the last of those kept is.
  double bar() const { return measured(matches_.front(), measure_); }

  void offer(const Match& match) {
    const auto before = [this](const Match& x, const Match& y) { return comes_before(x, y); };
    if (most_ == 0) {
      matches_.push_back(match);
      return;
    }
    if (full()) {
      if (!comes_before(match, matches_.front())) return;
      std::pop_heap(matches_.begin(), matches_.end(), before);
      matches_.pop_back();
    }
    matches_.push_back(match);
    std::push_heap(matches_.begin(), matches_.end(), before);
  }

  Matches take() {
    std::sort(matches_.begin(), matches_.end(), [this](const Match& x, const Match& y) { return comes_before(x, y); });
    return std::exchange(matches_, {});
  }

 private:
  bool comes_before(const Match& x, const Match& y) const {
    if (nearer(x, y, measure_)) return true;
    return !nearer(y, x, measure_) && x.b < y.b;
  }

  std::uint32_t most_ = 0;
  Measure measure_ = Measure::jaccard;
  Matches matches_;  // a heap with the last on top, where there is a limit
};

}  // namespace nearkin

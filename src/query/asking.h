// Asking: runs one query, independent of who holds the items.
#pragma once

#include <algorithm>

#include <nearkin/items.h>
#include <nearkin/query.h>
#include <nearkin/stages.h>

#include "base/hash.h"
#include "io/formats/result_rows.h"
#include "query/meter.h"

namespace nearkin {

/// Keeps the best matches. The result depends only on the set of matches offered: the nearest first, ties by row (b).
class BestMatches {
 public:
  /// `most`: how many are kept; 0: all.
  void start(std::uint32_t most, Measure measure) {
    most_ = most;
    measure_ = measure;
    matches_.clear();
  }

  void forget() { matches_.clear(); }
  std::uint32_t most() const { return most_; }
  bool full() const { return most_ != 0 && matches_.size() == most_; }
  /// When full: the value of the last match kept.
  double bar() const { return measured(matches_.front(), measure_); }
  const Match& last() const { return matches_.front(); }
  const Matches& kept() const { return matches_; }  ///< in no order
  /// Whether the match would be kept.
  bool takes(const Match& match) const { return !full() || comes_before(match, matches_.front()); }

  void offer(const Match& match) {
    const auto before = [this](const Match& x, const Match& y) { return comes_before(x, y); };
    if (most_ == 0) {
      matches_.push_back(match);
      return;
    }
    if (!takes(match)) return;
    if (full()) {
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

/// A set of rows. Memory, and the time to clear it, depend on what it holds, not on the size of the collection.
class MetRows {
 public:
  /// False if the row was inserted before.
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
  /// The place where the row is, or would be.
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

class Asking;

/// Who holds the items: tables in memory, or an index. One per thread.
class ItemSource {
 public:
  virtual ~ItemSource() = default;
  /// Passes the rows of a bucket to `asking`, ascending. False if it has looked at as many as are allowed.
  virtual bool meet_bucket(Asking& asking, std::uint32_t band, std::uint32_t key) = 0;
  /// The same for all rows, ascending.
  virtual bool meet_all(Asking& asking) = 0;
  /// Removes rows that are outside the border of the plan, or farther than all of a full `best`, if that is cheaper than comparing them.
  virtual void sift(std::vector<Row>& rows, const Plan& asked, const BestMatches& best);
  /// The items of the first of these rows, at least of one. Valid until the next call.
  virtual HeldItems hold(std::span<const Row> rows) = 0;
  /// Whether the item of the i-th of these rows may be an answer, whatever its distance.
  virtual bool may_answer(std::size_t i);
};

/// Takes rows, compares each once, and keeps the best. One per thread, for one query after the other.
class Asking {
 public:
  /// The plan must outlive it.
  explicit Asking(const Plan& plan) : plan_(plan), asked_(&plan) {}

  /// Query, source and `ask` must live until `finish`. False: the query is EMPTY, and has no neighbours. Throws Error(plan) for an `ask`
  /// that the plan cannot keep.
  bool start(const Points& queries, Row row, const Ask& ask, ItemSource& source);
  /// Takes rows that may have been met before. False if as many were looked at as are allowed.
  bool meet(std::span<const Row> rows);
  /// Takes rows that are all different; compares them before it returns if there are many.
  bool meet_each_once(std::span<const Row> rows);
  /// The buckets of these keys, one for each band; or all rows.
  bool look_in_buckets(std::span<const std::uint32_t> keys);
  bool look_at_all() { return source_->meet_all(*this); }
  /// Sets: what a row must share to be an answer if it comes behind all that were met. To be asked before the functions below.
  SharedBound shared_bound();
  /// Sets: whether a row may be an answer if it shares so many features at most.
  bool may_answer(Row row, std::uint64_t most_shared) const { return best_.takes(meter_.with_shared(row, most_shared)); }
  /// Sets: compares such a row, which was not met before. `trust`: it is taken to share `most_shared`, and only `confirmed` compares it.
  /// False if as many were looked at as are allowed.
  bool compare(Row row, std::uint64_t most_shared, bool trust);
  /// Compares what was taken on trust. False: one of them shares less, and all was forgotten; ask again without trust.
  bool confirmed();
  /// Compares the rows that were met but not compared yet.
  void look();
  const BestMatches& best() const { return best_; }
  /// The plan, with the border of the question.
  const Plan& asked() const { return *asked_; }
  /// For plans that compare sketches: that of the query.
  void compare_by(std::span<const std::uint32_t> slots) { slots_ = slots; }
  Answer finish();

 private:
  bool take(Row row);
  /// Whether the caller wants the search to end; asks the caller once every few hundred calls.
  bool ended();
  void aim(const HeldItems& held);
  void measure(const HeldItems& held, std::span<const Row> rows);
  void measure_nearest(std::span<const Row> rows);  ///< vectors that are held by row
  std::optional<Match> match_with(const HeldItems& held, Row item, std::uint64_t most_shared = Meter::kAnyNumber) const;

  const Plan& plan_;
  Plan bordered_;      // with the border of the question, where it has one
  const Plan* asked_;  // either of them
  const Ask* ask_ = nullptr;
  const Points* queries_ = nullptr;
  Row row_ = 0;
  ItemSource* source_ = nullptr;
  Meter meter_;
  bool aimed_ = false;  // the meter is aimed at items that are held by row
  MetRows met_;
  std::vector<Row> batch_;  // met, and not yet measured
  std::span<const std::uint32_t> slots_;
  std::vector<double> values_;
  BestMatches best_;
  Answer answer_;
  std::uint32_t steps_ = 0;
};

}  // namespace nearkin

// Asking: one query at work, the same whoever holds the items.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <nearkin/query.h>

#include "query/best_matches.h"
#include "query/met_rows.h"
#include "query/meter.h"

namespace nearkin {

class Asking;

/// Who holds the items: tables in memory, or an index. One a thread.
class ItemSource {
 public:
  virtual ~ItemSource() = default;
  /// Has `asking` meet the rows of a bucket, ascending. False: it has met as many as are allowed.
  virtual bool meet_bucket(Asking& asking, std::uint32_t band, std::uint32_t key) = 0;
  /// The same for all rows, ascending.
  virtual bool meet_all(Asking& asking) = 0;
  /// Takes out rows that are outside the border of the plan, or less near than all of a full `best`, where that costs less than measuring.
  virtual void sift(std::vector<Row>& rows, const Plan& asked, const BestMatches& best);
  /// The items of the first of these rows, of one at least. Good until the next call.
  virtual HeldItems hold(std::span<const Row> rows) = 0;
  /// Whether the item that is held for the i-th of these rows may be an answer, however near it is.
  virtual bool may_answer(std::size_t i);
};

/// Meets rows, measures each once, and keeps the best. One a thread, for one query after the other.
class Asking {
 public:
  /// The plan must outlive it.
  explicit Asking(const Plan& plan) : plan_(plan), asked_(&plan) {}

  /// Query, source and `ask` must live until `finish`. False: the query is EMPTY, and has no neighbours. Throws Error(plan) for an `ask`
  /// that the plan cannot keep.
  bool start(const Points& queries, Row row, const Ask& ask, ItemSource& source);
  /// Rows that may have been met before. False: as many were looked at as are allowed.
  bool meet(std::span<const Row> rows);
  /// Rows that differ from one another; they are measured before it returns where they are many.
  bool meet_each_once(std::span<const Row> rows);
  /// The buckets of these keys, one for each band; or all rows.
  bool look_in_buckets(std::span<const std::uint32_t> keys);
  bool look_at_all() { return source_->meet_all(*this); }
  /// Measures what was met and not measured yet.
  void look();
  const BestMatches& best() const { return best_; }
  /// For plans that compare sketches: that of the query.
  void compare_by(std::span<const std::uint32_t> slots) { slots_ = slots; }
  Answer finish();

 private:
  bool take(Row row);
  void measure(const HeldItems& held, std::span<const Row> rows);
  std::optional<Match> match_with(const HeldItems& held, Row item) const;

  const Plan& plan_;
  Plan bordered_;      // with the border of the question, where it has one
  const Plan* asked_;  // either of them
  const Ask* ask_ = nullptr;
  const Points* queries_ = nullptr;
  Row row_ = 0;
  ItemSource* source_ = nullptr;
  Meter meter_;
  bool aimed_ = false;  // at items that are held by row
  MetRows met_;
  std::vector<Row> batch_;  // met, and not yet measured
  std::span<const std::uint32_t> slots_;
  BestMatches best_;
  Answer answer_;
};

}  // namespace nearkin

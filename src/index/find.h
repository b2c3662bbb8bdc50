// Asking an index: the items that share a bucket with a query, measured.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <nearkin/index.h>

#include "index/prepare.h"
#include "index/store.h"
#include "query/best_matches.h"

namespace nearkin {

/// Rows that were met, each once. Forgets all in the time of what it holds.
class MetRows {
 public:
  /// False: it was met before.
  bool insert(Row row);
  void clear();

 private:
  void grow();
  std::vector<std::uint64_t> slots_;  // 0: free; else row + 1
  std::vector<std::size_t> taken_;    // places
};

/// One a thread. The plan must outlive it.
class Finder {
 public:
  explicit Finder(const Plan& plan) : plan_(plan), preparer_(plan) {}
  Preparer& preparer() { return preparer_; }

  /// The neighbours of the one item of `query`. Throws Error(plan) for an `ask` that the plan cannot keep, Error(file) for a damaged index.
  IndexAnswer find(const Transaction& transaction, const Points& query, const IndexAsk& ask);

 private:
  void look_in_buckets(const Transaction& transaction, const Points& query);
  void look_at_all(const Transaction& transaction);
  bool meet(Row row);
  void measure(const Transaction& transaction, const Points& query, std::span<const Row> rows);
  std::vector<Hit> hits(const Transaction& transaction);

  const Plan& plan_;
  Preparer preparer_;
  Plan asked_;  // with the border of the question
  const IndexAsk* ask_ = nullptr;
  IndexAnswer answer_;
  MetRows met_;
  std::vector<Row> batch_;                  // met, in order
  Points points_;                           // of those that are measured together
  std::vector<std::string_view> metadata_;  // of these
  BestMatches best_;
};

/// The record of a row. Throws Error(file) where there is none, or it is damaged.
struct RecordView;
RecordView record_of(const Transaction& transaction, Row row);

}  // namespace nearkin

// What an Index holds and how it is queried; used by its methods and by the runs over whole inputs.
#pragma once

#include <mutex>

#include <nearkin/index.h>

#include "index/record.h"
#include "index/store.h"
#include "index/write.h"
#include "match/space.h"
#include "query/asking.h"

namespace nearkin {

/// One per thread. The plan must outlive it.
class Finder {
 public:
  explicit Finder(const Plan& plan) : plan_(plan), preparer_(plan), asking_(plan) {}
  Preparer& preparer() { return preparer_; }

  /// The neighbours of the one item of `query`. Throws Error(plan) for an `ask` that the plan cannot keep, Error(file) for a damaged index.
  IndexAnswer find(const Transaction& transaction, const Points& query, const Ask& ask);
  /// The same for the item of this row, which is left out.
  IndexAnswer find_like(const Transaction& transaction, Row row, std::string_view id, const Ask& ask);

  /// Items that are compared together, as they were read.
  struct Batch {
    Points points;
    Norms norms;
    std::vector<std::string_view> metadata;
  };

 private:
  IndexAnswer answer(const Transaction& transaction, const Points& query, const Ask& ask);

  const Plan& plan_;
  Preparer preparer_;
  Asking asking_;
  Batch batch_;
};

/// One thread's tools for queries, with a view of the tables.
struct Asker {
  explicit Asker(const Plan& plan) : finder(plan) {}
  Finder finder;
  std::optional<Transaction> transaction;
};

struct Index::State {
  State(Store opened, Access wanted);

  Store store;
  Access access;
  Plan plan;
  bool texts = false;
  Unit unit;
  Directed directed = Directed::no;
  mutable std::mutex mutex;
  mutable std::vector<std::unique_ptr<Asker>> resting;

  /// Throws Error(file) if the index was opened for reading only, or was replaced by another one.
  Transaction write() const;
  /// Throws Error(file) if these tables have another plan: the index was replaced by another one.
  void require_own(const Transaction& transaction) const;
  /// Drops askers of other generations: they would keep an old generation open and its disk space in use.
  void drop_askers_of_others(const Environment& current) const;
  /// Throws Error(data) for an index of vectors.
  void require_sets() const;
};

/// Borrows an asker with a current view, and returns it in the destructor.
class Lease {
 public:
  explicit Lease(const Index::State& state);
  ~Lease();
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  Finder& finder() { return asker_->finder; }
  const Transaction& transaction() const { return *asker_->transaction; }

 private:
  const Index::State& state_;
  std::unique_ptr<Asker> asker_;
};

/// Gives the runs access to the state of an index.
class IndexRuns {
 public:
  static Index::State& state(Index& index) { return *index.state_; }
  static const Index::State& state(const Index& index) { return *index.state_; }
};

}  // namespace nearkin

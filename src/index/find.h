// Asking an index: its buckets and items for the one engine of queries (query/asking.h).
#pragma once

#include <string_view>
#include <vector>

#include <nearkin/index.h>

#include "index/prepare.h"
#include "index/store.h"
#include "match/space.h"
#include "query/asking.h"

namespace nearkin {

/// One a thread. The plan must outlive it.
class Finder {
 public:
  explicit Finder(const Plan& plan) : plan_(plan), preparer_(plan), asking_(plan) {}
  Preparer& preparer() { return preparer_; }

  /// The neighbours of the one item of `query`. Throws Error(plan) for an `ask` that the plan cannot keep, Error(file) for a damaged index.
  IndexAnswer find(const Transaction& transaction, const Points& query, const Ask& ask);

  /// Items that are measured together, as they were read.
  struct Batch {
    Points points;
    Norms norms;
    std::vector<std::string_view> metadata;
  };

 private:
  const Plan& plan_;
  Preparer preparer_;
  Asking asking_;
  Batch batch_;
};

}  // namespace nearkin

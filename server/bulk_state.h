// What a connection keeps of a bulk request.
#pragma once

#include <optional>
#include <string>

#include "bulk.h"
#include "session.h"
#include "spool.h"

namespace nearkin::server {

struct Session::Bulk {
  Bulk(const ServerLimits& limits, std::shared_ptr<Exchange> whole)
      : exchange(std::move(whole)), lines(limits.body_bytes, exchange->charge), answered(exchange->charge.budget()), answers(answered) {}

  std::shared_ptr<Exchange> exchange;
  LineSplitter lines;
  Charge answered;  ///< for `answers` and `out`, which go on while lines are put
  Spool answers;
  std::string out;  ///< being written
  std::size_t out_held = 0;
  std::optional<Problem> problem;
  bool ended = false;     ///< no more is read
  bool complete = false;  ///< all answers are in the spool
  bool writing = false, begun = false, last = false;
};

}  // namespace nearkin::server

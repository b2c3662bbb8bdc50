// Stage: what the parts of one run share.
#pragma once

#include <cstdint>
#include <optional>

#include <nearkin/run.h>

#include "base/advance.h"
#include "collect/rows.h"
#include "collect/stage_clock.h"

namespace nearkin {

struct Stage {
  Stage(const Plan& by, const RunOptions& given);

  const Plan& plan;
  const RunOptions& options;
  unsigned threads;
  std::uint64_t memory;  ///< the bound of the run

  void progress(const char* what, std::uint64_t done = 0, std::uint64_t total = 0) const {
    if (options.progress) options.progress(what, done, total);
  }
  /// Tells how much of a stage is done.
  Advance advance(const char* what) const {
    return Advance([this, what](std::uint64_t done, std::uint64_t total) { progress(what, done, total); });
  }
};

/// For tests: what share_of returns on this thread for rows in files, to cut small inputs into many parts.
inline thread_local std::optional<std::uint64_t> share_in_tests;

/// Bytes that one part of the run may take while `held` bytes per row (and the rows, if they are in memory) are held besides.
std::uint64_t share_of(const Rows& rows, const Stage& stage, std::uint64_t held);

}  // namespace nearkin

// dedup_with_index, with a say in how much is done at a time.
#pragma once

#include <cstddef>
#include <string>

#include <nearkin/index.h>

namespace nearkin {

/// What is decided, written and committed together. A step begins when all its records are read, so that no writer waits for an input.
struct SiftStep {
  std::size_t records = 8192;
  std::size_t bytes = std::size_t{32} << 20;  ///< of records, about
};

/// The answer does not depend on `step` while nobody else writes to the index.
DedupResult dedup_in_steps(Index& index, const Input& input, const std::string& output, const DedupOptions& options, const RunOptions& run,
                           const SiftStep& step);

}  // namespace nearkin

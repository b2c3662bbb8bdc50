#include "collect/stage.h"

#include <algorithm>

#include "base/parallel.h"
#include "collect/collect.h"

namespace nearkin {

Stage::Stage(const Plan& by, const RunOptions& given)
    : plan(by), options(given), threads(thread_count(given.threads)), memory(memory_bound(given)) {}

std::uint64_t share_of(const Rows& rows, const Stage& stage, std::uint64_t held) {
  if (rows.in_files() && share_in_tests) return *share_in_tests;
  constexpr std::uint64_t kFixed = std::uint64_t{24} << 20, kThread = std::uint64_t{4} << 20, kLeast = std::uint64_t{8} << 20;
  // Rows in memory: what they leave of the bound.
  const std::uint64_t beside = rows.in_files() ? kFixed : rows.held_bytes;
  const std::uint64_t taken = beside + stage.threads * kThread + held * rows.size();
  return std::max(kLeast, stage.memory > taken ? stage.memory - taken : 0);
}

}  // namespace nearkin

// Shingles that do not count: those of templates (handed-out code, licence headers, page frames), and those that many items have.
// Each function returns the plan of shingles with what is to be ignored; a text is then compared by its other shingles alone, on every
// road. A text without any other shingle is EMPTY: it is similar to nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nearkin/items.h>
#include <nearkin/plan.h>
#include <nearkin/run.h>

namespace nearkin {

/// Ignores the shingles of these items, beside those that the plan ignores already. Throws Error(plan) where they have none.
ShinglePlan ignore_templates(const ShinglePlan& plan, const Input& templates, const RunOptions& run = {});

/// From how many items on a shingle is common: it is in more than `items` of them, or in more than `share` of them all. Where the input is
/// compared across scopes, these are counted in place of items: what one author writes often is not common.
struct CommonLimit {
  std::uint64_t items = 0;
  std::optional<Ratio> share = {};  ///< in place of `items`
};
/// Ignores the shingles that are common in the input (and in `against`, counted together), beside those that the plan ignores already.
/// Reads both twice; of a stream, which is held in memory for that, the run that follows reads the same. A record that the run skips because
/// its id is used twice counts here. Throws Error(plan) for a share that is not above 0 and below 1, and where counting needs more than
/// run.memory.
ShinglePlan ignore_common(const ShinglePlan& plan, const Input& input, const Input* against, const CommonLimit& limit,
                          const RunOptions& run = {});

/// How many shingles the plan ignores.
std::uint64_t ignored_count(const ShinglePlan& plan);
/// The shingles that the plan ignores, ascending; for another process, which makes the same plan of them by `ignore_hashes`.
std::vector<std::uint64_t> ignored_hashes(const ShinglePlan& plan);
ShinglePlan ignore_hashes(const ShinglePlan& plan, std::vector<std::uint64_t> hashes);

/// A shingle that was ignored.
struct IgnoredShingle {
  std::uint64_t items = 0;  ///< that have it
  std::string text;         ///< after normalising
};
/// Those that occur in the input, by falling number of items and then by text. Reads the input as ignore_common does.
std::vector<IgnoredShingle> list_ignored(const ShinglePlan& plan, const Input& input, const Input* against, const RunOptions& run = {});

}  // namespace nearkin

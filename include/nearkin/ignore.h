// Shingles that do not count: those of templates (handed-out code, licence headers, page frames), and those that many items have. Each
// function returns the plan of shingles with what is to be ignored; a text is then compared by its other shingles only, by every command. A
// text without any other shingle is EMPTY: it is similar to nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nearkin/items.h>
#include <nearkin/plan.h>
#include <nearkin/run.h>

namespace nearkin {

/// Ignores the shingles of these items, in addition to those that the plan already ignores. A file that `ignored_list` made, told by its
/// content, is read exactly, however the input's texts are read. Throws Error(plan) if there are no shingles, and for a list of other
/// shingles than the plan's; Error(data) if no record can be used.
ShinglePlan ignore_templates(const ShinglePlan& plan, const Input& templates, const RunOptions& run = {});

/// A shingle is common if more than `items` items have it, or more than `share` of all items. If the input is compared across scopes,
/// scopes are counted instead of items: what one author writes often is not common.
struct CommonLimit {
  std::uint64_t items = 0;
  std::optional<Ratio> share = {};  ///< instead of `items`
};
/// Ignores the shingles that are common in the input (and in `against`, counted together), in addition to those that the plan already
/// ignores. The inputs are read here and again by the run; a stream is held in memory for that. A record that the run will skip because its
/// id was used before counts here. Throws Error(plan) for a share that is not above 0 and below 1, and if counting needs more than
/// run.memory.
ShinglePlan ignore_common(const ShinglePlan& plan, const Input& input, const Input* against, const CommonLimit& limit,
                          const RunOptions& run = {});

/// How many shingles the plan ignores.
std::uint64_t ignored_count(const ShinglePlan& plan);
/// The shingles that the plan ignores, ascending. Another process can make the same plan from them with `ignore_hashes`.
std::vector<std::uint64_t> ignored_hashes(const ShinglePlan& plan);
ShinglePlan ignore_hashes(const ShinglePlan& plan, std::vector<std::uint64_t> hashes);

/// A shingle that was ignored.
struct IgnoredShingle {
  std::uint64_t items = 0;  ///< that have it
  std::string text;         ///< after normalising
  std::uint64_t hash = 0;   ///< as in ignored_hashes
};
/// The ignored shingles that occur in the input, by descending number of items and then by text. Reads the input as ignore_common does.
std::vector<IgnoredShingle> list_ignored(const ShinglePlan& plan, const Input& input, const Input* against, const RunOptions& run = {});
/// Throws Error(plan) where list_ignored could not read the inputs again: for standard input and pipes. Call it before a long run.
void require_ignored_listable(const Input& input, const Input* against);
/// The same as JSON lines, for a file that ignore_templates and passage_templates read back: each line has the number of items, the kind
/// of shingle (shingle, normalise), its hash and its text.
std::string ignored_list(const ShinglePlan& plan, const std::vector<IgnoredShingle>& shingles);

}  // namespace nearkin

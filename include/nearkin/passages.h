// Passages: every run of equal tokens that occurs in two places. The search is exact.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <nearkin/items.h>
#include <nearkin/plan.h>
#include <nearkin/run.h>

namespace nearkin {

/// What a passage is. A window is `least` consecutive tokens of a record. It repeats if an equal window occurs earlier: in an earlier
/// record, or before it in the same record without overlapping it. The first such window is its source.
struct PassageOptions {
  std::uint32_t least = 50;  ///< tokens of a window, 5 to 1,000,000: no shorter passage is listed
  /// Join passages of two records that are at most this many tokens apart in both, or have at most this many in common; up to 1,000,000.
  std::optional<std::uint32_t> gap = {};
  Token token = Token::word;              ///< what a token is; not element
  Normalise normalise = Normalise::text;  ///< what is done to a text before its tokens are compared
  std::optional<Input> against = {};      ///< look for the windows of the input in this one only, and not in the input itself
  /// Shingles of templates, as `passage_templates` has them, ascending: no token of one of them is in a passage.
  std::vector<std::uint64_t> ignored = {};
  static constexpr std::uint32_t kLeast = 5, kMost = 1'000'000;  ///< limits of `least`
};

/// The shingles by which passages ignore templates: kLeast tokens.
ShinglePlan passage_shingles(const PassageOptions& options);

/// Texts that no passage may contain.
struct PassageTemplates {
  std::vector<std::uint64_t> ignored;  ///< for PassageOptions::ignored
  std::uint64_t items = 0;
  std::uint64_t too_short = 0;  ///< of the items, those with fewer than kLeast tokens, which have no effect
};
/// Throws Error(plan) if all of them are too short.
PassageTemplates passage_templates(const PassageOptions& options, const std::vector<Input>& templates, const RunOptions& run = {});

/// A run of equal tokens in two places. It contains a window that repeats together with the window's source, and cannot be extended to
/// either side. In one record the two places do not overlap: a run that could be longer then reaches as far to the left as the window
/// allows, and from there to the right.
struct Passage {
  Row row = 0;                             ///< where it occurs again
  Row in = 0;                              ///< where it occurs first; rows of `against` are counted from 0
  std::uint32_t begin = 0, end = 0;        ///< bytes of the text of `row`, as it was read
  std::uint32_t in_begin = 0, in_end = 0;  ///< bytes of the text of `in`
  std::uint32_t tokens = 0;                ///< equal ones
  std::uint32_t of = 0;                    ///< tokens of the longer place; more than `tokens` where passages were joined
  bool operator==(const Passage&) const = default;
};

struct PassageStats {
  std::uint64_t tokens = 0;    ///< of the input
  std::uint64_t ignored = 0;   ///< those of them that templates have
  std::uint64_t repeated = 0;  ///< those of them that are in a window that repeats
  std::uint64_t passages = 0;
  std::uint64_t records = 0;  ///< of the input, with a passage
  RunStats stats;             ///< items: records of the input
};

struct PassagesResult {
  Strings ids;                    ///< of the input
  Strings against_ids;            ///< of `against`
  std::vector<Passage> passages;  ///< ascending by row and place; for equal places, by the place of the first occurrence
  PassageStats stats;
};

/// Every passage of the input. Uses threads, progress, memory and scratch of the options; a run cannot be resumed. Throws Error(plan) for
/// options out of range, for formats without texts and with `resume`, Error(data) for a text of more than 4 GiB.
PassagesResult passages(const Input& input, const PassageOptions& options = {}, const RunOptions& run = {});

/// Writes the records of the input without what occurred before: every window that repeats is cut out, so the first occurrence of each
/// passage stays; with `against`, what occurs there. Blanks and punctuation that a cut would leave behind are cut too (docs/reference.md,
/// "What a cut leaves"); everything else stays unchanged (jsonl, csv, tsv, lines). Uses removed, removed_as_json (the passages),
/// keep_faults, skipped, least_left and most_cut of the options. Throws as `passages` does, and Error(plan) for records that cannot be cut
/// and other options.
DedupResult dedup_passages(const Input& input, const std::string& output, const PassageOptions& passages = {},
                           const DedupOptions& options = {}, const RunOptions& run = {});

}  // namespace nearkin

#include "score.h"

#include <algorithm>

#include <fmt/format.h>
#include <nearkin/nearkin.h>
#include <nearkin/tools/lists.h>
#include <nearkin/tools/names.h>

#include "decisions.h"
#include "errors.h"
#include "options.h"
#include "partners.h"
#include "progress.h"
#include "resources.h"
#include "stats.h"
#include "warnings.h"

namespace nearkin::cli {
namespace {

/// What a score says itself, and what looks at one text or one plan.
void refuse_beside_score(const ParsedArgs& typed) {
  refuse_typed({{typed.text.has_value(), "--text"},
                {typed.against_text.has_value(), "--against-text"},
                {typed.measure.has_value(), "--measure"},
                {typed.shingle.has_value(), "--shingle"},
                {typed.normalise.has_value(), "--normalise"},
                {typed.bag, "--bag"},
                {typed.features.has_value(), "--features"},
                {typed.binarise.has_value(), "--binarise"},
                {typed.dimensions.has_value(), "--dimensions"},
                {typed.width.has_value(), "--width"},
                {typed.plan.has_value(), "--plan"},
                {typed.radius.has_value(), "--radius"},
                {typed.recall_at.has_value(), "--recall-at"},
                {typed.hashes.has_value(), "--hashes"},
                {typed.bands.has_value(), "--bands"},
                {typed.rows.has_value(), "--rows"},
                {typed.verify.has_value(), "--verify"},
                {typed.unit.has_value(), "--unit"},
                {typed.least_unit.has_value(), "--least-unit"},
                {!typed.ignore.empty(), "--ignore"},
                {typed.ignore_common.has_value(), "--ignore-common"},
                {typed.ignored.has_value(), "--ignored"},
                {typed.thresholds && !typed.truth, "--thresholds"},
                {typed.radii.has_value(), "--radii"},
                {typed.audit.has_value(), "--audit"},
                {typed.report.has_value(), "--report"},
                {typed.scratch.has_value(), "--scratch"},
                {typed.resume, "--resume"},
                {typed.bloom.has_value(), "--bloom"},
                {typed.index.has_value(), "--index"},
                {typed.passages.has_value(), "--passages"},
                {typed.metadata.has_value(), "--metadata"}},
               "has no use with --score; leave one of them out");
}

std::string searched_text(const Score& score, const std::vector<SearchedPart>& searched) {
  std::vector<std::string> parts;
  for (const SearchedPart& one : searched) {
    const ScorePart& part = score.parts[one.part];
    parts.push_back(part.how == ScorePart::How::equal ? fmt::format("{} equal", part.text)
                                                      : fmt::format("{} at {:.3f} or more", part.text, one.level));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// What two records must have in common to be compared: "agree in year or have a similarity of 0.900 or more in name".
std::string needed_text(const ScoreRun& run) {
  std::vector<std::string> needed;
  for (const SearchedPart& one : run.searched) {
    const ScorePart& part = run.by.score.parts[one.part];
    needed.push_back(part.how == ScorePart::How::equal ? fmt::format("agree in {}", part.text)
                                                       : fmt::format("have a similarity of {:.3f} or more in {}", one.level, part.text));
  }
  return fmt::format("{}", fmt::join(needed, " or "));
}

/// Whether a pair that reaches the threshold may be missed.
bool may_miss(const ScoreRun& run) {
  const auto by_bands = [&](const SearchedPart& one) { return run.by.score.parts[one.part].how != ScorePart::How::equal; };
  return run.by.options.recall < 1 && std::any_of(run.searched.begin(), run.searched.end(), by_bands);
}

std::string recall_text(const ScoreRun& run) {
  if (!run.stats.recall || !may_miss(run)) return "";
  return fmt::format(" (recall about {})", interval_text(*run.stats.recall));
}

/// "5 pairs: 3 with a copy, 2 found among 4 candidates"
std::string found_text(const RunStats& stats) {
  const std::string candidates = fmt::format("found among {}", counted(stats.candidates, "candidate"));
  if (stats.pairs == stats.found) return fmt::format("{} {}", counted(stats.pairs, "pair"), candidates);
  return fmt::format("{}: {} with a copy, {} {}", counted(stats.pairs, "pair"), counted(stats.pairs - stats.found), counted(stats.found),
                     candidates);
}

void say_nothing_found(const ParsedArgs& typed, const ScoreRun& run) {
  const RunStats& stats = run.stats;
  if (stats.pairs > 0) return;
  if (stats.items < (typed.against ? 1 : 2))
    return warn(typed, Warning::nothing_to_compare, fmt::format("{} read: nothing to compare", counted(stats.items, "item")));
  if (stats.one_side) return say_one_side(typed);
  if (stats.one_scope)
    return warn(typed, Warning::one_scope,
                fmt::format("all items have the same {} (--across), so none was compared with another", *typed.across));
  const std::string threshold = to_string(ratio(run.by.options.threshold));
  const std::string certain =
      may_miss(run) ? fmt::format("; one at {} would be found with a chance of {} or more", threshold, percent(run.by.options.recall))
                    : "; no pair can be missed, so there is none";
  warn(typed, Warning::nothing_found,
       stats.closest_below > 0
           ? fmt::format("no pair reached {}; the closest candidate had {:.6g}{}", threshold, stats.closest_below, certain)
           : fmt::format("no pair reached {}; no two records {}{}", threshold, needed_text(run), certain));
}

}  // namespace

TypedScore score_of(const ParsedArgs& typed) {
  refuse_beside_score(typed);
  TypedScore by{.score = parse_score(*typed.score), .options = {}, .run = resources_of(typed)};
  if (typed.threshold) by.options.threshold = parse_ratio(*typed.threshold, "--threshold").value();
  if (typed.recall) by.options.recall = parse_ratio(*typed.recall, "--recall").value();
  if (typed.seed) by.options.seed = whole(*typed.seed, "--seed", 0);
  if (typed.large_bucket) by.options.large_bucket = static_cast<std::uint32_t>(whole(*typed.large_bucket, "--large-bucket", 1, UINT32_MAX));
  if (typed.max_pairs) by.run.max_pairs = whole(*typed.max_pairs, "--max-pairs", 1);
  return by;
}

void refuse_without_score(const ParsedArgs& typed) {
  if (!typed.score)
    refuse_typed({{typed.max_pairs.has_value(), "--max-pairs"}}, "needs --score, which compares pairs one by one; leave it out");
}

void write_score_stats(const ParsedArgs& typed, const ScoreRun& run, const JsonObject& own) {
  JsonObject told;
  told.add("score", to_string(run.by.score)).add("copies", run.stats.copies);
  told.add("candidates", run.stats.candidates).add("pairs", run.stats.pairs);
  told.append(own);
  std::string searched;
  for (const SearchedPart& part : run.searched) {
    searched += (searched.empty() ? "" : ",") +
                JsonObject().add("field", run.by.score.parts[part.part].text).add("plan", part.plan).add("pairs", part.pairs).text();
  }
  told.raw("searched", "[" + searched + "]");
  if (run.stats.recall) told.raw("recall", recall_json(*run.stats.recall, tune({.recall = run.by.options.recall})));
  told.raw("buckets", buckets_json(run.stats.buckets));
  write_stats(typed, nullptr, run.stats, told);
}

void say_score_run(const ParsedArgs& typed, const ScoreRun& run, const Outcome& outcome) {
  say_faults(typed, run.stats.faults);
  say_buckets(typed, run.by.options.large_bucket, run.stats.buckets, outcome.lists_pairs);
  say_nothing_found(typed, run);
  say(typed, fmt::format("{} >= {}, searched by {}", to_string(run.by.score), to_string(ratio(run.by.options.threshold)),
                         searched_text(run.by.score, run.searched)));
  say(typed,
      fmt::format("{}, {}{}{}; {}", read_text(run.stats), found_text(run.stats), recall_text(run), outcome.text, cost_text(run.stats)));
  // Groups are found whole without all pairs of large buckets.
  const bool whole = !outcome.lists_pairs && run.stats.buckets.not_compared > 0;
  if (run.stats.recall && may_miss(run) && !whole)
    warn_of_missed_recall(typed, run.by.options.recall, *run.stats.recall, run.stats.buckets);
}

int pairs_by_score(const ParsedArgs& typed) {
  TypedScore by = score_of(typed);
  by.options.partners = partners_of(typed);
  by.options.partners.decisions = decisions_of(typed);
  const Input input = input_of(typed);
  const std::optional<Input> against = against_of(typed);
  Progress progress(typed);
  by.run.progress = watched(typed, progress);
  std::vector<SearchedPart> parts;
  by.options.on_searched = [&](const std::vector<SearchedPart>& known) { parts = known; };
  PairsOutput output{.path = output_of(typed), .style = style_of(typed)};
  output.on_result = [&](const RunStats& stats) {
    JsonObject own;
    add_listed(stats, own);
    add_decisions(stats, own);
    write_score_stats(typed, {by, parts, stats}, own);
  };
  const ScoresListed listed = list_score_pairs(input, by.score, output, by.options, by.run, against ? &*against : nullptr);
  progress.clear();
  const ScoreRun run{by, listed.searched, listed.stats};
  say_decisions(typed, listed.stats);
  say_too_large(typed, listed.stats);
  say_score_run(typed, run, {.text = listed_text(listed.stats), .lists_pairs = true});
  return exit_status(typed, listed.stats.faults);
}

}  // namespace nearkin::cli

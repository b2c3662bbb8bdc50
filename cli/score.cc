#include "score.h"

#include <fmt/format.h>
#include <nearkin/nearkin.h>
#include <nearkin/tools/lists.h>
#include <nearkin/tools/names.h>

#include "errors.h"
#include "options.h"
#include "progress.h"
#include "resources.h"
#include "stats.h"
#include "talk.h"
#include "truth.h"

namespace nearkin::cli {
namespace {

/// What a score says itself, and what looks at one text or one plan.
void refuse_beside_score(const ParsedArgs& typed) {
  const std::vector<IdleFlag> flags = {{typed.text.has_value(), "--text"},
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
                                       {typed.large_bucket.has_value(), "--large-bucket"},
                                       {typed.verify.has_value(), "--verify"},
                                       {typed.unit.has_value(), "--unit"},
                                       {typed.least_unit.has_value(), "--least-unit"},
                                       {!typed.ignore.empty(), "--ignore"},
                                       {typed.ignore_common.has_value(), "--ignore-common"},
                                       {typed.ignored.has_value(), "--ignored"},
                                       {typed.thresholds.has_value(), "--thresholds"},
                                       {typed.radii.has_value(), "--radii"},
                                       {typed.audit.has_value(), "--audit"},
                                       {typed.report.has_value(), "--report"},
                                       {typed.scratch.has_value(), "--scratch"},
                                       {typed.resume, "--resume"}};
  for (const auto& [given, flag] : flags) {
    if (given) throw UsageError(fmt::format("{}: has no use with --score; leave one of them out", flag));
  }
}

ScoreOptions score_options(const ParsedArgs& typed) {
  ScoreOptions options{.partners = partners_of(typed)};
  if (typed.threshold) options.threshold = parse_ratio(*typed.threshold, "--threshold").value();
  if (typed.recall) options.recall = parse_ratio(*typed.recall, "--recall").value();
  if (typed.seed) options.seed = whole(*typed.seed, "--seed", 0);
  return options;
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

std::string recall_text(const RunStats& stats, double asked) {
  if (!stats.recall || asked >= 1) return "";
  return fmt::format(" (recall about {:.3f}, {:.3f} to {:.3f})", stats.recall->estimate, stats.recall->low, stats.recall->high);
}

void write_score_stats(const ParsedArgs& typed, const Score& score, const ScoreOptions& options, const ScoresListed& listed) {
  JsonObject own;
  own.add("score", to_string(score)).add("candidates", listed.stats.candidates).add("pairs", listed.stats.pairs);
  if (listed.stats.listed) own.add("listed", *listed.stats.listed);
  std::string searched;
  for (const SearchedPart& part : listed.searched) {
    searched += (searched.empty() ? "" : ",") +
                JsonObject().add("field", score.parts[part.part].text).add("plan", part.plan).add("pairs", part.pairs).text();
  }
  own.raw("searched", "[" + searched + "]");
  if (listed.stats.recall) own.raw("recall", recall_json(*listed.stats.recall, tune({.recall = options.recall})));
  write_stats(typed, nullptr, listed.stats, own);
}

}  // namespace

int run_score(const ParsedArgs& typed) {
  refuse_beside_score(typed);
  const Score score = parse_score(*typed.score);
  const ScoreOptions options = score_options(typed);
  const Input input = input_of(typed);
  const std::optional<Input> against = against_of(typed);
  RunOptions run = resources_of(typed);
  if (typed.max_pairs) run.max_pairs = whole(*typed.max_pairs, "--max-pairs", 1);
  Progress progress(typed);
  run.progress = watched(typed, progress);
  const PairsOutput output{.path = output_of(typed), .style = style_of(typed)};
  const ScoresListed listed = list_score_pairs(input, score, output, options, run, against ? &*against : nullptr);
  progress.clear();
  write_score_stats(typed, score, options, listed);
  const RunStats& stats = listed.stats;
  say_faults(typed, stats.faults);
  say(typed, fmt::format("{} >= {}, looked for by {}", to_string(score), to_string(ratio(options.threshold)),
                         searched_text(score, listed.searched)));
  say(typed, fmt::format("{}, {} found among {}{}{}; {}", read_text(stats, Measure::exact), counted(stats.pairs, "pair"),
                         counted(stats.candidates, "candidate"), recall_text(stats, options.recall),
                         stats.listed ? fmt::format(", listed {}", counted(*stats.listed)) : "", cost_text(stats)));
  return exit_status(typed, stats.faults);
}

}  // namespace nearkin::cli

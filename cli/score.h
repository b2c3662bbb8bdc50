// --score: a similarity put together from several fields.
#pragma once

#include <string>
#include <vector>

#include <nearkin/nearkin.h>

#include "flags.h"
#include "json.h"
#include "talk.h"

namespace nearkin::cli {

/// What a run by score is asked for.
struct TypedScore {
  Score score;
  ScoreOptions options;
  RunOptions run;  ///< resources and --max-pairs; the rest is the command's
};
/// --score with its threshold, recall and seed. Throws UsageError for a flag beside it that has no use.
TypedScore score_of(const ParsedArgs& typed);
/// Throws UsageError for flags that are about scores, where none is given.
void refuse_without_score(const ParsedArgs& typed);

/// A run by score that is done.
struct ScoreRun {
  const TypedScore& by;
  const std::vector<SearchedPart>& searched;
  const RunStats& stats;
};
/// --stats, with what the command itself has to say.
void write_score_stats(const ParsedArgs& typed, const ScoreRun& run, const JsonObject& own);
/// All that is said of the run: faults, large buckets, nothing found, and the summary.
void say_score_run(const ParsedArgs& typed, const ScoreRun& run, const Outcome& outcome);

/// nearkin pairs --score. Returns the exit status.
int pairs_by_score(const ParsedArgs& typed);

}  // namespace nearkin::cli

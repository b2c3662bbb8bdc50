// A collection and the runs of equal tokens in it: what `passages` lists, and where the text of a record repeats.
#pragma once

#include <memory>

#include <nearkin/passages.h>

#include "search/passages.h"

namespace nearkin {

/// Throws Error(plan) for options out of range.
void check_passage_options(const PassageOptions& options, const RunOptions& run);

/// The texts are read and searched when it is made. for_each_repeated_text(*search.runs, …) gives the spans of each record that repeat.
/// The options must outlive it.
struct PassageSearch {
  PassageSearch(const Input& input, const PassageOptions& options, const RunOptions& run);

  Plan plan_of_rows;
  Stage stage;
  OwnScratch scratch;
  PassagePlan plan;
  Rows rows;                        ///< rows of `against`, if there is one, then rows of the input
  std::uint64_t tokens = 0;         ///< of the input
  std::uint64_t ignored = 0;        ///< those of them that templates have
  std::unique_ptr<EqualRuns> runs;  ///< their rows are those of `rows`
};

/// What the run read; items are those of the input.
RunStats stats_of_texts(const PassageSearch& search);

/// Calls use(passage) for each passage, in order, and counts them. The stats do not include the time of this stage.
template <typename Use>
PassageStats for_each_passage(const PassageSearch& search, std::optional<std::uint32_t> gap, Use&& use) {
  PassageStats stats{.tokens = search.tokens, .ignored = search.ignored, .stats = stats_of_texts(search)};
  for_each_record_with_runs(*search.runs, gap, [&](Row row, std::span<const JoinedRun> found) {
    ++stats.records;
    stats.passages += found.size();
    for (const JoinedRun& run : found) {
      use(Passage{row - search.rows.split, run.source.row, run.begin, run.end, run.in_begin, run.in_end, run.tokens, run.of});
    }
  });
  for_each_repeated_text(*search.runs, [&](Row, const RepeatedText& repeated) { stats.repeated += repeated.tokens; });
  return stats;
}

/// Call when everything except the outputs is done: notes the resources that the run used, and removes its files.
void finish_search(PassageSearch& search, RunStats& stats);

}  // namespace nearkin

// Reads records of an input for runs over an index.
#pragma once

#include <nearkin/index.h>

#include "collect/collect.h"

namespace nearkin {

/// Throws Error(plan) for a format that the plan cannot compare.
Sources sources_for(const Input& input, const Plan& plan);

/// What tables must have under hamming. Without columns, and in older indexes without their names, the first table tells.
struct Questions {
  std::uint32_t columns = 0;
  std::string names;  ///< Sources::questions
};
/// The questions of the table rows in an index; nothing if it has none, or compares something else.
Questions questions_of(const Index::State& state);

/// How these sources are read: each is checked again once its format is known. `known` must outlive it, and learns from the first table
/// before any row of it is parsed.
Reading reading_for(const Sources& sources, const Plan& plan, const RunOptions& run, RunStats& stats, Questions& known);

/// The input, read in the parts that the items of the index are, and edges in its direction. Throws Error(plan) if it names others; the
/// least number of words need not be named again.
Input as_indexed(const Index::State& state, const Input& input);
/// The direction alone, for queries.
Input in_direction_of(const Index::State& state, const Input& input);

/// The item behind the last that is of the same record as `first`.
Row end_of_record(const Batch& batch, Row first);

/// Turns records whose ids cannot be put into faults. Throws Error(data) for the first of them if the input is strict.
void drop_bad_ids(const Sources& sources, const Input& input, ReadBatch& read);

/// The vectors of an input, prepared, and what is known of their records.
Rows collect_vectors(const Input& input, const Plan& plan, const RunOptions& run);
/// Which of them can be put, ascending; the others are noted among the faults of the rows.
std::vector<std::size_t> usable_vectors(Rows& rows, const Plan& plan, const Input& input);

/// The records that are decided, written and committed together. A step begins when all its records have been read, so no writer waits for
/// input.
struct SiftStep {
  std::size_t records = 8192;
  std::size_t bytes = std::size_t{32} << 20;  ///< of records, about
};

/// The answer does not depend on `step` while nobody else writes to the index.
DedupResult dedup_in_steps(Index& index, const Input& input, const std::string& output, const DedupOptions& options, const RunOptions& run,
                           const SiftStep& step);

}  // namespace nearkin

// Reads records of an input for runs over an index.
#pragma once

#include <nearkin/index.h>

#include "collect/collect.h"

namespace nearkin {

/// Throws Error(plan) for a format that the plan cannot compare.
Sources sources_for(const Input& input, const Plan& plan);

/// How these sources are read: each is checked again once its format is known. `columns`: what tables must have under hamming; 0: what the
/// first of them has.
Reading reading_for(const Sources& sources, const Plan& plan, const RunOptions& run, RunStats& stats, std::uint32_t columns = 0);
/// The columns of the rows in an index under hamming; 0: it has none, or compares something else.
std::uint32_t columns_of(const Index::State& state);

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

// Records of an input as an index takes them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nearkin/index.h>

#include "collect/collect.h"
#include "io/source/source.h"

namespace nearkin {

/// Throws Error(plan) for a format that the plan cannot compare.
Sources sources_for(const Input& input, const Plan& plan);

/// Parses a chunk into `batch`, which is cleared. A record whose id cannot be put is a fault of it, as any other.
/// Throws Error(data) for the first fault where the input is strict, Error(plan) for a sketch file.
void parse_for_index(const Sources& sources, const Chunk& chunk, const Plan& plan, const Input& input, Batch& batch);

/// The vectors of an input, prepared, and what is known of their records.
Rows collect_vectors(const Input& input, const Plan& plan, const RunOptions& run);
/// Which of them can be put, ascending; the others are noted among the faults of the rows.
std::vector<std::size_t> usable_vectors(Rows& rows, const Plan& plan, const Input& input);

/// The bytes of a record of this chunk; of format files its path, as a line.
std::string record_bytes(const Sources& sources, const Chunk& chunk, const Location& location);

}  // namespace nearkin

// --stats: figures about a run as one JSON object.
#pragma once

#include <nearkin/nearkin.h>

#include "flags.h"
#include "json.h"

namespace nearkin::cli {

/// {"estimate","low","high","method"}
std::string recall_json(const Recall& recall, const Plan& plan);

/// {"large","largest","not_compared"}
std::string buckets_json(const BucketNotes& notes);

/// The fields that every run has, and the command's `own` ("clusters", "kept" …) after "pairs".
/// Does nothing without --stats. `plan` is null for runs without one. Runs that answer queries have no figures about pairs.
enum class Searched { pairs, neighbours };
void write_stats(const ParsedArgs& typed, const Plan* plan, const RunStats& stats, const JsonObject& own = {},
                 Searched searched = Searched::pairs);

}  // namespace nearkin::cli

// --threads, --memory, --scratch and --resume: what a run may take, and what is said of what it took.
#pragma once

#include <cstdint>
#include <functional>

#include <nearkin/nearkin.h>

#include "flags.h"
#include "progress.h"

namespace nearkin::cli {

/// RunOptions with these four; the rest is the command's.
RunOptions resources_of(const ParsedArgs& typed);

/// --memory in bytes, 0 when absent. Throws UsageError for a number that was meant to have a unit.
std::uint64_t memory_of(const ParsedArgs& typed);

/// Throws UsageError for --scratch or --resume where a run keeps nothing in files, and for a --memory in which one that may do so cannot
/// work.
void refuse_idle_scratch(const ParsedArgs& typed, const Plan& plan);
/// The second of these alone.
void refuse_little_memory(const ParsedArgs& typed);

/// Has it said, when a signal ends the command, that it was interrupted and what is left of it. Commands that know more say so later.
void say_when_interrupted(const Command& command, const ParsedArgs& typed);

/// Has it said, when a signal ends a run that can be resumed, how to go on.
void promise_resume(const ParsedArgs& typed);

/// For RunOptions::progress: calls `progress`, and looks meanwhile whether the run has gone to files. Then it is told, when a signal ends
/// it, where they are and how to go on; and at once, with --resume, that there was nothing to go on with. `progress` must outlive the run.
std::function<void(const char*, std::uint64_t, std::uint64_t)> watched(const ParsedArgs& typed, Progress& progress);

/// How much of the run was in files, and where; and what it took over from an earlier one.
void say_scratch(const ParsedArgs& typed, const RunStats& stats);

}  // namespace nearkin::cli

// --threads, --memory, --scratch and --resume: what a run may take, and what is said of what it took.
#pragma once

#include <nearkin/nearkin.h>

#include "flags.h"

namespace nearkin::cli {

/// RunOptions with these four; the rest is the command's.
RunOptions resources_of(const Typed& typed);

/// Throws UsageError for --scratch or --resume where a run keeps nothing in files.
void refuse_idle_scratch(const Typed& typed, const Plan& plan);

/// Has it said, when a signal ends a run that can be resumed, how to go on.
void promise_resume(const Typed& typed);

/// How much of the run was in files, and where; and what it took over from an earlier one.
void say_scratch(const Typed& typed, const RunStats& stats);

}  // namespace nearkin::cli

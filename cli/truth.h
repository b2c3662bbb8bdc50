// --truth: labels, and how well pairs agree with them.
#pragma once

#include <string>
#include <vector>

#include <nearkin/tools/truth.h>

#include "errors.h"
#include "flags.h"

namespace nearkin::cli {

/// Throws UsageError for flags that are about labels, and for `more` that were typed, where --truth is not given.
void refuse_idle_truth(const ParsedArgs& typed, const std::vector<TypedFlag>& more = {});
/// Throws UsageError for one of the flags that was typed beside --truth and has no use there.
void refuse_beside_truth(const std::vector<TypedFlag>& flags);

/// The file of --truth, read.
TruthTable truth_of(const ParsedArgs& typed);
/// What was left out of it, and why.
void say_truth_notes(const ParsedArgs& typed, const TruthNotes& notes);

/// nearkin evaluate --truth: precision, recall and F1 by threshold, from one run.
int run_evaluate_truth(const ParsedArgs& typed);
/// nearkin tune --truth: the measure, shingle and threshold that agree best with the labels.
int run_tune_truth(const ParsedArgs& typed);

}  // namespace nearkin::cli

// What a run's recall says of its promise.
#pragma once

#include <optional>
#include <string>

#include <nearkin/tools/report.h>

namespace nearkin::page {

/// The recall that was measured: by the pairs found, or by the audit where they do not tell. Absent where neither does, and for exact runs.
std::optional<Recall> measured_recall(const Report& report);

/// Whether the plan is one whose recall is promised and below 1.
bool promises(const Report& report);

/// met, missed: the whole interval says so. open: it holds the promise. limited: sketches that promise less for some pairs of sizes.
enum class Verdict { met, open, limited, missed, not_known };
Verdict verdict_of(const Report& report);
/// Whether the run's sketches promise less than the plan's recall: containment of passages in documents many times their size.
bool promises_less(const Report& report);
/// As sentences, escaped; what to change where the promise was missed, and why nothing is known where nothing is.
std::string verdict_words(const Report& report);

}  // namespace nearkin::page

// What a run's recall says of its promise.
#pragma once

#include <optional>
#include <string>

#include <nearkin/report.h>

namespace nearkin::page {

/// The recall that was measured: by the pairs found, or by the audit where they do not tell. Absent where neither does, and for exact runs.
std::optional<Recall> measured_recall(const Report& report);

/// Whether the plan is one whose recall is promised and below 1.
bool promises(const Report& report);

enum class Verdict { met, within_error, missed, not_known };
Verdict verdict_of(const Report& report);
/// As sentences, escaped; what to change where the promise was missed, and why nothing is known where nothing is.
std::string verdict_words(const Report& report);

}  // namespace nearkin::page

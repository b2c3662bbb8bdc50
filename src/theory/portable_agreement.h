// The agreement of a plan's hashes from +, −, ×, ÷ and √ alone: what decides during a search must have the same bits on every machine.
#pragma once

#include <nearkin/plan.h>

namespace nearkin {

/// As `agreement(plan, x)` (tools/theory.h), within 1e-12. Hamming distances are counts, not shares.
double portable_agreement(const Plan& plan, double x);

/// cos(π·x) for x in [0, 1], within 1e-15.
double portable_cos_pi(double x);

}  // namespace nearkin

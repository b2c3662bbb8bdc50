// Flags beside a plan that is given whole.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <nearkin/nearkin.h>

#include "flags.h"

namespace nearkin::cli {

/// Makes the message of a flag ("--shingle"), its value (empty for a switch) and what the plan has instead ("word:5").
using Disagreement = std::function<std::string(std::string_view flag, std::string_view value, std::string_view planned)>;

/// Throws UsageError with that message for the first flag of goal and plan that was typed and says another thing than the plan.
void refuse_disagreement(const Typed& typed, const Plan& plan, const Disagreement& message);

}  // namespace nearkin::cli

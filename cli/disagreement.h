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
void refuse_disagreement(const ParsedArgs& typed, const Plan& plan, const Disagreement& message);

/// What was made by a plan and keeps to it.
struct Made {
  std::function<std::string()> name;  ///< a path; asked for only where there is something to refuse
  const char* way_out;
};
/// The same for a flag that would change it: "docs.nearkin: made with shingle=word:5, --shingle word:3 cannot change it; WAY OUT".
void refuse_change(const ParsedArgs& typed, const Plan& plan, const Made& made);
/// Throws UsageError, naming the first part in which `given`, that of --plan, differs from `plan`.
void refuse_other_plan(const Plan& given, const Plan& plan, const Made& made);

}  // namespace nearkin::cli

// --sweep: one plan for every combination of values.
#pragma once

#include <string>
#include <vector>

#include "flags.h"

namespace nearkin::cli {

struct Sweep {
  std::string name;                 ///< "rows", "max-candidates"
  std::vector<std::string> values;  ///< as they would be typed
};

/// "rows=8:40:4" (from, to, step), "bands=5,10,20". Throws UsageError for an unknown name, for values that are no numbers, for none.
std::vector<Sweep> sweeps_of(const ParsedArgs& typed);

/// The command line with one value of each sweep typed in its place, for every combination; the last sweep changes fastest.
struct SweepPoint {
  std::vector<std::string> values;  ///< one a sweep
  ParsedArgs typed;
};
std::vector<SweepPoint> sweep_points(const ParsedArgs& typed, const std::vector<Sweep>& sweeps);

/// The flags of the plan that were typed and are the same for all points, such as ", --rows 12, --shingle word:2"; empty without any.
std::string fixed_flags(const ParsedArgs& typed, const std::vector<Sweep>& sweeps);

}  // namespace nearkin::cli

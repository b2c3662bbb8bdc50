// Keep: which item of a group is most worth keeping.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <nearkin/run.h>

namespace nearkin {

/// All rows, the one most worth keeping first; ties in input order. `numbers` may be empty unless the rule reads a field; items
/// without a number come last.
std::vector<Row> keep_order(const Keep& keep, std::span<const std::uint64_t> text_sizes, std::span<const double> numbers);

}  // namespace nearkin

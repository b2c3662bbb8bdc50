// Where a text stops being JSON, and why.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace nearkin {

/// "at byte 17: a comma or } is missing before "x"": the first place at which `text`, in valid UTF-8, is no JSON. Empty where nothing is
/// wrong with it.
std::string json_fault(std::string_view text);

/// The parser takes no more objects and arrays within one another; one in the midst may be empty.
inline constexpr std::size_t kDeepestJson = 1023;
/// The place of the first object or array, not empty, that is within `most` others; absent where there is none. Valid JSON.
std::optional<std::size_t> json_deeper_than(std::size_t most, std::string_view text);

}  // namespace nearkin

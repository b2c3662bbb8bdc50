// Where a text stops being JSON, and why.
#pragma once

#include <string>
#include <string_view>

namespace nearkin {

/// "at byte 17: a comma or } is missing before "x"": the first place at which `text`, in valid UTF-8, is no JSON. Empty where nothing is
/// wrong with it.
std::string json_fault(std::string_view text);

}  // namespace nearkin

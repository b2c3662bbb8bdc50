#pragma once

#include <string>
#include <string_view>

namespace nearkin {

/// A value that somebody gave, as part of a message: in quotation marks, not too much of it, and nothing that a terminal cannot show.
std::string in_quotes(std::string_view text);

}  // namespace nearkin

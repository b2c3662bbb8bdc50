// Valid UTF-8 or not, and where not.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace nearkin {

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Offset of the first byte that is not part of well-formed UTF-8.
std::optional<std::size_t> first_invalid_utf8(std::string_view bytes);

}  // namespace nearkin

// Valid UTF-8 or not, and where not.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace nearkin {

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Length of the well-formed sequence that `bytes` begins with; 0 when it begins with none.
std::size_t utf8_sequence(std::string_view bytes);

bool is_utf8(std::string_view bytes);

/// Offset of the first byte that is not part of well-formed UTF-8.
std::optional<std::size_t> first_invalid_utf8(std::string_view bytes);

}  // namespace nearkin

// Any bytes as text that a terminal, or JSON, may show.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nearkin::cli {

/// In quotes, on one line: control characters, characters that hide or turn round what follows, and invalid bytes as escapes. After `most`
/// characters "…" stands outside the quotes.
std::string safe_text(std::string_view text, std::size_t most);

/// The first `most` characters, each invalid byte as U+FFFD.
std::string valid_text(std::string_view text, std::size_t most);

}  // namespace nearkin::cli

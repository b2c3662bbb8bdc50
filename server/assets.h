// Files that were built into the program (cmake/embed.cmake).
#pragma once

#include <string_view>

namespace nearkin::server {

/// "index.html", "app.js", "style.css", "openapi.json"; empty for any other.
std::string_view embedded(std::string_view name);

}  // namespace nearkin::server

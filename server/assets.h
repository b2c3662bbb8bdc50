// Files that were built into the program (cmake/embed.cmake).
#pragma once

#include <string_view>

namespace nearkin::server {

/// "openapi.json", or a file of the page, such as "index.html"; empty for any other.
std::string_view embedded(std::string_view name);

}  // namespace nearkin::server

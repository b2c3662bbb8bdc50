// The target of a request: path and query string.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace nearkin::server {

struct Target {
  std::optional<std::string> host;  ///< of the absolute form, where it says whom the request is for, whatever the header says
  std::string path;                 ///< as it came, beginning with a slash
  std::string query;
};
/// "/path?query", or the absolute form a proxy is asked with. Throws Problem(400) for anything else.
Target split_target(std::string_view target);

/// "%2e" → "."; where `plus` says so "+" → " ". Absent for a percent sign without two hexadecimal digits.
std::optional<std::string> percent_decoded(std::string_view text, bool plus = false);

/// Any bytes as letters, digits, hyphens and underscores (base64url), and back. Absent for a text that is no such cursor.
std::string cursor_of(std::string_view id);
std::optional<std::string> id_of_cursor(std::string_view cursor);

/// The fields of a query string, of which only `known` ones may be there, each once. Throws Problem(400).
std::map<std::string, std::string> query_fields(std::string_view query, std::initializer_list<std::string_view> known);

}  // namespace nearkin::server

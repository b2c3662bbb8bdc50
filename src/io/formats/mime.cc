#include "io/formats/mime.h"

#include <algorithm>

#include "base/trimmed.h"
#include "io/formats/formats.h"

namespace nearkin {

std::size_t header_bytes(std::string_view bytes) {
  for (std::size_t at = bytes.find('\n'); at != bytes.npos; at = bytes.find('\n', at + 1)) {
    const std::string_view rest = bytes.substr(at + 1, 2);
    if (rest.starts_with('\n')) return at + 2;
    if (rest == "\r\n") return at + 3;
  }
  return 0;
}

std::string header_field(std::string_view header, std::string_view name) {
  std::string value;
  bool found = false;
  for (std::size_t at = 0; at < header.size();) {
    const std::size_t end = std::min(header.find('\n', at), header.size());
    const std::string_view line = header.substr(at, end - at);
    at = end + 1;
    const bool continues = line.starts_with(' ') || line.starts_with('\t');
    if (found && !continues) break;
    if (found) {
      value.append(" ").append(trimmed(line));
    } else if (!continues && line.size() > name.size() && line[name.size()] == ':' && lower(line.substr(0, name.size())) == lower(name)) {
      value = trimmed(line.substr(name.size() + 1));
      found = true;
    }
  }
  return value;
}

std::string media_type(std::string_view content_type) { return lower(trimmed(content_type.substr(0, content_type.find(';')))); }

bool is_page_type(std::string_view type) { return type == "text/html" || type == "application/xhtml+xml"; }

}  // namespace nearkin

// Headers as HTTP, WARC and mails have them: lines "Name: value" up to an empty line; and what they say of a content.
#pragma once

#include <string>
#include <string_view>

namespace nearkin {

/// Length of the header that the bytes begin with, with the empty line behind it; 0 where there is no empty line.
std::size_t header_bytes(std::string_view bytes);
/// The value of the first field of this name, in whatever case, with lines that continue it; empty where there is none.
std::string header_field(std::string_view header, std::string_view name);

/// The type of a content without its parameters, in lower case: "text/html" of "Text/HTML; charset=x".
std::string media_type(std::string_view content_type);
/// text/html and application/xhtml+xml.
bool is_page_type(std::string_view type);

}  // namespace nearkin

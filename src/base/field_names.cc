#include "base/field_names.h"

#include <nearkin/error.h>

#include "base/in_quotes.h"

namespace nearkin {

std::size_t end_of_quoted(std::string_view text, std::size_t begin) {
  for (std::size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] != '"') continue;
    if (i + 1 == text.size() || text[i + 1] != '"') return i + 1;
    ++i;
  }
  return std::string_view::npos;
}

std::vector<std::string> split_names(std::string_view text, const char* subject) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    std::size_t end = begin;
    if (begin < text.size() && text[begin] == '"') {
      end = end_of_quoted(text, begin);
      if (end == std::string_view::npos)
        throw Error(
            ErrorCode::plan, subject,
            in_quotes(text.substr(begin)) + " has no closing quotation mark; write a name as \"a, b\", and double any mark inside a name");
      if (end < text.size() && text[end] != ',' && text[end] != '^')
        throw Error(ErrorCode::plan, subject,
                    in_quotes(text.substr(end)) +
                        " follows a name in quotation marks; write a comma between two names, and double any mark inside a name");
    }
    end = std::min(text.find(',', end), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

bool is_quoted(std::string_view part) { return part.starts_with('"') && end_of_quoted(part, 0) != std::string_view::npos; }

std::string unquoted_name(std::string_view part) {
  std::string name;
  const std::size_t end = end_of_quoted(part, 0) - 1;
  for (std::size_t i = 1; i < end; ++i) {
    name += part[i];
    if (part[i] == '"') ++i;
  }
  return name;
}

std::string quoted_name(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

}  // namespace nearkin

#include "target.h"

#include <algorithm>

#include <fmt/format.h>
#include <nearkin/tools/spelling.h>

#include "http.h"

namespace nearkin::server {
namespace {

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string decoded_field(std::string_view text) {
  const std::optional<std::string> decoded = percent_decoded(text, true);
  if (!decoded) throw Problem(400, fmt::format("query string: {} has a percent sign without two hexadecimal digits", shown(text)));
  if (!is_utf8(*decoded)) throw Problem(400, fmt::format("query string: {} is not UTF-8", shown(text)));
  return *decoded;
}

}  // namespace

Target split_target(std::string_view target) {
  const std::string_view whole = target;
  std::optional<std::string> host;
  if (target.starts_with("http://") || target.starts_with("https://")) {
    target.remove_prefix(target.find("//") + 2);
    const std::size_t end = std::min(target.find_first_of("/?"), target.size());
    host = target.substr(0, end);
    target = target.substr(end);
    if (host->empty()) throw Problem(400, fmt::format("request line: {} names no host", shown(whole)));
    if (target.empty()) target = "/";
  }
  if (!target.starts_with('/')) throw Problem(400, fmt::format("request line: {} is not a path; it must begin with /", shown(whole)));
  const std::size_t question = target.find('?');
  if (question == std::string_view::npos) return {.host = std::move(host), .path = std::string(target), .query = {}};
  return {.host = std::move(host), .path = std::string(target.substr(0, question)), .query = std::string(target.substr(question + 1))};
}

std::optional<std::string> percent_decoded(std::string_view text, bool plus) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      if (text.size() - i < 3 || digit(text[i + 1]) < 0 || digit(text[i + 2]) < 0) return {};
      out += static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2]));
      i += 2;
    } else {
      out += plus && text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

namespace {
constexpr std::string_view kCursorDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
}

std::string cursor_of(std::string_view id) {
  std::string out;
  unsigned bits = 0, waiting = 0;
  for (const char c : id) {
    bits = (bits << 8 | static_cast<unsigned char>(c)) & 0xFFFF;
    for (waiting += 8; waiting >= 6; waiting -= 6) out += kCursorDigits[bits >> (waiting - 6) & 63];
  }
  if (waiting > 0) out += kCursorDigits[bits << (6 - waiting) & 63];
  return out;
}

std::optional<std::string> id_of_cursor(std::string_view cursor) {
  std::string out;
  unsigned bits = 0, waiting = 0;
  for (const char c : cursor) {
    const std::size_t digit = kCursorDigits.find(c);
    if (digit == std::string_view::npos) return {};
    bits = (bits << 6 | static_cast<unsigned>(digit)) & 0xFFFF;
    waiting += 6;
    if (waiting < 8) continue;
    waiting -= 8;
    out += static_cast<char>(bits >> waiting & 0xFF);
  }
  if (cursor_of(out) != cursor) return {};  // each id has one
  return out;
}

std::map<std::string, std::string> query_fields(std::string_view query, std::initializer_list<std::string_view> known) {
  std::map<std::string, std::string> fields;
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view field = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (field.empty()) continue;
    const std::size_t equals = std::min(field.find('='), field.size());
    const std::string name = decoded_field(field.substr(0, equals));
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw Problem(400, fmt::format("query string: no field {}; there are {}", shown(name), fmt::join(known, ", ")));
    }
    const std::string value = decoded_field(field.substr(std::min(equals + 1, field.size())));
    if (!fields.emplace(name, value).second) throw Problem(400, fmt::format("query string: {} occurs twice; send it once", name));
  }
  return fields;
}

}  // namespace nearkin::server

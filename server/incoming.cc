#include "incoming.h"

#include <iterator>

#include <fmt/format.h>

#include "target.h"

namespace nearkin::server {
namespace {

namespace http = boost::beast::http;

std::string field(const Parser& parser, http::field name) {
  const auto value = parser.get()[name];
  return {value.data(), value.size()};
}

/// RFC 9112, 3.2. An empty one is for requests that name no machine.
void check_host_field(const Parser& parser) {
  const std::size_t hosts = parser.get().count(http::field::host);
  if (hosts == 0 && parser.get().version() >= 11)
    throw Problem(400, "host: the header has none; HTTP/1.1 asks for one, such as Host: localhost");
  if (hosts > 1) throw Problem(400, fmt::format("host: the header has {} of them; one is expected", hosts));
}

/// Two ways to say where a body ends are how a request is smuggled past a proxy.
void check_framing(const Parser& parser) {
  const std::string encoding = field(parser, http::field::transfer_encoding);
  if (!encoding.empty() && parser.get().count(http::field::content_length) > 0) {
    throw Problem(400, "header: both Transfer-Encoding and Content-Length are given; send one of them");
  }
  if (!encoding.empty() && !boost::beast::iequals(encoding, "chunked")) {
    throw Problem(501, fmt::format("transfer encoding: {} is not known; use chunked", shown(encoding)));
  }
  const std::string content = field(parser, http::field::content_encoding);
  if (!content.empty() && !boost::beast::iequals(content, "identity")) {
    throw Problem(415, fmt::format("content encoding: {} is not known; send the body as it is", shown(content)));
  }
  const std::string expect = field(parser, http::field::expect);
  if (!expect.empty() && !boost::beast::iequals(expect, "100-continue"))
    throw Problem(417, fmt::format("expect: {} is not known", shown(expect)));
}

}  // namespace

void prepare(Parser& parser, const ServerLimits& limits) {
  parser.header_limit(static_cast<std::uint32_t>(limits.header_bytes));
  parser.body_limit(boost::none);
}

Request head_of(const Parser& parser) {
  check_host_field(parser);
  check_framing(parser);
  const auto method = parser.get().method_string();
  const auto target = parser.get().target();
  Target split = split_target({target.data(), target.size()});
  return {.method = method == "HEAD" ? "GET" : std::string(method.data(), method.size()),
          .path = std::move(split.path),
          .query = std::move(split.query),
          .id = {},
          .host = field(parser, http::field::host),
          .authorization = field(parser, http::field::authorization),
          .content_type = field(parser, http::field::content_type),
          .body = {}};
}

Problem parse_problem(const boost::beast::error_code& error, const ServerLimits& limits) {
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return Problem(431, fmt::format("header: it has more than {} bytes; send less of it", limits.header_bytes));
  }
  if (error == http::error::bad_version) return Problem(505, "request line: its version is not known; HTTP/1.1 is");
  return Problem(400, fmt::format("request: it is not HTTP, {}", error.message()));
}

void check_head(const Parser& parser, const boost::beast::error_code& error, const ServerLimits& limits) {
  if (error && error != http::error::need_more) throw parse_problem(error, limits);
  // Short fields take many times their length in memory.
  constexpr std::ptrdiff_t kMostFields = 200;
  if (std::distance(parser.get().begin(), parser.get().end()) > kMostFields)
    throw Problem(431, fmt::format("header: it has more than {} fields; send fewer", kMostFields));
}

void refuse_length(const ServerLimits& limits) {
  throw Problem(413, fmt::format("body: it has more than {} bytes; send it in smaller parts", limits.body_bytes));
}

void check_length(const Parser& parser, const ServerLimits& limits) {
  const auto length = parser.content_length();
  if (length && *length > limits.body_bytes) refuse_length(limits);
}

}  // namespace nearkin::server

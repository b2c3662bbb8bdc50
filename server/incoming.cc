#include "incoming.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>

#include "target.h"

namespace nearkin::server {
namespace {

namespace http = boost::beast::http;
using Parser = http::request_parser<http::buffer_body>;
using SystemError = boost::beast::error_code;

constexpr const char* kLineEnds = "header: a line has a control character in it; lines end in CR LF";

std::string field(const Parser& parser, http::field name) {
  const auto value = parser.get()[name];
  return {value.data(), value.size()};
}

/// RFC 9112, 3.2. An empty one is for requests that name no machine.
void check_host_field(const Parser& parser) {
  const std::size_t hosts = parser.get().count(http::field::host);
  if (hosts == 0 && parser.get().version() >= 11)
    throw Problem(400, "host: the header has none; HTTP/1.1 requires one, such as Host: localhost");
  if (hosts > 1) throw Problem(400, fmt::format("host: the header has {} of them; one is expected", hosts));
}

/// Fields of which the first or the last would count, as it happens.
void check_single_fields(const Parser& parser) {
  for (const http::field name : {http::field::authorization, http::field::content_type}) {
    const std::size_t count = parser.get().count(name);
    if (count > 1) throw Problem(400, fmt::format("header: {} occurs {} times; send it once", std::string(http::to_string(name)), count));
  }
}

/// A head is lines that end in CR LF, each a field of its own. What others read in another way is how requests are smuggled past a proxy:
/// CR or LF alone, NUL, a field that goes on in the next line, a blank before the colon. Empty lines may come before it.
void check_lines(std::string_view head) {
  bool first = true;
  while (!head.empty()) {
    const std::size_t end = head.find("\r\n");
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(end == std::string_view::npos ? head.size() : end + 2);
    if (line.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos) throw Problem(400, kLineEnds);
    if (line.empty()) continue;
    const std::string_view name = line.substr(0, line.find(':'));
    if (!first && (name.size() == line.size() || name.empty() || name.find_first_of(" \t") != std::string_view::npos))
      throw Problem(400, fmt::format("header: {} is not a name and a value in one line, such as Host: localhost", shown(line)));
    first = false;
  }
}

/// Where the body ends must be said once, plainly.
void check_framing(const Parser& parser) {
  const std::size_t codings = parser.get().count(http::field::transfer_encoding);
  const std::size_t lengths = parser.get().count(http::field::content_length);
  if (codings > 0 && lengths > 0) throw Problem(400, "header: both Transfer-Encoding and Content-Length are given; send one of them");
  if (codings > 1 || lengths > 1)
    throw Problem(400, fmt::format("header: {} occurs {} times; send it once", codings > 1 ? "Transfer-Encoding" : "Content-Length",
                                   std::max(codings, lengths)));
  const std::string length = field(parser, http::field::content_length);
  if (lengths > 0 && (length.empty() || length.find_first_not_of("0123456789") != std::string::npos))
    throw Problem(400, fmt::format("content length: {} is not a whole number", shown(length)));
  if (codings == 0) return;
  if (parser.get().version() < 11) throw Problem(400, "transfer encoding: HTTP/1.0 has none; send Content-Length, or HTTP/1.1");
  const std::string coding = field(parser, http::field::transfer_encoding);
  if (!boost::beast::iequals(coding, "chunked"))
    throw Problem(501, fmt::format("transfer encoding: {} is not known; use chunked", shown(coding)));
}

void check_content(const Parser& parser) {
  const std::string content = field(parser, http::field::content_encoding);
  if (!content.empty() && !boost::beast::iequals(content, "identity")) {
    throw Problem(415, fmt::format("content encoding: {} is not known; send the body as it is", shown(content)));
  }
  const std::string expect = field(parser, http::field::expect);
  if (!expect.empty() && !boost::beast::iequals(expect, "100-continue"))
    throw Problem(417, fmt::format("expect: {} is not known", shown(expect)));
}

/// What is wrong with the bytes of a request, where the parser stopped.
Problem parse_problem(const SystemError& error, const ServerLimits& limits) {
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return Problem(431, fmt::format("header: it has more than {} bytes; send less of it", limits.header_bytes));
  }
  if (error == http::error::bad_version) return Problem(505, "request line: its version is not supported; use HTTP/1.1");
  return Problem(400, fmt::format("request: it is not HTTP, {}", error.message()));
}

bool ends_in_lone_lf(std::string_view request_line) {
  const std::size_t end = request_line.find('\n');
  return end != std::string_view::npos && (end == 0 || request_line[end - 1] != '\r');
}

/// Short fields take many times their length in memory.
void check_field_count(const Parser& parser) {
  constexpr std::ptrdiff_t kMostFields = 200;
  if (std::distance(parser.get().begin(), parser.get().end()) > kMostFields)
    throw Problem(431, fmt::format("header: it has more than {} fields; send fewer", kMostFields));
}

}  // namespace

struct Incoming::State {
  const ServerLimits& limits;
  Parser parser = {};
  std::string head = {};  ///< as it came, until it is complete

  std::size_t put(std::string_view bytes, SystemError& error) {
    return parser.put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
  }
};

Incoming::Incoming(const ServerLimits& limits) : state_(new State{limits}) {
  state_->parser.header_limit(static_cast<std::uint32_t>(limits.header_bytes));
  state_->parser.body_limit(boost::none);
}

Incoming::~Incoming() = default;

std::size_t Incoming::put_head(std::string_view bytes) {
  SystemError error;
  const std::size_t used = state_->put(bytes, error);
  if (error == http::error::bad_version && ends_in_lone_lf(bytes)) throw Problem(400, kLineEnds);
  if (error && error != http::error::need_more) throw parse_problem(error, state_->limits);
  check_field_count(state_->parser);
  if (state_->head.size() + used <= state_->limits.header_bytes) state_->head += bytes.substr(0, used);
  if (!has_head()) return used;
  check_lines(state_->head);
  check_framing(state_->parser);
  std::string().swap(state_->head);
  return used;
}

bool Incoming::has_head() const { return state_->parser.is_header_done(); }
bool Incoming::is_complete() const { return state_->parser.is_done(); }

std::size_t Incoming::put_body(std::string_view bytes, const std::function<void(std::string_view)>& keep) {
  const std::size_t room = std::min(kPart, bytes.size());
  const std::unique_ptr<char[]> part(new char[room]);
  Parser& parser = state_->parser;
  std::size_t used = 0;
  while (!parser.is_done() && used < bytes.size()) {
    parser.get().body() = {.data = part.get(), .size = room, .more = true};
    SystemError error;
    used += state_->put(bytes.substr(used), error);
    keep({part.get(), room - parser.get().body().size});
    if (error == http::error::need_more) {
      // What frames a chunk has no other bound.
      if (bytes.size() - used > state_->limits.header_bytes) throw parse_problem(http::error::header_limit, state_->limits);
      break;
    }
    if (error && error != http::error::need_buffer) throw parse_problem(error, state_->limits);
  }
  return used;
}

Request Incoming::head() const {
  const Parser& parser = state_->parser;
  check_host_field(parser);
  check_single_fields(parser);
  check_content(parser);
  Target split = split_target(target());
  std::string asked = method();
  return {.method = asked == "HEAD" ? "GET" : std::move(asked),
          .path = std::move(split.path),
          .query = std::move(split.query),
          .id = {},
          .host = split.host.value_or(field(parser, http::field::host)),
          .authorization = field(parser, http::field::authorization),
          .content_type = field(parser, http::field::content_type),
          .request_id = std::string(parser.get()["X-Request-Id"]),
          .body = {}};
}

std::string Incoming::method() const { return std::string(state_->parser.get().method_string()); }
std::string Incoming::target() const { return std::string(state_->parser.get().target()); }
bool Incoming::is_http_1_0() const { return state_->parser.get().version() == 10; }
bool Incoming::keeps_alive() const { return state_->parser.keep_alive(); }
// HTTP/1.0 has no such answer.
bool Incoming::asks_to_go_on() const { return !is_http_1_0() && !state_->parser.get()[http::field::expect].empty(); }

std::optional<std::uint64_t> Incoming::length() const {
  const auto length = state_->parser.content_length();
  return length ? std::optional<std::uint64_t>(*length) : std::nullopt;
}

void Incoming::check_length() const {
  if (length().value_or(0) > state_->limits.body_bytes) refuse_length(state_->limits);
}

void refuse_length(const ServerLimits& limits) {
  throw Problem(413, fmt::format("body: it has more than {} bytes; send it in smaller parts", limits.body_bytes));
}

}  // namespace nearkin::server

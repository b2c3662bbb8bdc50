#include "http.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <new>

#include <fmt/format.h>
#include <nearkin/error.h>
#include <nearkin/tools/spelling.h>

#include "clock_text.h"
#include "json_out.h"

namespace nearkin::server {

std::string_view reason(unsigned status) {
  switch (status) {
    case 200: return "OK";
    case 201: return "Created";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 413: return "Content Too Large";
    case 415: return "Unsupported Media Type";
    case 417: return "Expectation Failed";
    case 421: return "Misdirected Request";
    case 422: return "Unprocessable Content";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    case 505: return "HTTP Version Not Supported";
    default: return "Internal Server Error";
  }
}

/// Tells a client that should come back when to do so.
static Headers with_retry(const Problem& problem) {
  Headers headers = problem.headers();
  const bool later = problem.status() == 503 || problem.status() == 429;
  const bool told = std::any_of(headers.begin(), headers.end(), [](const auto& header) { return header.first == "Retry-After"; });
  if (later && !told) headers.emplace_back("Retry-After", "1");
  return headers;
}

Reply problem_reply(const Problem& problem) {
  JsonObject object;
  object.add("type", "about:blank").add("title", reason(problem.status())).add("status", problem.status()).add("detail", problem.what());
  return {.status = problem.status(),
          .type = "application/problem+json",
          .body = object.line(),
          .headers = with_retry(problem),
          .error = problem.what()};
}

Problem problem_of(std::exception_ptr error) {
  try {
    std::rethrow_exception(error);
  } catch (const Problem& problem) {
    return problem;
  } catch (const Error& failure) {
    return Problem(failure.code() == ErrorCode::file ? 500 : 422, failure.what());
  } catch (const std::bad_alloc&) {
    return Problem(503, "memory: there is not enough for this request; try again later or send less at a time");
  } catch (const std::exception& failure) {
    return Problem(500, fmt::format("server: {}", failure.what()));
  } catch (...) {
    return Problem(500, "server: an unknown error");
  }
}

std::string head_text(const Reply& reply, const Framing& framing) {
  std::string out;
  out.reserve(512);
  const auto add = [&out]<typename... Values>(fmt::format_string<Values...> text, Values&&... values) {
    fmt::format_to(std::back_inserter(out), text, std::forward<Values>(values)...);
  };
  add("HTTP/1.{} {} {}\r\nServer: nearkin\r\nDate: {}\r\n", framing.http_1_0 ? 0 : 1, reply.status, reason(reply.status),
      http_date(std::chrono::system_clock::now()));
  if (!reply.type.empty()) add("Content-Type: {}\r\n", reply.type);
  out += "X-Content-Type-Options: nosniff\r\n";
  for (const auto& [name, value] : reply.headers) add("{}: {}\r\n", name, value);
  if (!framing.chunked)
    add("Content-Length: {}\r\n", reply.body.size());
  else if (!framing.http_1_0)
    out += "Transfer-Encoding: chunked\r\n";
  if (!framing.keep_alive)
    out += "Connection: close\r\n";
  else if (framing.http_1_0)
    out += "Connection: keep-alive\r\n";
  return out += "\r\n";
}

std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 100;
  if (text.size() <= kMost) return json_string(text);
  std::size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return fmt::format("{}… ({} bytes)", json_string(text.substr(0, end)), text.size());
}

}  // namespace nearkin::server

// Requests and answers as plain values; what carries them is in session.h.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nearkin::server {

inline constexpr std::size_t kPart = 64 << 10;  ///< bytes that are read or written at a time

struct Request {
  std::string method;  ///< "GET"; HEAD is a GET whose answer has no body
  std::string path;    ///< as it came, percent signs and all
  std::string query;   ///< behind the question mark
  std::string id;      ///< of paths with {id}: decoded
  std::string host, authorization, content_type, request_id;
  std::string body;
};

using Headers = std::vector<std::pair<std::string, std::string>>;

struct Reply {
  unsigned status = 200;
  std::string type = "application/json";
  std::string body;
  Headers headers = {};
  std::string error = {};  ///< for the log
};

/// A request that is refused. `what()` reads "SUBJECT: what is wrong, with the value; what would be right".
class Problem : public std::exception {
 public:
  Problem(unsigned status, std::string detail, Headers headers = {})
      : detail_(std::move(detail)), status_(status), headers_(std::move(headers)) {}
  /// A text of its own: those of std::runtime_error are shared by copies, also between threads, which the thread sanitizer cannot follow.
  const char* what() const noexcept override { return detail_.c_str(); }
  unsigned status() const { return status_; }
  const Headers& headers() const { return headers_; }

 private:
  std::string detail_;
  unsigned status_;
  Headers headers_;
};

/// "Not Found"
std::string_view reason(unsigned status);
Reply problem_reply(const Problem& problem);
/// What an exception means to a client: Problem as it is; Error of plan and data 422, of files 500; no memory 503.
Problem problem_of(std::exception_ptr error);

/// Status line and header fields of an answer, with the empty line. `length` absent: chunked for HTTP/1.1, else to the end of the
/// connection.
struct Framing {
  bool keep_alive = true;
  bool http_1_0 = false;
  bool chunked = false;
};
std::string head_text(const Reply& reply, const Framing& framing);

/// A value that came from a client, for an error: quoted, cut after a hundred bytes.
std::string shown(std::string_view text);

}  // namespace nearkin::server

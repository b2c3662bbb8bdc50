// A client of sockets, which can also do what no decent client does.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace nearkin::server_test {

struct Response {
  int status = 0;                              ///< 0: the connection was closed without an answer
  std::map<std::string, std::string> headers;  ///< names in lower case
  std::string body;
  bool complete = false;  ///< the body has the end that the header promised
};

class Client {
 public:
  explicit Client(unsigned short port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) throw std::runtime_error("cannot connect");
  }
  Client(Client&& other) noexcept : socket_(std::exchange(other.socket_, -1)), rest_(std::move(other.rest_)) {}
  ~Client() { close(); }

  void close() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }
  /// The other end sees a reset, not an end.
  void reset() {
    const linger now{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    close();
  }
  void end_sending() { ::shutdown(socket_, SHUT_WR); }

  /// Whether all of it was taken.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  /// The next answer. `without_body`: to HEAD.
  Response read(bool without_body = false) {
    Response response;
    std::size_t end = 0;
    while ((end = rest_.find("\r\n\r\n")) == std::string::npos) {
      if (!receive()) return response;
    }
    parse_head(rest_.substr(0, end + 2), response);
    rest_.erase(0, end + 4);
    if (response.status == 100) return read(without_body);
    if (without_body)
      response.complete = true;
    else if (response.headers["transfer-encoding"] == "chunked")
      read_chunks(response);
    else if (response.headers.contains("content-length"))
      read_length(response, std::strtoull(response.headers["content-length"].c_str(), nullptr, 10));
    else
      while (receive()) {
      }
    if (response.body.empty() && !response.complete) response.body.swap(rest_);
    return response;
  }

  Response ask(std::string_view bytes) {
    send(bytes);
    return read();
  }
  /// Whether the other end closes within the time, reading what comes until then.
  bool closed_within(std::chrono::milliseconds time) {
    const auto deadline = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < deadline) {
      pollfd waiting{.fd = socket_, .events = POLLIN, .revents = 0};
      if (::poll(&waiting, 1, 10) > 0 && !receive()) return true;
    }
    return false;
  }
  /// One line of a chunked answer, without waiting for the rest of it.
  std::string read_until(std::string_view mark) {
    while (rest_.find(mark) == std::string::npos) {
      if (!receive()) break;
    }
    return rest_;
  }

 private:
  bool receive() {
    char bytes[16384];
    const ssize_t got = ::recv(socket_, bytes, sizeof bytes, 0);
    if (got <= 0) return false;
    rest_.append(bytes, static_cast<std::size_t>(got));
    return true;
  }
  static void parse_head(std::string_view head, Response& response) {
    response.status = std::atoi(std::string(head.substr(std::min<std::size_t>(9, head.size()), 3)).c_str());
    for (std::size_t at = head.find("\r\n") + 2; at < head.size();) {
      const std::size_t end = head.find("\r\n", at);
      const std::string_view line = head.substr(at, end - at);
      std::string name(line.substr(0, line.find(": ")));
      std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      response.headers[name] = line.substr(std::min(line.find(": ") + 2, line.size()));
      at = end + 2;
    }
  }
  void read_length(Response& response, std::size_t length) {
    while (rest_.size() < length && receive()) {
    }
    response.complete = rest_.size() >= length;
    response.body = rest_.substr(0, length);
    rest_.erase(0, response.body.size());
  }
  void read_chunks(Response& response) {
    for (;;) {
      while (rest_.find("\r\n") == std::string::npos) {
        if (!receive()) return;
      }
      const std::size_t line = rest_.find("\r\n");
      const std::size_t length = std::strtoull(rest_.c_str(), nullptr, 16);
      while (rest_.size() < line + 2 + length + 2) {
        if (!receive()) return;
      }
      response.body.append(rest_, line + 2, length);
      rest_.erase(0, line + 2 + length + 2);
      if (length == 0) break;
    }
    response.complete = true;
  }

  int socket_;
  std::string rest_;
};

/// A request with its body and what else its header needs.
inline std::string request(std::string_view method, std::string_view target, std::string_view body = {}, std::string_view more = {}) {
  std::string text = std::string(method) + " " + std::string(target) + " HTTP/1.1\r\nHost: localhost\r\n" + std::string(more);
  if (!body.empty()) {
    if (more.find("Content-Type") == std::string_view::npos) text += "Content-Type: application/json\r\n";
    text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  }
  return text + "\r\n" + std::string(body);
}

}  // namespace nearkin::server_test

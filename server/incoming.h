// Bytes → a request. What parses them is Boost.Beast, in incoming.cc alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http.h"
#include "server.h"

namespace nearkin::server {

/// One request as it arrives: its head, then its body.
class Incoming {
 public:
  /// Bounds the head. The body has its bound elsewhere, by what it is for. The limits must outlive it.
  explicit Incoming(const ServerLimits& limits);
  ~Incoming();

  /// Returns how many of the bytes were used. Throws Problem(431, 505, 400, 501) for a head, or as much of one as has come, that is
  /// refused: nothing is known then of where the request ends, and the connection must be closed.
  std::size_t put_head(std::string_view bytes);
  bool has_head() const;
  /// The same for the body, of which `keep` gets a part at a time. Throws Problem(400, 431), and what `keep` throws.
  std::size_t put_body(std::string_view bytes, const std::function<void(std::string_view)>& keep);
  bool is_complete() const;

  /// The request whose head was read, without its body. HEAD becomes GET. Throws Problem(400, 415, 417) for a head that cannot be answered.
  Request head() const;
  std::string method() const;
  std::string target() const;
  bool is_http_1_0() const;
  bool keeps_alive() const;
  /// The other side waits to be told that it may send the body.
  bool asks_to_go_on() const;
  std::optional<std::uint64_t> length() const;
  /// Throws Problem(413) for a body that says of itself that it is larger than allowed.
  void check_length() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

[[noreturn]] void refuse_length(const ServerLimits& limits);

}  // namespace nearkin::server

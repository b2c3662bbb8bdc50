// A connection: bytes in, bytes out, and a clock. What carries them is Asio, in connection.cc alone.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace nearkin::server {

struct Socket;      // socket.h
struct TlsContext;  // tls.h

/// All that it calls runs on its strand, one after another, and so must all that calls it but `post`, `dispatch` and `remote`. It must live
/// until what was begun has called back.
class Connection {
 public:
  using Clock = std::chrono::steady_clock;
  using Then = std::function<void()>;
  using Received = std::function<void(bool failed)>;
  using Sent = std::function<void(bool failed, std::size_t bytes)>;

  /// What every connection keeps while it waits.
  static constexpr std::size_t kLeastRoom = 4 << 10;

  /// `most`: bytes that have arrived and were not yet taken. `tls`: whose certificate it shows, and must outlive it; null: plain.
  Connection(Socket&& socket, std::size_t most, TlsContext* tls);
  ~Connection();

  void post(Then then);
  /// At once where this is the strand.
  void dispatch(Then then);
  /// The address of the other side.
  const std::string& remote() const { return remote_; }
  /// Who shares a rate: the address, or the network of 64 bits that one owner of IPv6 addresses has.
  const std::string& client() const { return client_; }
  int handle() const;
  /// Agrees on keys with the other side, where this is TLS.
  void greet(Received next);

  /// In place of an earlier one; `then` is not called where a later one, or `close`, comes first.
  void wake_at(Clock::time_point when, Then then);
  /// What is under way fails.
  void cancel();
  void close();

  std::string_view arrived() const;
  void take(std::size_t bytes);
  /// Waits for bytes, at most so many, and adds them to those that have arrived.
  void receive(std::size_t most, Received next);
  /// There is more than has arrived.
  bool has_more();
  /// Waits for bytes and forgets them.
  void drain(Received next);

  /// As much of both as can be sent without waiting.
  struct Written {
    std::size_t bytes = 0;
    bool failed = false;
  };
  Written write_now(std::string_view head, std::string_view body);
  /// Both must live until it calls back; `next_part` is called at the beginning, and whenever a further part (kPart) was taken.
  void write(std::string_view head, std::string_view body, Then next_part, Sent done);
  /// Nothing follows. True: `ended` will be called once the other side knows, and nothing may be read meanwhile.
  bool end_writing(Then ended);

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::string remote_, client_;
};

}  // namespace nearkin::server

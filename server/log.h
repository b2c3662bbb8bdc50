// One line of JSON for each request. Logging never waits: lines pass through a queue to a thread of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace nearkin::server {

struct LogEntry {
  std::string method, path, remote;
  std::string request_id = {};
  unsigned status = 0;      ///< 0: the client went away before it was answered
  std::uint64_t bytes = 0;  ///< sent
  double seconds = 0;       ///< from the first byte of the request to the last of the answer
  std::string error = {};
};

class Log {
 public:
  using Sink = std::function<void(const std::string&)>;
  /// Without a sink: standard error.
  explicit Log(Sink sink);
  /// Writes what waits. Standard error that nobody reads is given up after a second.
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  void write(const LogEntry& entry);
  /// Something that belongs to no request: {"time":…,"event":…}
  void event(const std::string& text);
  /// Lines that found the queue full, in all.
  std::uint64_t dropped() const;

 private:
  struct State;
  void send(std::string line);

  std::shared_ptr<State> state_;
};

}  // namespace nearkin::server

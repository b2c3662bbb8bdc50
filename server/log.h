// One line of JSON for each request.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

namespace nearkin::server {

struct LogEntry {
  std::string method, path, remote;
  unsigned status = 0;      ///< 0: the client went away before it was answered
  std::uint64_t bytes = 0;  ///< sent
  double seconds = 0;       ///< from the first byte of the request to the last of the answer
  std::string error = {};
};

class Log {
 public:
  using Sink = std::function<void(const std::string&)>;
  explicit Log(Sink sink);
  void write(const LogEntry& entry);
  /// Something that belongs to no request: {"time":…,"event":…}
  void event(const std::string& text);

 private:
  void send(const std::string& line);

  std::mutex mutex_;
  Sink sink_;
};

}  // namespace nearkin::server

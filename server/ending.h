// When work for a client ends before its end: its time is over, the client has left, or the server stops.
#pragma once

#include <chrono>
#include <string>

#include "app.h"

namespace nearkin::server {

class Ending {
 public:
  /// `advice` says what to ask for instead when the time is over.
  Ending(const App& app, const Exchange& exchange, const char* advice);

  /// Whether the work should end now. Cheap enough to be asked every few microseconds.
  bool is_due();
  /// Why it should.
  const std::string& reason() const { return reason_; }

 private:
  using Clock = std::chrono::steady_clock;
  bool because(std::string reason);

  const App& app_;
  const Exchange& exchange_;
  const char* advice_;
  Clock::time_point deadline_, next_look_;
  std::string reason_;
};

}  // namespace nearkin::server

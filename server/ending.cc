#include "ending.h"

#include <utility>

#include <fmt/format.h>

#include "presence.h"

namespace nearkin::server {

Ending::Ending(const App& app, const Exchange& exchange, const char* advice)
    : app_(app), exchange_(exchange), advice_(advice), deadline_(exchange.arrived + duration_of(app.options.limits.query_seconds)) {}

bool Ending::is_due() {
  const Clock::time_point now = Clock::now();
  if (app_.ending) return because("server: it is stopping; ask again");
  if (now >= deadline_) {
    return because(fmt::format("query: it was not finished after {} seconds, the server's --query-timeout; {}",
                               app_.options.limits.query_seconds, advice_));
  }
  if (now < next_look_) return false;
  next_look_ = now + std::chrono::milliseconds(20);
  // Half a connection may be closed by one that waits: it is answered where that takes no longer than this.
  constexpr auto kHalfClosed = std::chrono::seconds(1);
  const Presence presence = presence_of(exchange_.socket);
  const bool left = presence == Presence::gone || (presence == Presence::ended && now - exchange_.arrived > kHalfClosed);
  return left && because("query: the client has left");
}

bool Ending::because(std::string reason) {
  reason_ = std::move(reason);
  return true;
}

}  // namespace nearkin::server

#include "presence.h"

#include <poll.h>

namespace nearkin::server {

Presence presence_of(int socket) {
#if defined(POLLRDHUP)
  constexpr short kEnded = POLLRDHUP;
#else
  constexpr short kEnded = 0;
#endif
  pollfd asked{.fd = socket, .events = kEnded, .revents = 0};
  if (socket < 0 || ::poll(&asked, 1, 0) <= 0) return Presence::there;
  if ((asked.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0) return Presence::gone;
  return (asked.revents & kEnded) != 0 ? Presence::ended : Presence::there;
}

}  // namespace nearkin::server

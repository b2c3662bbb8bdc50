// Whether a client still waits for its answer.
#pragma once

namespace nearkin::server {

enum class Presence {
  there,
  ended,  ///< it sends nothing more: it has left, or only closed its half of the connection
  gone,
};
/// The presence of the other side of a socket. Never waits.
Presence presence_of(int socket);

}  // namespace nearkin::server

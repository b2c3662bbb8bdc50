// Where the server may listen.
#pragma once

#include <boost/asio/ip/tcp.hpp>

#include "server.h"

namespace nearkin::server {

/// Throws Error(plan) for what is no address, and for one that others can reach where there is no token.
boost::asio::ip::tcp::endpoint endpoint_of(const ServerOptions& options);

/// "127.0.0.1:8787", "[::1]:8787"
std::string text_of(const boost::asio::ip::tcp::endpoint& endpoint);

}  // namespace nearkin::server

// The sockets of connections, for connection.cc and for who accepts them.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/strand.hpp>

namespace nearkin::server {

// Spelled out: Asio's own names hide the kind of executor, and every step would look it up.
using Strand = boost::asio::strand<boost::asio::io_context::executor_type>;

struct Socket {
  boost::asio::basic_stream_socket<boost::asio::ip::tcp, Strand> socket;
};

}  // namespace nearkin::server

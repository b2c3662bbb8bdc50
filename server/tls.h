// The certificate of the server, for connection.cc and for who accepts connections.
#pragma once

#include <memory>
#include <string>

#include <boost/asio/ssl/context.hpp>

namespace nearkin::server {

struct TlsContext {
  boost::asio::ssl::context context;
};

/// TLS 1.2 and later, with a certificate (its chain behind it) and its key, both PEM. Throws Error(file) naming the file at fault, a key
/// that others can read included.
std::unique_ptr<TlsContext> open_tls(const std::string& certificate, const std::string& key);

}  // namespace nearkin::server

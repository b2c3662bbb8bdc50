#include "tls.h"

#include <fmt/format.h>
#include <nearkin/error.h>

#include "server.h"

namespace nearkin::server {
namespace {

namespace ssl = boost::asio::ssl;

void require_done(const boost::system::error_code& error, const std::string& path, const char* what) {
  if (error) throw Error(ErrorCode::file, path, fmt::format("is not {} in PEM format, {}", what, error.message()));
}

}  // namespace

std::unique_ptr<TlsContext> open_tls(const std::string& certificate, const std::string& key) {
  require_private(key);
  auto tls = std::make_unique<TlsContext>(TlsContext{ssl::context(ssl::context::tls_server)});
  SSL_CTX* native = tls->context.native_handle();
  ::SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  ::SSL_CTX_set_options(native, SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  ::SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);  // who waits holds little
  boost::system::error_code error;
  tls->context.use_certificate_chain_file(certificate, error);
  require_done(error, certificate, "a certificate");
  tls->context.use_private_key_file(key, ssl::context::pem, error);
  require_done(error, key, "the key of the certificate");
  return tls;
}

}  // namespace nearkin::server

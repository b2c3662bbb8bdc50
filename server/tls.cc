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
  // OpenSSL would ask for the pass phrase at the terminal, and the server would wait there.
  const auto is_encrypted = std::make_shared<bool>(false);
  tls->context.set_password_callback([is_encrypted](std::size_t, ssl::context::password_purpose) {
    *is_encrypted = true;
    return std::string();
  });
  boost::system::error_code error;
  tls->context.use_certificate_chain_file(certificate, error);
  require_done(error, certificate, "a certificate");
  tls->context.use_private_key_file(key, ssl::context::pem, error);
  if (*is_encrypted) {
    throw Error(ErrorCode::file, key,
                "is encrypted, and the server asks for no pass phrase; decrypt it first: openssl pkey -in KEY -out NEW");
  }
  require_done(error, key, "the key of the certificate");
  return tls;
}

}  // namespace nearkin::server

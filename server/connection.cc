#include "connection.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include "http.h"
#include "socket.h"
#include "tls.h"

namespace nearkin::server {
namespace {

namespace asio = boost::asio;
using SystemError = boost::system::error_code;
using Timer = asio::basic_waitable_timer<Connection::Clock, asio::wait_traits<Connection::Clock>, Strand>;

asio::ip::address address_of(const Socket& of) {
  SystemError error;
  const auto endpoint = of.socket.remote_endpoint(error);
  return error ? asio::ip::address() : endpoint.address();
}

std::string client_of(const asio::ip::address& address) {
  if (!address.is_v6()) return address.to_string();
  if (address.to_v6().is_v4_mapped()) return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).to_string();
  const auto bytes = address.to_v6().to_bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size() / 2};
}

asio::const_buffer buffer_of(std::string_view bytes) { return {bytes.data(), bytes.size()}; }

}  // namespace

struct Connection::State {
  using Plain = decltype(Socket::socket);
  using Secure = asio::ssl::stream<Plain&>;

  State(Socket&& of, std::size_t most, TlsContext* tls) : socket(std::move(of.socket)), timer(socket.get_executor()), buffer(most) {
    if (tls != nullptr) secure.emplace(socket, tls->context);
  }
  /// Bytes that can be read without waiting; of TLS, about.
  std::size_t ready() {
    SystemError ignored;
    const auto deciphered = secure ? static_cast<std::size_t>(std::max(0, ::SSL_pending(secure->native_handle()))) : 0;
    return deciphered + socket.available(ignored);
  }
  template <typename Use>
  void with_stream(Use use) {
    secure ? use(*secure) : use(socket);
  }

  Plain socket;
  std::optional<Secure> secure;
  Timer timer;
  boost::beast::flat_buffer buffer;
  std::unique_ptr<char[]> drained;
};

Connection::Connection(Socket&& socket, std::size_t most, TlsContext* tls) {
  const asio::ip::address address = address_of(socket);
  remote_ = address.to_string();
  client_ = client_of(address);
  state_ = std::make_unique<State>(std::move(socket), most, tls);
  SystemError ignored;
  state_->socket.set_option(asio::ip::tcp::no_delay(true), ignored);
  state_->socket.non_blocking(true, ignored);
}

Connection::~Connection() = default;

void Connection::post(Then then) { asio::post(state_->socket.get_executor(), std::move(then)); }

void Connection::dispatch(Then then) { asio::dispatch(state_->socket.get_executor(), std::move(then)); }

void Connection::wake_at(Clock::time_point when, Then then) {
  state_->timer.expires_at(when);
  state_->timer.async_wait([then = std::move(then)](const SystemError& error) {
    if (!error) then();
  });
}

int Connection::handle() const { return state_->socket.native_handle(); }

void Connection::greet(Received next) {
  if (!state_->secure) return next(false);
  state_->secure->async_handshake(asio::ssl::stream_base::server,
                                  [next = std::move(next)](const SystemError& error) { next(error.failed()); });
}

void Connection::cancel() {
  SystemError ignored;
  state_->socket.cancel(ignored);
}

void Connection::close() {
  state_->timer.cancel();
  SystemError ignored;
  state_->socket.close(ignored);
}

std::string_view Connection::arrived() const {
  const auto data = state_->buffer.cdata();
  return {static_cast<const char*>(data.data()), data.size()};
}

void Connection::take(std::size_t bytes) { state_->buffer.consume(bytes); }

void Connection::receive(std::size_t most, Received next) {
  // Who waits holds little: there is more room only for what has arrived already.
  boost::beast::flat_buffer& buffer = state_->buffer;
  const std::size_t wanted = std::clamp(most > kLeastRoom ? state_->ready() : 0, kLeastRoom, most);
  if (buffer.size() == 0 && buffer.capacity() > wanted) buffer.shrink_to_fit();
  const auto room = buffer.prepare(std::min(wanted, buffer.max_size() - buffer.size()));
  state_->with_stream([&](auto& stream) {
    stream.async_read_some(room, [this, next = std::move(next)](const SystemError& error, std::size_t bytes) {
      state_->buffer.commit(bytes);
      next(error.failed());
    });
  });
}

bool Connection::has_more() { return state_->ready() > 0; }

void Connection::drain(Received next) {
  if (!state_->drained) state_->drained.reset(new char[kPart]);
  state_->with_stream([&](auto& stream) {
    stream.async_read_some(asio::buffer(state_->drained.get(), kPart),
                           [next = std::move(next)](const SystemError& error, std::size_t) { next(error.failed()); });
  });
}

Connection::Written Connection::write_now(std::string_view head, std::string_view body) {
  if (state_->secure) return {};  // what it enciphers it must be able to wait with
  SystemError error;
  const std::size_t bytes = state_->socket.write_some(std::array{buffer_of(head), buffer_of(body)}, error);
  return {bytes, error && error != asio::error::would_block};
}

void Connection::write(std::string_view head, std::string_view body, Then next_part, Sent done) {
  state_->with_stream([&](auto& stream) {
    asio::async_write(
        stream, std::array{buffer_of(head), buffer_of(body)},
        [next_part = std::move(next_part), mark = std::size_t{0}](const SystemError& error, std::size_t bytes) mutable {
          if (bytes >= mark) {
            next_part();
            mark = bytes + kPart;
          }
          return error ? std::size_t{0} : kPart;
        },
        [done = std::move(done)](const SystemError& error, std::size_t bytes) { done(error.failed(), bytes); });
  });
}

bool Connection::end_writing(Then ended) {
  if (state_->secure) {
    state_->secure->async_shutdown([ended = std::move(ended)](const SystemError&) { ended(); });
    return true;
  }
  SystemError ignored;
  state_->socket.shutdown(asio::socket_base::shutdown_send, ignored);
  return false;
}

}  // namespace nearkin::server

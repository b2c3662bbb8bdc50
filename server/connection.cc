#include "connection.h"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include "http.h"
#include "socket.h"

namespace nearkin::server {
namespace {

namespace asio = boost::asio;
using SystemError = boost::system::error_code;
using Timer = asio::basic_waitable_timer<Connection::Clock, asio::wait_traits<Connection::Clock>, Strand>;

std::string address_of(const Socket& of) {
  SystemError error;
  const auto endpoint = of.socket.remote_endpoint(error);
  return error ? "unknown" : endpoint.address().to_string(error);
}

asio::const_buffer buffer_of(std::string_view bytes) { return {bytes.data(), bytes.size()}; }

}  // namespace

struct Connection::State {
  State(Socket&& of, std::size_t most) : socket(std::move(of.socket)), timer(socket.get_executor()), buffer(most) {}
  decltype(Socket::socket) socket;
  Timer timer;
  boost::beast::flat_buffer buffer;
  std::unique_ptr<char[]> drained;
};

Connection::Connection(Socket&& socket, std::size_t most) : remote_(address_of(socket)) {
  state_ = std::make_unique<State>(std::move(socket), most);
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
  SystemError ignored;
  const std::size_t wanted = std::clamp(most > kLeastRoom ? state_->socket.available(ignored) : 0, kLeastRoom, most);
  if (buffer.size() == 0 && buffer.capacity() > wanted) buffer.shrink_to_fit();
  const auto room = buffer.prepare(std::min(wanted, buffer.max_size() - buffer.size()));
  state_->socket.async_read_some(room, [this, next = std::move(next)](const SystemError& error, std::size_t bytes) {
    state_->buffer.commit(bytes);
    next(error.failed());
  });
}

bool Connection::has_more() {
  SystemError ignored;
  return state_->socket.available(ignored) > 0;
}

void Connection::drain(Received next) {
  if (!state_->drained) state_->drained.reset(new char[kPart]);
  state_->socket.async_read_some(asio::buffer(state_->drained.get(), kPart),
                                 [next = std::move(next)](const SystemError& error, std::size_t) { next(error.failed()); });
}

Connection::Written Connection::write_now(std::string_view head, std::string_view body) {
  SystemError error;
  const std::size_t bytes = state_->socket.write_some(std::array{buffer_of(head), buffer_of(body)}, error);
  return {bytes, error && error != asio::error::would_block};
}

void Connection::write(std::string_view head, std::string_view body, Then next_part, Sent done) {
  asio::async_write(
      state_->socket, std::array{buffer_of(head), buffer_of(body)},
      [next_part = std::move(next_part)](const SystemError& error, std::size_t) {
        next_part();
        return error ? std::size_t{0} : kPart;
      },
      [done = std::move(done)](const SystemError& error, std::size_t bytes) { done(error.failed(), bytes); });
}

void Connection::end_writing() {
  SystemError ignored;
  state_->socket.shutdown(asio::socket_base::shutdown_send, ignored);
}

}  // namespace nearkin::server

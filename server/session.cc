#include "session.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

#include "bulk_state.h"
#include "json_in.h"

namespace nearkin::server {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

constexpr std::size_t kPart = 64 << 10;
constexpr std::size_t kHeadPart = 4 << 10;  // what every connection keeps while it waits
constexpr double kLingerSeconds = 2;

std::chrono::steady_clock::duration duration_of(double seconds) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds));
}

std::string address_of(const Socket& socket) {
  boost::system::error_code error;
  const auto endpoint = socket.remote_endpoint(error);
  return error ? "unknown" : endpoint.address().to_string(error);
}

}  // namespace

Session::Session(Socket socket, const SessionContext& surroundings)
    : socket_(std::move(socket)),
      app_(surroundings.app),
      turns_(surroundings.turns),
      sessions_(surroundings.sessions),
      remote_(address_of(socket_)),
      timer_(socket_.get_executor()),
      buffer_(limits().header_bytes + kPart) {
  ++app_.metrics.connections;
  boost::system::error_code ignored;
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  socket_.non_blocking(true, ignored);
}

Session::~Session() {
  --app_.metrics.connections;
  sessions_.remove(this);
}

void Session::start() {
  sessions_.add(shared_from_this());
  asio::dispatch(socket_.get_executor(), [self = shared_from_this()] { self->wait_for_request(); });
}

void Session::refuse() {
  sessions_.add(shared_from_this());
  begun_ = std::chrono::steady_clock::now();
  asio::dispatch(socket_.get_executor(), [self = shared_from_this()] {
    self->send_problem(
        Problem(503, fmt::format("connections: {} are open, which is as many as there may be; try again", self->limits().connections),
                {{"Retry-After", "1"}}));
  });
}

void Session::stop() {
  asio::post(socket_.get_executor(), [self = shared_from_this()] {
    self->stopping_ = true;
    if (self->idle_)
      self->close();
    else if (self->bulk_ && self->armed_)
      self->arm(kLingerSeconds);  // the body may go on for ever
  });
}

void Session::abort() {
  asio::post(socket_.get_executor(), [self = shared_from_this()] { self->close(); });
}

void Session::arm(double seconds) {
  deadline_ = std::chrono::steady_clock::now() + duration_of(seconds);
  armed_ = true;
  timed_out_ = false;
  if (!watching_ || timer_.expiry() > deadline_) watch();
}

void Session::watch() {
  watching_ = true;
  timer_.expires_at(deadline_);
  timer_.async_wait([self = shared_from_this()](const Error& error) {
    if (!error) self->on_timer();
  });
}

void Session::on_timer() {
  watching_ = false;
  if (!armed_ || closed_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now >= deadline_) {
    timed_out_ = true;
    boost::system::error_code ignored;
    socket_.cancel(ignored);
    // A read that was between two of its steps did not notice: it is cancelled again.
    deadline_ = now + std::chrono::milliseconds(100);
  }
  watch();
}

void Session::wait_for_request() {
  if (stopping_ || app_.stopping) return close();
  parser_.reset();
  // What came behind the last request is looked at in its turn, so that no connection holds up the others.
  if (buffer_.size() > 0) return asio::post(socket_.get_executor(), [self = shared_from_this()] { self->on_request({}); });
  idle_ = true;
  arm(limits().idle_seconds);
  receive(kHeadPart, &Session::on_request);
}

void Session::on_request(const Error& error) {
  idle_ = false;
  if (error || closed_) return close();
  begun_ = std::chrono::steady_clock::now();
  entry_ = {};
  route_ = nullptr;
  head_only_ = false;
  parser_.emplace();
  prepare(*parser_, limits());
  arm(limits().header_seconds);
  read_head();
}

void Session::on_head_part(const Error& error) {
  if (timed_out_) {
    return send_problem(Problem(408, fmt::format("header: it was not complete after {} seconds", limits().header_seconds)));
  }
  error ? close() : read_head();
}

void Session::read_head() {
  try {
    Error error;
    buffer_.consume(parser_->put(buffer_.data(), error));
    check_head(*parser_, error, limits());
    if (!parser_->is_header_done()) return receive(kHeadPart, &Session::on_head_part);
    note_request();
    begin_request();
  } catch (...) {
    note_request();
    send_problem(problem_of(std::current_exception()));
  }
}

/// For the log.
void Session::note_request() {
  entry_.method = std::string(parser_->get().method_string());
  entry_.path = std::string(parser_->get().target().substr(0, 1000));
}

void Session::begin_request() {
  head_only_ = parser_->get().method() == http::verb::head;
  exchange_ = std::make_shared<Exchange>(app_.budget);
  exchange_->request = head_of(*parser_);
  route_ = &admit(app_, exchange_->request);
  if (route_->body != Route::Body::stream) check_length(*parser_, limits());
  greet_and_read();
}

/// Who asks whether to go on with a body gets to know before it is waited for.
void Session::greet_and_read() {
  const auto go_on = [self = shared_from_this()] {
    self->arm(self->limits().body_seconds);
    self->route_->body == Route::Body::stream ? self->begin_bulk() : self->read_body();
  };
  if (parser_->is_done() || parser_->get()[http::field::expect].empty()) return go_on();
  static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  arm(limits().write_seconds);
  asio::async_write(socket_, asio::buffer(kContinue.data(), kContinue.size()),
                    [self = shared_from_this(), go_on](const Error& error, std::size_t) { error ? self->close() : go_on(); });
}

void Session::receive(std::size_t most, void (Session::*next)(const Error&)) {
  // Who waits holds little: there is more room only for what has arrived already.
  boost::system::error_code ignored;
  const std::size_t wanted = std::clamp(most > kHeadPart ? socket_.available(ignored) : 0, kHeadPart, most);
  if (buffer_.size() == 0 && buffer_.capacity() > wanted) buffer_.shrink_to_fit();
  const auto room = buffer_.prepare(std::min(wanted, buffer_.max_size() - buffer_.size()));
  socket_.async_read_some(room, [self = shared_from_this(), next](const Error& error, std::size_t bytes) {
    self->buffer_.commit(bytes);
    if (!self->closed_) ((*self).*next)(error);
  });
}

Session::Error Session::parse_arrived(const std::function<void(std::string_view)>& keep) {
  const std::size_t room = std::min(kPart, buffer_.size());
  const std::unique_ptr<char[]> part(new char[room]);
  while (!parser_->is_done() && buffer_.size() > 0) {
    parser_->get().body() = {.data = part.get(), .size = room, .more = true};
    Error error;
    buffer_.consume(parser_->put(buffer_.data(), error));
    keep({part.get(), room - parser_->get().body().size});
    // What frames a chunk has no other bound.
    if (error == http::error::need_more) return buffer_.size() > limits().header_bytes ? Error(http::error::header_limit) : Error();
    if (error && error != http::error::need_buffer) return error;
  }
  return {};
}

void Session::read_body() {
  try {
    const Error error = parse_arrived([this](std::string_view bytes) { keep_body(bytes); });
    if (error) throw parse_problem(error, limits());
  } catch (...) {
    return send_problem(problem_of(std::current_exception()));
  }
  parser_->is_done() ? run() : receive(kPart, &Session::on_body);
}

void Session::on_body(const Error& error) {
  if (timed_out_) return send_problem(Problem(408, fmt::format("body: it was not complete after {} seconds", limits().body_seconds)));
  if (error) return record(0, "the client went away"), close();
  read_body();
}

void Session::keep_body(std::string_view bytes) {
  std::string& body = exchange_->request.body;
  if (bytes.size() > limits().body_bytes - body.size()) refuse_length(limits());
  if (body.size() + bytes.size() > body.capacity()) {
    // Few steps where the length is known: what is outgrown leaves holes.
    const auto length = parser_->content_length();
    const std::size_t wished = length ? std::min<std::size_t>(*length, 4 * body.size()) : 2 * body.size();
    const std::size_t room = std::min(limits().body_bytes, std::max(body.size() + bytes.size(), wished));
    const std::size_t more = room - exchange_->charge.held();
    if (!exchange_->charge.grow(more)) refuse_memory(exchange_->charge, more);
    body.reserve(room);
  }
  body.append(bytes);
}

void Session::run() {
  disarm();
  in_flight_ = true;
  ++app_.metrics.in_flight;
  Done done = [self = shared_from_this()](Reply reply) {
    asio::dispatch(self->socket_.get_executor(), [self, reply = std::move(reply)]() mutable { self->send(std::move(reply), false); });
  };
  if (route_->where == Route::Where::here) return answer(app_, *route_, std::move(exchange_), done);
  turns_.run(
      [this, exchange = std::move(exchange_), done = std::move(done)]() mutable { answer(app_, *route_, std::move(exchange), done); });
}

/// What is left of the request is not read, so that the connection cannot be used further.
void Session::send_problem(const Problem& problem) { send(problem_reply(problem), !parser_ || !parser_->is_done()); }

void Session::send(Reply reply, bool close) noexcept {
  const bool keep = !close && !stopping_ && !app_.stopping && parser_ && parser_->keep_alive();
  reply_ = std::move(reply);
  exchange_.reset();
  head_ = head_text(reply_, {.keep_alive = keep, .http_1_0 = parser_ && parser_->get().version() == 10});
  if (head_only_) std::string().swap(reply_.body);
  Error error;
  const std::size_t sent = socket_.write_some(std::array<asio::const_buffer, 2>{asio::buffer(head_), asio::buffer(reply_.body)}, error);
  if (error == asio::error::would_block) error = {};
  if (error || sent == head_.size() + reply_.body.size()) return on_sent(error, sent, !keep);
  send_rest(sent, keep);
}

/// Most answers are taken at once; this is for the others.
void Session::send_rest(std::size_t sent, bool keep) {
  const std::size_t of_head = std::min(sent, head_.size());
  const std::array<asio::const_buffer, 2> rest = {asio::buffer(head_) + of_head, asio::buffer(reply_.body) + (sent - of_head)};
  asio::async_write(
      socket_, rest,
      [self = shared_from_this()](const Error& error, std::size_t) {
        self->arm(self->limits().write_seconds);
        return error ? std::size_t{0} : kPart;
      },
      [self = shared_from_this(), sent, keep](const Error& error, std::size_t bytes) { self->on_sent(error, sent + bytes, !keep); });
}

void Session::on_sent(const Error& error, std::size_t bytes, bool close) {
  entry_.bytes += bytes;
  record(error ? 0 : reply_.status, error ? "the client did not take the answer" : reply_.error);
  reply_ = {};
  if (error) return this->close();
  close ? linger() : wait_for_request();
}

void Session::record(unsigned status, const std::string& error) {
  if (in_flight_) --app_.metrics.in_flight;
  in_flight_ = false;
  entry_.status = status;
  entry_.error = error;
  entry_.remote = remote_;
  entry_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
  app_.metrics.count(route_ == nullptr ? std::string_view("none") : name(*route_), status, entry_.seconds);
  app_.log.write(entry_);
}

/// A connection closed with bytes unread is reset, and the answer may be lost on its way: they are read, for a while.
void Session::linger() {
  boost::system::error_code ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
  parser_.reset();
  drained_.reset(new char[kPart]);
  arm(kLingerSeconds);
  drain();
}

void Session::drain() {
  socket_.async_read_some(asio::buffer(drained_.get(), kPart), [self = shared_from_this()](const Error& error, std::size_t) {
    error || self->timed_out_ ? self->close() : self->drain();
  });
}

void Session::close() {
  closed_ = true;
  idle_ = false;
  disarm();
  timer_.cancel();
  boost::system::error_code ignored;
  socket_.close(ignored);
}

std::size_t Sessions::size() const {
  const std::lock_guard lock(mutex_);
  return open_.size();
}

void Sessions::add(const std::shared_ptr<Session>& session) {
  const std::lock_guard lock(mutex_);
  open_.emplace(session.get(), session);
}

void Sessions::remove(Session* session) {
  const std::lock_guard lock(mutex_);
  open_.erase(session);
  changed_.notify_all();
}

void Sessions::each(const std::function<void(Session&)>& apply) {
  std::vector<std::shared_ptr<Session>> alive;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [session, weak] : open_) {
      if (auto shared = weak.lock()) alive.push_back(std::move(shared));
    }
  }
  for (const auto& session : alive) apply(*session);
}

bool Sessions::wait_until_gone(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, deadline, [this] { return open_.empty(); });
}

}  // namespace nearkin::server

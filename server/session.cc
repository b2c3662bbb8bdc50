#include "session.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <random>

#include <fmt/format.h>

#include "bulk_state.h"

namespace nearkin::server {
namespace {

constexpr double kLingerSeconds = 2;
/// A body may come with pauses: who sends one is silent after so long.
constexpr double kBodyPause = 1;

/// The client's own, where it is short and plain; else a new one.
std::string request_id_of(const std::string& given) {
  constexpr std::size_t kLongest = 64;
  const auto plain = [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.'; };
  if (!given.empty() && given.size() <= kLongest && std::all_of(given.begin(), given.end(), plain)) return given;
  static thread_local std::mt19937_64 random{std::random_device()()};
  return fmt::format("{:016x}", random());
}

}  // namespace

Session::Session(Socket&& socket, const SessionContext& surroundings)
    : app_(surroundings.app),
      turns_(surroundings.turns),
      probes_(surroundings.probes),
      sessions_(surroundings.sessions),
      connection_(std::move(socket), limits().header_bytes + kPart, surroundings.tls) {
  ++app_.metrics.connections;
}

Session::~Session() {
  --app_.metrics.connections;
  sessions_.remove(this);
}

void Session::start() {
  sessions_.add(shared_from_this());
  connection_.dispatch([self = shared_from_this()] {
    self->be_silent();
    self->idle_ = true;
    self->arm(self->limits().header_seconds);
    self->connection_.greet([self](bool failed) { failed || self->closed_ ? self->close() : self->wait_for_request(); });
  });
}

void Session::refuse() {
  sessions_.add(shared_from_this());
  begun_ = std::chrono::steady_clock::now();
  entry_.request_id = request_id_of({});
  connection_.dispatch([self = shared_from_this()] {
    self->arm(kLingerSeconds);
    self->connection_.greet([self](bool failed) {
      if (failed || self->closed_) return self->close();
      self->send_problem(Problem(503, fmt::format("connections: {} are open, which is the limit; try again", self->limits().connections)));
    });
  });
}

void Session::stop() {
  connection_.post([self = shared_from_this()] {
    self->stopping_ = true;
    if (self->idle_)
      self->close();
    else if (self->bulk_ && self->armed_)
      self->arm(kLingerSeconds);  // the body may go on for ever
  });
}

void Session::abort() {
  connection_.post([self = shared_from_this()] { self->close(); });
}

void Session::evict() {
  silent_since_ = 0;  // it is not chosen twice
  connection_.post([self = shared_from_this()] {
    if (!self->waits_ || self->closed_) return;
    if (self->exchange_) self->record(0, "its body was awaited in vain, and another connection needed the place");
    self->close();
  });
}

void Session::be_silent(double grace) {
  waits_ = true;
  silent_since_ = (std::chrono::steady_clock::now() + duration_of(grace)).time_since_epoch().count();
}

void Session::be_heard() {
  waits_ = false;
  silent_since_ = 0;
}

std::optional<std::chrono::steady_clock::time_point> Session::silent_since() const {
  const std::chrono::steady_clock::duration since(silent_since_.load());
  return since.count() == 0 ? std::nullopt : std::optional(std::chrono::steady_clock::time_point(since));
}

void Session::arm(double seconds) {
  deadline_ = std::chrono::steady_clock::now() + duration_of(seconds);
  armed_ = true;
  timed_out_ = false;
  if (!watching_ || waking_ > deadline_) watch();
}

void Session::watch() {
  watching_ = true;
  waking_ = deadline_;
  connection_.wake_at(deadline_, [self = shared_from_this()] { self->on_timer(); });
}

void Session::on_timer() {
  watching_ = false;
  if (!armed_ || closed_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now >= deadline_) {
    timed_out_ = true;
    connection_.cancel();
    // A read that was between two of its steps did not notice: it is cancelled again.
    deadline_ = now + std::chrono::milliseconds(100);
  }
  watch();
}

void Session::wait_for_request() {
  if (stopping_ || app_.stopping) return close();
  incoming_.reset();
  // What came behind the last request is looked at in its turn, so that no connection holds up the others.
  if (!connection_.arrived().empty()) return connection_.post([self = shared_from_this()] { self->on_request(false); });
  idle_ = true;
  be_silent();
  arm(spoken_ ? limits().idle_seconds : limits().header_seconds);
  receive(Connection::kLeastRoom, &Session::on_request);
}

void Session::on_request(bool failed) {
  idle_ = false;
  if (failed || closed_) return close();
  begun_ = std::chrono::steady_clock::now();
  entry_ = {};
  entry_.request_id = request_id_of({});
  route_ = nullptr;
  head_only_ = false;
  incoming_.emplace(limits());
  arm(limits().header_seconds);
  read_head();
}

void Session::on_head_part(bool failed) {
  if (timed_out_) {
    return send_problem(Problem(408, fmt::format("header: it was not complete after {} seconds", limits().header_seconds)));
  }
  failed ? close() : read_head();
}

void Session::read_head() {
  try {
    connection_.take(incoming_->put_head(connection_.arrived()));
    if (!incoming_->has_head()) {
      if (silent_since_ == 0) be_silent();
      return receive(Connection::kLeastRoom, &Session::on_head_part);
    }
  } catch (...) {  // where the request ends is not known, and what follows is no other request
    be_heard();
    note_request();
    app_.rates.take(connection_.client());
    return send(problem_reply(problem_of(std::current_exception())), true);
  }
  be_heard();
  note_request();
  try {
    begin_request();
  } catch (...) {
    send_problem(problem_of(std::current_exception()));
  }
}

/// For the log.
void Session::note_request() {
  entry_.method = incoming_->method();
  entry_.path = incoming_->target().substr(0, 1000);
}

void Session::begin_request() {
  head_only_ = incoming_->method() == "HEAD";
  exchange_ = std::make_shared<Exchange>(app_.budget);
  exchange_->socket = connection_.handle();
  exchange_->request = incoming_->head();
  entry_.request_id = request_id_of(exchange_->request.request_id);
  check_rate();
  route_ = &admit(app_, exchange_->request);
  if (route_->body != Route::Body::stream) incoming_->check_length();
  greet_and_read();
}

/// Those who look after the server may look as often as they like.
void Session::check_rate() {
  const std::string& path = exchange_->request.path;
  if (path == "/healthz" || path == "/readyz") return;
  const double seconds = app_.rates.take(connection_.client());
  if (seconds <= 0) return;
  ++app_.metrics.limited;
  throw Problem(
      429, fmt::format("rate: more than {} requests in a second came from {}; wait", limits().requests_per_second, connection_.remote()),
      {{"Retry-After", fmt::format("{:.0f}", std::ceil(seconds))}});
}

/// Answers Expect: 100-continue before reading the body.
void Session::greet_and_read() {
  const auto go_on = [self = shared_from_this()] {
    self->arm(self->limits().body_seconds);
    self->route_->body == Route::Body::stream ? self->begin_bulk() : self->read_body();
  };
  if (incoming_->is_complete() || !incoming_->asks_to_go_on()) return go_on();
  static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  arm(limits().write_seconds);
  connection_.write(
      kContinue, {}, [] {}, [self = shared_from_this(), go_on](bool failed, std::size_t) { failed ? self->close() : go_on(); });
}

void Session::receive(std::size_t most, void (Session::*next)(bool failed)) {
  connection_.receive(most, [self = shared_from_this(), next](bool failed) {
    if (!self->closed_) ((*self).*next)(failed);
  });
}

void Session::parse_arrived(const std::function<void(std::string_view)>& keep) {
  connection_.take(incoming_->put_body(connection_.arrived(), keep));
}

void Session::read_body() {
  try {
    parse_arrived([this](std::string_view bytes) { keep_body(bytes); });
  } catch (...) {
    return send_problem(problem_of(std::current_exception()));
  }
  if (incoming_->is_complete()) return run();
  be_silent(kBodyPause);
  receive(kPart, &Session::on_body);
}

void Session::on_body(bool failed) {
  be_heard();
  if (timed_out_) return send_problem(Problem(408, fmt::format("body: it was not complete after {} seconds", limits().body_seconds)));
  if (failed) return record(0, "the client went away"), close();
  read_body();
}

void Session::keep_body(std::string_view bytes) {
  std::string& body = exchange_->request.body;
  if (bytes.size() > limits().body_bytes - body.size()) refuse_length(limits());
  if (body.size() + bytes.size() > body.capacity()) {
    // Few steps where the length is known: what is outgrown leaves holes.
    const std::optional<std::uint64_t> length = incoming_->length();
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
    self->connection_.dispatch([self, reply = std::move(reply)]() mutable { self->send(std::move(reply), false); });
  };
  exchange_->arrived = std::chrono::steady_clock::now();
  if (route_->where == Route::Where::here) return answer(app_, *route_, exchange_, done);
  Turns& turns = route_->where == Route::Where::probe ? probes_ : turns_;
  turns.run(connection_.client(),
            [this, exchange = exchange_, done = std::move(done)]() mutable { answer(app_, *route_, std::move(exchange), done); });
}

/// What is left of the request is not read, so that the connection cannot be used further.
void Session::send_problem(const Problem& problem) { send(problem_reply(problem), !incoming_ || !incoming_->is_complete()); }

void Session::send(Reply reply, bool close) noexcept {
  const bool keep = !close && !stopping_ && !app_.stopping && incoming_ && incoming_->keeps_alive();
  if (exchange_ && !exchange_->charge.set(head_only_ ? 0 : reply.body.capacity()))
    reply = problem_reply(Problem(503, "answer: other requests use all the memory for requests and answers; try again"));
  reply_ = std::move(reply);
  reply_.headers.emplace_back("X-Request-Id", entry_.request_id);
  head_ = head_text(reply_, {.keep_alive = keep, .http_1_0 = incoming_ && incoming_->is_http_1_0()});
  if (head_only_) std::string().swap(reply_.body);
  const Connection::Written written = connection_.write_now(head_, reply_.body);
  if (written.failed || written.bytes == head_.size() + reply_.body.size()) return on_sent(written.failed, written.bytes, !keep);
  send_rest(written.bytes, keep);
}

/// Most answers are taken at once; this is for the others.
void Session::send_rest(std::size_t sent, bool keep) {
  const std::size_t of_head = std::min(sent, head_.size());
  connection_.write(
      std::string_view(head_).substr(of_head), std::string_view(reply_.body).substr(sent - of_head),
      [self = shared_from_this()] { self->arm(self->limits().write_seconds); },
      [self = shared_from_this(), sent, keep](bool failed, std::size_t bytes) { self->on_sent(failed, sent + bytes, !keep); });
}

void Session::on_sent(bool failed, std::size_t bytes, bool close) {
  entry_.bytes += bytes;
  record(failed ? 0 : reply_.status, failed ? "the client did not read the answer" : reply_.error);
  reply_ = {};
  exchange_.reset();
  spoken_ = true;
  if (failed) return this->close();
  close ? linger() : wait_for_request();
}

void Session::record(unsigned status, const std::string& error) {
  if (in_flight_) --app_.metrics.in_flight;
  in_flight_ = false;
  entry_.status = status;
  entry_.error = error;
  entry_.remote = connection_.remote();
  entry_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
  app_.metrics.count(route_ == nullptr ? std::string_view("none") : name(*route_), status, entry_.seconds);
  app_.log.write(entry_);
}

/// A connection closed with bytes unread is reset, and the answer may be lost on its way: they are read, for a while.
void Session::linger() {
  incoming_.reset();
  be_silent();
  arm(kLingerSeconds);
  if (!connection_.end_writing([self = shared_from_this()] { self->close(); })) drain();
}

void Session::drain() {
  connection_.drain([self = shared_from_this()](bool failed) { failed || self->timed_out_ ? self->close() : self->drain(); });
}

void Session::close() {
  closed_ = true;
  idle_ = false;
  disarm();
  connection_.close();
}

}  // namespace nearkin::server

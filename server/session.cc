#include "session.h"

#include <algorithm>

#include <fmt/format.h>

#include "bulk_state.h"

namespace nearkin::server {
namespace {

constexpr double kLingerSeconds = 2;

std::chrono::steady_clock::duration duration_of(double seconds) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

Session::Session(Socket&& socket, const SessionContext& surroundings)
    : app_(surroundings.app),
      turns_(surroundings.turns),
      sessions_(surroundings.sessions),
      connection_(std::move(socket), limits().header_bytes + kPart) {
  ++app_.metrics.connections;
}

Session::~Session() {
  --app_.metrics.connections;
  sessions_.remove(this);
}

void Session::start() {
  sessions_.add(shared_from_this());
  connection_.dispatch([self = shared_from_this()] { self->wait_for_request(); });
}

void Session::refuse() {
  sessions_.add(shared_from_this());
  begun_ = std::chrono::steady_clock::now();
  connection_.dispatch([self = shared_from_this()] {
    self->send_problem(
        Problem(503, fmt::format("connections: {} are open, which is as many as there may be; try again", self->limits().connections),
                {{"Retry-After", "1"}}));
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
  arm(limits().idle_seconds);
  receive(Connection::kLeastRoom, &Session::on_request);
}

void Session::on_request(bool failed) {
  idle_ = false;
  if (failed || closed_) return close();
  begun_ = std::chrono::steady_clock::now();
  entry_ = {};
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
    if (!incoming_->has_head()) return receive(Connection::kLeastRoom, &Session::on_head_part);
    note_request();
    begin_request();
  } catch (...) {
    note_request();
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
  exchange_->request = incoming_->head();
  route_ = &admit(app_, exchange_->request);
  if (route_->body != Route::Body::stream) incoming_->check_length();
  greet_and_read();
}

/// Who asks whether to go on with a body gets to know before it is waited for.
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
  incoming_->is_complete() ? run() : receive(kPart, &Session::on_body);
}

void Session::on_body(bool failed) {
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
  if (route_->where == Route::Where::here) return answer(app_, *route_, std::move(exchange_), done);
  turns_.run(
      [this, exchange = std::move(exchange_), done = std::move(done)]() mutable { answer(app_, *route_, std::move(exchange), done); });
}

/// What is left of the request is not read, so that the connection cannot be used further.
void Session::send_problem(const Problem& problem) { send(problem_reply(problem), !incoming_ || !incoming_->is_complete()); }

void Session::send(Reply reply, bool close) noexcept {
  const bool keep = !close && !stopping_ && !app_.stopping && incoming_ && incoming_->keeps_alive();
  reply_ = std::move(reply);
  exchange_.reset();
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
  record(failed ? 0 : reply_.status, failed ? "the client did not take the answer" : reply_.error);
  reply_ = {};
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
  connection_.end_writing();
  incoming_.reset();
  arm(kLingerSeconds);
  drain();
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

// POST /v1/items over a connection. Reading and putting take turns; answers are written meanwhile, whether or not the client reads them
// before it has sent everything.
#include <utility>

#include <fmt/format.h>

#include "bulk_state.h"

namespace nearkin::server {
namespace {

/// A batch is put when it has as much, or when nothing further has arrived.
constexpr std::size_t kBatchBytes = 4 << 20;
constexpr std::size_t kBatchLines = 5'000;
constexpr std::size_t kLeastPart = 4 << 10;  // of answers, where the memory for answers is used up

std::string chunk_text(std::string_view bytes) {
  return bytes.empty() ? std::string() : fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes);
}

}  // namespace

void Session::begin_bulk() {
  in_flight_ = true;
  ++app_.metrics.in_flight;
  bulk_ = std::make_unique<Bulk>(limits(), std::move(exchange_));
  take_lines();
}

void Session::read_bulk() {
  if (stopping_ || app_.stopping) return end_bulk(Problem(503, "server: it is stopping; what follows was not read"));
  if (incoming_->is_complete()) return end_bulk({});
  arm(limits().body_seconds);
  receive(kPart, &Session::on_bulk_read);
}

void Session::on_bulk_read(bool failed) {
  if (timed_out_) {
    return end_bulk(stopping_
                        ? Problem(503, "server: it is stopping; what follows was not read")
                        : Problem(408, fmt::format("body: nothing came for {} seconds; what follows was not read", limits().body_seconds)));
  }
  if (failed) return record(0, "the client went away"), close();
  take_lines();
}

void Session::take_lines() {
  try {
    parse_arrived([this](std::string_view bytes) { bulk_->lines.feed(bytes); });
  } catch (...) {
    return end_bulk(problem_of(std::current_exception()));
  }
  if (incoming_->is_complete()) return end_bulk({});
  const bool more = connection_.has_more();
  const bool full = bulk_->lines.bytes() >= kBatchBytes || bulk_->lines.count() >= kBatchLines;
  if (bulk_->lines.count() == 0 || (more && !full)) return read_bulk();
  put_batch();
}

void Session::end_bulk(std::optional<Problem> problem) {
  bulk_->ended = true;
  if (!problem) bulk_->lines.end();
  bulk_->problem = std::move(problem);
  bulk_->lines.count() == 0 ? on_answers("") : put_batch();
}

void Session::put_batch() {
  if (!bulk_->writing) disarm();
  turns_.run_later(connection_.client(), [self = shared_from_this(), lines = bulk_->lines.take()]() mutable {
    put_lines(self->app_, std::move(lines), self->bulk_->exchange->charge,
              [self](std::string answers) { self->connection_.post([self, answers = std::move(answers)] { self->on_answers(answers); }); });
  });
}

void Session::on_answers(const std::string& answers) {
  if (closed_) return;
  try {
    bulk_->answers.add(answers);
    if (bulk_->ended && bulk_->problem && (bulk_->begun || !bulk_->answers.empty())) {
      bulk_->answers.add(line_problem(bulk_->lines.line_number(), *bulk_->problem));
    }
  } catch (...) {
    return record(500, problem_of(std::current_exception()).what()), close();
  }
  bulk_->complete = bulk_->ended;
  if (!bulk_->writing) write_bulk();
  if (bulk_ && !bulk_->ended) read_bulk();
}

/// Writes the next part; after the last one, the end.
void Session::write_bulk() {
  const bool old = incoming_->is_http_1_0();
  if (bulk_->complete && bulk_->answers.empty() && bulk_->problem && !bulk_->begun) {
    const Problem problem = *bulk_->problem;
    bulk_.reset();
    return send_problem(problem);
  }
  bulk_->out_held = bulk_->answered.grow(kPart) ? kPart : 0;
  const std::string part = bulk_->answers.take(bulk_->out_held > 0 ? kPart : kLeastPart);
  bulk_->last = bulk_->complete && bulk_->answers.empty();
  if (part.empty() && !bulk_->last) return bulk_->answered.shrink(std::exchange(bulk_->out_held, 0));
  bulk_->out = old ? part : chunk_text(part);
  if (!bulk_->begun) {
    const bool keep = !old && !stopping_ && incoming_->keeps_alive();
    bulk_->out.insert(0, head_text({.type = "application/x-ndjson", .body = {}, .headers = {{"X-Request-Id", entry_.request_id}}},
                                   {.keep_alive = keep, .http_1_0 = old, .chunked = true}));
  }
  bulk_->begun = true;
  if (bulk_->last && !old) bulk_->out += "0\r\n\r\n";
  bulk_->writing = true;
  connection_.write(
      bulk_->out, {}, [self = shared_from_this()] { self->arm(self->limits().write_seconds); },
      [self = shared_from_this()](bool failed, std::size_t bytes) { self->on_bulk_written(failed, bytes); });
}

void Session::on_bulk_written(bool failed, std::size_t bytes) {
  if (closed_) return;
  bulk_->writing = false;
  bulk_->answered.shrink(std::exchange(bulk_->out_held, 0));
  entry_.bytes += bytes;
  if (failed) return record(0, "the client did not read the answers"), close();
  if (!bulk_->last) return write_bulk();
  finish_bulk();
}

void Session::finish_bulk() {
  record(200, bulk_->problem ? bulk_->problem->what() : "");
  const bool keep = !bulk_->problem && !incoming_->is_http_1_0() && incoming_->keeps_alive() && !stopping_;
  bulk_.reset();
  spoken_ = true;
  keep ? wait_for_request() : linger();
}

}  // namespace nearkin::server

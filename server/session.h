// One connection: requests in, answers out, one after another.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "app.h"
#include "connection.h"
#include "incoming.h"
#include "routes.h"
#include "turns.h"

namespace nearkin::server {

class Session;

/// All connections, so that they can be counted and stopped.
class Sessions {
 public:
  std::size_t size() const;
  void add(const std::shared_ptr<Session>& session);
  void remove(Session* session);
  void each(const std::function<void(Session&)>& apply);
  /// One that has never been answered, or else one that has, the longest silent of these; null: there is none.
  std::shared_ptr<Session> longest_silent() const;
  /// Whether all had gone by then.
  bool wait_until_gone(std::chrono::steady_clock::time_point deadline);

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::unordered_map<Session*, std::weak_ptr<Session>> open_;
};

/// What sessions are given to work with.
struct SessionContext {
  App& app;
  Turns& turns;   ///< for requests that may take long
  Turns& probes;  ///< for those that do not, and shall not wait for the others
  Sessions& sessions;
  TlsContext* tls = nullptr;
};

/// Keeps itself alive while anything is under way. All of it runs on the strand of its connection, but for jobs that wait for a turn.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(Socket&& socket, const SessionContext& surroundings);
  ~Session();

  void start();
  void refuse();  ///< answers 503 and closes
  void stop();    ///< after the request that is under way; any thread
  void abort();   ///< now; any thread
  void evict();   ///< makes room for another, unless a request has come meanwhile; any thread

  /// Since when the connection is silent and may give way to another: it waits for a request, for the rest of one, or to be closed. Absent
  /// while its request is worked on. Any thread.
  std::optional<std::chrono::steady_clock::time_point> silent_since() const;
  /// A request was answered before. Any thread.
  bool has_spoken() const { return spoken_; }

 private:
  struct Bulk;
  const ServerLimits& limits() const { return app_.options.limits; }

  // The deadline of what is under way; beyond it, what waits for the socket is cancelled and `timed_out_` is set.
  void arm(double seconds);
  void disarm() { armed_ = false; }
  void watch();
  void on_timer();

  void be_silent(double grace = 0);
  void be_heard();
  void wait_for_request();
  void on_request(bool failed);
  void read_head();
  void on_head_part(bool failed);
  void note_request();
  void begin_request();
  void check_rate();
  void greet_and_read();
  void read_body();
  void on_body(bool failed);
  void keep_body(std::string_view bytes);
  void run();

  void send_problem(const Problem& problem);
  void send(Reply reply, bool close) noexcept;  ///< what it throws could only be answered by a second answer
  void send_rest(std::size_t sent, bool keep);
  void on_sent(bool failed, std::size_t bytes, bool close);
  void record(unsigned status, const std::string& error);
  void linger();
  void drain();
  void close();

  // bulk_session.cc
  void begin_bulk();
  void read_bulk();
  void on_bulk_read(bool failed);
  void take_lines();
  void put_batch();
  void on_answers(const std::string& answers);
  void write_bulk();
  void on_bulk_written(bool failed, std::size_t bytes);
  void end_bulk(std::optional<Problem> problem);
  void finish_bulk();

  /// Waits for bytes, takes `most` of them at most, then calls `next`, which may find that the time is over.
  void receive(std::size_t most, void (Session::*next)(bool failed));
  /// Parses what has arrived, and gives `keep` the bytes of the body, a part at a time. Throws Problem.
  void parse_arrived(const std::function<void(std::string_view)>& keep);

  App& app_;
  Turns& turns_;
  Turns& probes_;
  Sessions& sessions_;
  Connection connection_;
  std::atomic<std::chrono::steady_clock::rep> silent_since_{0};  ///< 0: it is not
  std::atomic<bool> spoken_{false};

  std::chrono::steady_clock::time_point deadline_, waking_;
  bool armed_ = false, watching_ = false, timed_out_ = false;

  std::optional<Incoming> incoming_;
  std::shared_ptr<Exchange> exchange_;
  const Route* route_ = nullptr;
  std::unique_ptr<Bulk> bulk_;

  LogEntry entry_;
  std::chrono::steady_clock::time_point begun_;
  std::string head_;
  Reply reply_;
  bool idle_ = false, waits_ = false, stopping_ = false, closed_ = false, head_only_ = false, in_flight_ = false;
};

}  // namespace nearkin::server

// The one thread that writes to the index. What waits meanwhile is put in one step, so that many small writes share one trip to the disk.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include <nearkin/index.h>

#include "decode.h"
#include "http.h"

namespace nearkin::server {

/// What became of one item that was written or removed.
struct Written {
  bool known = false;                  ///< there was one of that id before
  std::optional<std::size_t> parts{};  ///< in an index of parts of records: how many the record has now, or had if it was removed
};
/// {"id":…,"replaced":true}, and the number of parts; `what`: replaced or removed.
std::string answer_of(std::string_view id, const char* what, const Written& written);

/// Or what kept it from being written or removed.
using Outcome = std::variant<Written, Problem>;

class Writer {
 public:
  using Done = std::function<void(std::vector<Outcome>)>;

  explicit Writer(Index& index);
  ~Writer() { stop(); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// `done` gets an outcome for each item, in order, once all are on the disk; it is called by the writing thread and must not throw.
  void put(std::vector<PutItem> items, Done done);
  /// The same for ids, each of which is removed at most once.
  void erase(std::vector<std::string> ids, Done done);
  /// What kept the last write from the disk; absent where it got there. Asks for a trial write, which changes nothing, where that is not
  /// known, or was known long ago. After a failure, only a write that takes as much room proves that it is over.
  std::optional<Problem> trouble();
  /// Finishes what was asked for; nothing may be asked for afterwards.
  void stop();

 private:
  struct Job {
    std::vector<PutItem> items;
    std::vector<std::string> erased;  ///< where there are no items; none: a trial
    Done done;
    bool is_trial() const { return items.empty() && erased.empty(); }
  };
  void add(Job job);
  void run();
  /// The jobs to do next: one erasure, or as many puts as are waiting, within a bound.
  std::vector<Job> take();
  void finish(std::vector<Job> jobs);
  /// `bytes`: of what was written, about.
  void note(const std::vector<Outcome>& outcomes, std::size_t bytes);
  /// A write that changes nothing, with as much room as a failed one took.
  void try_write();

  Index& index_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> waiting_;
  bool ending_ = false, trying_ = false;
  std::optional<Problem> trouble_;
  std::size_t failed_bytes_ = 0;                 ///< of the write that `trouble_` is about
  std::chrono::steady_clock::time_point known_;  ///< when `trouble_` was
  std::thread thread_;
};

}  // namespace nearkin::server

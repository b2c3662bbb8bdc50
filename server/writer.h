// The one thread that writes to the index. What waits meanwhile is put in one step, so that many small writes share one trip to the disk.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include <nearkin/index.h>

#include "decode.h"
#include "http.h"

namespace nearkin::server {

/// Of one item: whether there was one of that id before; or what kept it from being written.
using Outcome = std::variant<bool, Problem>;

class Writer {
 public:
  using Done = std::function<void(std::vector<Outcome>)>;

  explicit Writer(Index& index);
  ~Writer() { stop(); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// `done` gets an outcome for each item, in order, once all are on the disk; it is called by the writing thread and must not throw.
  void put(std::vector<PutItem> items, Done done);
  void erase(std::string id, Done done);
  /// Finishes what was asked for; nothing may be asked for afterwards.
  void stop();

 private:
  struct Job {
    std::vector<PutItem> items;
    std::string erased;  ///< where there are no items
    Done done;
  };
  void add(Job job);
  void run();
  /// The jobs to do next: one erasure, or as many puts as are waiting, within a bound.
  std::vector<Job> take();
  void finish(std::vector<Job> jobs);

  Index& index_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> waiting_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace nearkin::server

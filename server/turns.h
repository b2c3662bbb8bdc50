// Who may ask the index now: some of the threads that carry bytes, never all of them.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

namespace nearkin::server {

/// At most so many jobs at one time, on the threads that `post` leads to; the others wait for their turn: clients take turns with one
/// another, and the jobs of a client are done in order. So a client that asks little waits little, whatever others ask. A job that finds a
/// free turn runs where it is: a change of threads costs microseconds, and a short query takes no more than fifteen.
class Turns {
 public:
  using Job = std::function<void()>;

  /// `post` has a job run later, on one of its threads.
  Turns(std::function<void(Job)> post, unsigned most) : post_(std::move(post)), free_(most) {}

  /// Runs the job before it returns, where a turn is free; else later. Called by one of these threads.
  void run(const std::string& client, Job job);
  /// Always later: for jobs beside which their strand has other things to do.
  void run_later(const std::string& client, Job job);
  /// Until no job runs or waits.
  void wait_until_still();

 private:
  /// Whether there was a free turn; else the job was put with those that wait.
  bool take(const std::string& client, Job& job);
  Job next();
  void finish(const Job& job);

  std::function<void(Job)> post_;
  std::mutex mutex_;
  std::condition_variable still_;
  unsigned free_, running_ = 0;
  std::unordered_map<std::string, std::deque<Job>> waiting_;  ///< none of them empty
  std::deque<std::string> clients_;                           ///< those who wait, whose turn is next first
};

}  // namespace nearkin::server

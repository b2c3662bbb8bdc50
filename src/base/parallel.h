// Threads: a loop over blocks, and a pipeline that reads and consumes in order.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <nearkin/tools/forecast.h>

namespace nearkin {

/// The stop flag of this thread and of the threads that it starts; null: none.
inline thread_local const std::atomic<bool>* stop_flag = nullptr;
/// Throws Error(stopped) where the flag is set.
void end_if_stopped();

/// 0 means one for each core. Throws Error(plan) naming `threads` for more than 4096.
unsigned thread_count(unsigned asked);

/// The error with the lowest number among those noted, whatever the order in which threads note them.
class LowestError {
 public:
  void note(std::uint64_t number, std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (error_ && number_ <= number) return;
    number_ = number;
    error_ = std::move(error);
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  std::uint64_t number_ = 0;
  std::exception_ptr error_;
};

/// Runs work(worker) on up to `threads` threads, the calling one (worker 0) among them. After all have ended it rethrows the error of the
/// lowest worker that failed.
template <typename Work>
void run_on_threads(unsigned threads, Work&& work) {
  LowestError failure;
  const std::atomic<bool>* const flag = stop_flag;
  const auto guarded = [&](unsigned worker) {
    stop_flag = flag;
    try {
      work(worker);
    } catch (...) {
      failure.note(worker, std::current_exception());
    }
  };
  std::vector<std::thread> others;
  try {
    for (unsigned worker = 1; worker < threads; ++worker) others.emplace_back(guarded, worker);
  } catch (const std::exception&) {
    // There are no more threads, or no memory for them: those that were started do all the work.
  }
  guarded(0);
  for (std::thread& other : others) other.join();
  failure.rethrow();
}

/// Hands out the blocks of [0, count) in ascending order, and none after end().
class BlockQueue {
 public:
  BlockQueue(std::size_t count, std::size_t block) : count_(count), block_(block) {}
  /// The begin of the next block; `count` where there is none.
  std::size_t take() {
    const std::lock_guard lock(mutex_);
    const std::size_t begin = next_;
    next_ = count_ - next_ > block_ ? next_ + block_ : count_;
    return begin;
  }
  void end() {
    const std::lock_guard lock(mutex_);
    next_ = count_;
  }

 private:
  std::mutex mutex_;
  std::size_t count_, block_, next_ = 0;
};

/// Calls body(begin, end, worker) for blocks that together cover [0, count) once. Which worker takes which block is not defined: a
/// body must write only what belongs to its block, or to its worker; workers are numbered below `threads`, which is at least 1.
/// After a body has thrown, no further block is begun. Blocks are begun in ascending order, so every block below a failing one has been
/// begun and is waited for: the error of the lowest failing block is rethrown, the same one for any number of threads.
template <typename Body>
void parallel_for(std::size_t count, std::size_t block, unsigned threads, Body&& body) {
  const std::size_t blocks = count / block + (count % block != 0 ? 1 : 0);
  const unsigned used = static_cast<unsigned>(std::min<std::size_t>(threads, std::max<std::size_t>(1, blocks)));
  BlockQueue queue(count, block);
  LowestError failure;
  run_on_threads(used, [&](unsigned worker) {
    for (std::size_t begin = queue.take(); begin < count; begin = queue.take()) {
      try {
        end_if_stopped();
        body(begin, count - begin > block ? begin + block : count, worker);
      } catch (...) {
        queue.end();
        failure.note(begin, std::current_exception());
      }
    }
  });
  failure.rethrow();
}

/// produce() → optional<In>, one caller at a time, in order; work(In&&, worker) → Out on any thread; consume(Out&&), one caller at a
/// time, in the order of production. There is no thread for reading alone: a worker that is free reads the next piece. A worker consumes
/// what it worked on before it takes another piece, so Out may point to storage of the worker's.
/// After a failure nothing more is produced. The pieces before the failing one are consumed, and then its error is rethrown: the same
/// pieces and the same error for any number of threads.
template <typename Produce, typename Work, typename Consume>
void ordered_pipeline(unsigned threads, Produce&& produce, Work&& work, Consume&& consume) {
  using In = typename std::invoke_result_t<Produce>::value_type;
  using Out = std::invoke_result_t<Work, In&&, unsigned>;
  std::mutex reading, writing;
  std::condition_variable turn;
  std::uint64_t produced = 0, consumed = 0;
  std::atomic<bool> ended = false;  // not guarded by `reading`: a failure must not wait for a slow read
  bool failed = false;
  const auto read_next = [&](std::uint64_t& number, std::exception_ptr& error) -> std::optional<In> {
    const std::lock_guard lock(reading);
    if (ended) return std::nullopt;
    number = produced++;
    std::optional<In> piece;
    try {
      end_if_stopped();
      piece = produce();
    } catch (...) {
      error = std::current_exception();
    }
    if (!piece) ended = true;
    return piece;
  };
  run_on_threads(threads, [&](unsigned worker) {
    for (;;) {
      std::uint64_t number = 0;
      std::exception_ptr error;
      std::optional<Out> output;
      std::optional<In> input = read_next(number, error);
      if (!input && !error) return;
      try {
        if (input) output = work(*std::move(input), worker);
      } catch (...) {
        ended = true;
        error = std::current_exception();
      }
      std::unique_lock lock(writing);
      turn.wait(lock, [&] { return failed || consumed == number; });
      if (failed) return;
      try {
        if (error) std::rethrow_exception(error);
        consume(*std::move(output));
      } catch (...) {
        failed = ended = true;
        turn.notify_all();
        throw;
      }
      ++consumed;
      turn.notify_all();
    }
  });
}

}  // namespace nearkin

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
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace nearkin {

/// What may end the work of this thread, and of those that it starts, before its end; null: nothing.
inline thread_local const std::atomic<bool>* stop_flag = nullptr;
/// Throws Error(stopped) where the flag is set.
void end_if_stopped();

/// 0 means one for each core.
inline unsigned thread_count(unsigned asked) { return asked != 0 ? asked : std::max(1u, std::thread::hardware_concurrency()); }

/// Runs work(worker) on up to `threads` threads, the calling one (worker 0) among them, and rethrows the first exception after all have
/// ended.
template <typename Work>
void run_on_threads(unsigned threads, Work&& work) {
  std::exception_ptr failure;
  std::mutex mutex;
  const std::atomic<bool>* const flag = stop_flag;
  const auto guarded = [&](unsigned worker) {
    stop_flag = flag;
    try {
      work(worker);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  try {
    for (unsigned worker = 1; worker < threads; ++worker) others.emplace_back(guarded, worker);
  } catch (const std::system_error&) {
    // No more threads are to be had: those there are do all the work.
  }
  guarded(0);
  for (std::thread& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
}

/// Calls body(begin, end, worker) for blocks that together cover [0, count) once. Which worker takes which block is not defined: a
/// body must write only what belongs to its block, or to its worker.
template <typename Body>
void parallel_for(std::size_t count, std::size_t block, unsigned threads, Body&& body) {
  const std::size_t blocks = (count + block - 1) / block;
  const unsigned used = static_cast<unsigned>(std::min<std::size_t>(threads, std::max<std::size_t>(1, blocks)));
  std::mutex mutex;
  std::size_t next = 0;
  run_on_threads(used, [&](unsigned worker) {
    for (;;) {
      std::size_t begin;
      {
        const std::lock_guard lock(mutex);
        begin = next;
        next = std::min(count, next + block);
      }
      if (begin >= count) return;
      end_if_stopped();
      body(begin, std::min(count, begin + block), worker);
    }
  });
}

/// produce() → optional<In>, one caller at a time, in order; work(In&&, worker) → Out on any thread; consume(Out&&), one caller at a
/// time, in the order of production. There is no thread for reading alone: a worker that is free reads the next piece. A worker consumes
/// what it worked on before it takes another piece, so that Out may point to storage of the worker's.
/// An exception of produce or work is thrown when its piece's turn to be consumed comes, so that the one thrown does not depend on
/// the threads either.
template <typename Produce, typename Work, typename Consume>
void ordered_pipeline(unsigned threads, Produce&& produce, Work&& work, Consume&& consume) {
  using In = typename std::invoke_result_t<Produce>::value_type;
  using Out = std::invoke_result_t<Work, In&&, unsigned>;
  std::mutex reading, writing;
  std::condition_variable turn;
  std::uint64_t produced = 0, consumed = 0;
  bool ended = false, failed = false;
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
    ended = !piece;
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
        error = std::current_exception();
      }
      std::unique_lock lock(writing);
      turn.wait(lock, [&] { return failed || consumed == number; });
      if (failed) return;
      try {
        if (error) std::rethrow_exception(error);
        consume(*std::move(output));
      } catch (...) {
        failed = true;
        turn.notify_all();
        throw;
      }
      ++consumed;
      turn.notify_all();
    }
  });
}

}  // namespace nearkin

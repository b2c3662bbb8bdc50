// The progress line on standard error.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "flags.h"

namespace nearkin::cli {

/// What a run is doing, as it told last.
struct StageState {
  std::string name;
  std::uint64_t done = 0, total = 0;     ///< 0: not known
  std::chrono::duration<double> time{};  ///< since the stage began
};
/// "reading  [#####-----]  50 %  120 MB/s  3 s left"; what does not fit into the width is left out.
std::string progress_text(const StageState& stage, std::size_t width);

/// One line, rewritten when there is news, and once a second where there is none, so that a reader sees that work goes on. It is cleared
/// when the object goes.
class Progress {
 public:
  /// Throws UsageError for a --progress that is not auto, always or never.
  explicit Progress(const ParsedArgs& typed);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// For RunOptions::progress; good while this object is. Empty when nothing is to be shown.
  std::function<void(const char*, std::uint64_t, std::uint64_t)> callback();
  /// Nothing is shown from now on until the next call of the callback.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  void show(const char* stage, std::uint64_t done, std::uint64_t total);
  void draw(Clock::time_point now);
  void tick();

  bool on_ = false;
  bool ending_ = false, shown_ = false;
  StageState stage_;
  Clock::time_point begun_{}, drawn_{};
  std::mutex mutex_;
  std::condition_variable end_;
  std::thread ticker_;
};

}  // namespace nearkin::cli

// The progress line on standard error.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "flags.h"

namespace nearkin::cli {

/// One line, rewritten at most ten times a second, and cleared when the object goes.
class Progress {
 public:
  /// Throws UsageError for a --progress that is not auto, always or never.
  explicit Progress(const ParsedArgs& typed);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// For RunOptions::progress; good while this object is. Empty when nothing is to be shown.
  std::function<void(const char*, std::uint64_t, std::uint64_t)> callback();
  void clear();

 private:
  void show(const char* stage, std::uint64_t done, std::uint64_t total);

  bool on_ = false;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_{};
};

}  // namespace nearkin::cli

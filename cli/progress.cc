#include "progress.h"

#include <unistd.h>

#include <cstdio>

#include <fmt/format.h>

#include "errors.h"
#include "talk.h"

namespace nearkin::cli {
namespace {

constexpr std::chrono::milliseconds kInterval{100};
constexpr const char* kClearLine = "\r\x1b[K";

bool wanted(const ParsedArgs& typed) {
  const std::string when = typed.progress.value_or("auto");
  if (when == "always") return true;
  if (when == "never") return false;
  if (when != "auto") throw UsageError(fmt::format("--progress: {} is not auto, always or never", when));
  return !typed.quiet && isatty(STDERR_FILENO) == 1;
}

}  // namespace

Progress::Progress(const ParsedArgs& typed) : on_(wanted(typed)) {}

std::function<void(const char*, std::uint64_t, std::uint64_t)> Progress::callback() {
  if (!on_) return {};
  return [this](const char* stage, std::uint64_t done, std::uint64_t total) { show(stage, done, total); };
}

void Progress::show(const char* stage, std::uint64_t done, std::uint64_t total) {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + kInterval;
  shown_ = true;
  const std::string amount = total > 0 ? fmt::format("{} %", done * 100 / total) : counted(done);
  std::fputs(fmt::format("{}nearkin: {} {}", kClearLine, stage, amount).c_str(), stderr);
  std::fflush(stderr);
}

void Progress::clear() {
  if (!shown_) return;
  shown_ = false;
  std::fputs(kClearLine, stderr);
  std::fflush(stderr);
}

}  // namespace nearkin::cli

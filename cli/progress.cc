#include "progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "errors.h"
#include "talk.h"

namespace nearkin::cli {
namespace {

constexpr std::chrono::milliseconds kInterval{100}, kSilence{1000};
constexpr const char* kClearLine = "\r\x1b[K";
constexpr std::size_t kBar = 24, kUsualWidth = 80;

/// What a stage of a run does, and whether its amounts are bytes.
struct StageWords {
  std::string_view name, words;
  bool bytes = false;
};
constexpr std::array kStages{
    StageWords{"read", "reading", true},
    StageWords{"ignore", "reading, to count shingles", true},
    StageWords{"suites", "reading the suites", true},
    StageWords{"search", "looking for exact copies"},
    StageWords{"candidates", "finding candidates"},
    StageWords{"shingle candidates", "reading candidates again"},
    StageWords{"verify", "comparing candidates"},
    StageWords{"join", "comparing exactly"},
    StageWords{"cluster", "making groups"},
    StageWords{"audit", "auditing"},
    StageWords{"report", "making the report"},
    StageWords{"write", "writing"},
    StageWords{"build tables", "building tables"},
    StageWords{"query", "answering queries"},
    StageWords{"exact answers", "computing exact answers"},
    StageWords{"evaluate", "evaluating"},
};

StageWords stage_words(std::string_view stage) {
  const auto* const found = std::find_if(kStages.begin(), kStages.end(), [&](const StageWords& one) { return one.name == stage; });
  return found == kStages.end() ? StageWords{stage, stage} : *found;
}

bool wanted(const ParsedArgs& typed) {
  const std::string when = typed.progress.value_or("auto");
  if (when == "always") return true;
  if (when == "never") return false;
  if (when != "auto") throw UsageError(fmt::format("--progress: \"{}\" is not auto, always or never", when));
  return !typed.quiet && isatty(STDERR_FILENO) == 1;
}

std::size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsualWidth;
}

/// "8 s", "3 min", "2 h 5 min"
std::string time_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  if (whole < 100) return fmt::format("{} s", whole);
  if (whole < 6000) return fmt::format("{} min", (whole + 30) / 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string bar_text(double share) {
  const auto full = static_cast<std::size_t>(share * static_cast<double>(kBar));
  return fmt::format("[{}{}]", std::string(full, '#'), std::string(kBar - full, '-'));
}

/// How fast it goes and how long the stage will take, where enough of it is done to tell.
void add_pace(const StageState& stage, bool bytes, std::vector<std::string>& parts) {
  constexpr double kLeastSeconds = 1;
  const double seconds = stage.time.count();
  if (seconds < kLeastSeconds) return;
  const auto done = static_cast<double>(stage.done);
  if (bytes && stage.done > 0) parts.push_back(size_text(done / seconds) + "/s");
  if (stage.done == 0 || stage.total == 0) {
    parts.push_back(time_text(seconds));
  } else if (stage.done < stage.total) {
    parts.push_back(time_text(seconds * static_cast<double>(stage.total - stage.done) / done) + " left");
  }
}

}  // namespace

std::string progress_text(const StageState& stage, std::size_t width) {
  const StageWords words = stage_words(stage.name);
  std::vector<std::string> parts{std::string(words.words)};
  if (stage.total > 0) {
    const double share = std::min(1.0, static_cast<double>(stage.done) / static_cast<double>(stage.total));
    parts.push_back(bar_text(share));
    parts.push_back(fmt::format("{} %", static_cast<int>(share * 100)));
  } else if (stage.done > 0) {
    parts.push_back(words.bytes ? size_text(static_cast<double>(stage.done)) : counted(stage.done));
  }
  add_pace(stage, words.bytes, parts);
  std::string line = fmt::format("nearkin: {}", fmt::join(parts, "  "));
  // A line that is longer than the terminal is wide cannot be rewritten.
  if (line.size() >= width && stage.total > 0) {
    parts.erase(parts.begin() + 1);
    line = fmt::format("nearkin: {}", fmt::join(parts, "  "));
  }
  return line.substr(0, width > 0 ? width - 1 : 0);
}

Progress::Progress(const ParsedArgs& typed) : on_(wanted(typed)) {}

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  end_.notify_all();
  if (ticker_.joinable()) ticker_.join();
  clear();
}

std::function<void(const char*, std::uint64_t, std::uint64_t)> Progress::callback() {
  if (!on_) return {};
  return [this](const char* stage, std::uint64_t done, std::uint64_t total) { show(stage, done, total); };
}

void Progress::show(const char* stage, std::uint64_t done, std::uint64_t total) {
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  if (!ticker_.joinable()) ticker_ = std::thread([this] { tick(); });
  const bool is_new = stage_.name != stage, known_at_last = stage_.total == 0 && total > 0;
  if (is_new) begun_ = now;
  if (is_new) stage_.name = stage;
  stage_.done = done;
  stage_.total = total;
  if (is_new || known_at_last || now >= drawn_ + kInterval) draw(now);
}

// The lock is held.
void Progress::draw(Clock::time_point now) {
  drawn_ = now;
  shown_ = true;
  stage_.time = now - begun_;
  std::fputs((kClearLine + progress_text(stage_, terminal_width())).c_str(), stderr);
  std::fflush(stderr);
}

void Progress::tick() {
  std::unique_lock lock(mutex_);
  while (!end_.wait_for(lock, kSilence / 2, [this] { return ending_; })) {
    if (const auto now = Clock::now(); shown_ && now >= drawn_ + kSilence) draw(now);
  }
}

void Progress::clear() {
  const std::lock_guard lock(mutex_);
  if (!shown_) return;
  shown_ = false;
  std::fputs(kClearLine, stderr);
  std::fflush(stderr);
}

}  // namespace nearkin::cli

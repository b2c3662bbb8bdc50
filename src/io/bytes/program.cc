#include "io/bytes/program.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nearkin/error.h>

#include "base/system.h"
#include "base/trimmed.h"
#include "io/bytes/descriptor.h"

extern char** environ;

namespace nearkin {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kLastWords = std::size_t{4} << 10;  // bytes of standard error that are remembered
constexpr int kTick = 50;                                 // milliseconds between two looks at the process and at `stop`, while it may write

/// The groups that are running, for end_programs; 0: free. One more than there is room for is left to its bounds.
std::atomic<pid_t> running_groups[64];

void replace(pid_t from, pid_t to) {
  for (std::atomic<pid_t>& group : running_groups) {
    pid_t expected = from;
    if (group.compare_exchange_strong(expected, to)) return;
  }
}

struct Pipe {
  Descriptor read, write;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (closing_pipe(ends.data()) != 0) throw Error(ErrorCode::file, "pipe", reason("cannot be made", errno));
  Pipe pipe{Descriptor(ends[0]), Descriptor(ends[1])};
  ::fcntl(pipe.read.get(), F_SETFL, O_NONBLOCK);
  return pipe;
}

/// What posix_spawn is told: files, a group of its own, signals as a program expects them.
class SpawnOptions {
 public:
  SpawnOptions(const Pipe& output, const Pipe& errors) {
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, output.write.get(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, errors.write.get(), STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    sigset_t signals;
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes, &signals);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnOptions() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnOptions(const SpawnOptions&) = delete;
  SpawnOptions& operator=(const SpawnOptions&) = delete;

  posix_spawn_file_actions_t files{};
  posix_spawnattr_t attributes{};
};

/// Also what a program may do that is still there after this process was killed.
void limit(pid_t process, const ProgramBounds& bounds) {
  const auto set = [&](auto resource, std::uint64_t most) {
    const rlimit limit{most, most};
    ::prlimit(process, resource, &limit, nullptr);
  };
  set(RLIMIT_DATA, bounds.memory);
  set(RLIMIT_FSIZE, bounds.files);
  set(RLIMIT_CPU, std::uint64_t{bounds.seconds} * 4);
  set(RLIMIT_CORE, 0);
}

/// Reads what there is; false at the end.
bool read_some(Descriptor& file, std::string& to) {
  std::array<char, 65536> block;
  const ssize_t got = ::read(file.get(), block.data(), block.size());
  if (got > 0) to.append(block.data(), static_cast<std::size_t>(got));
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

std::string last_line(std::string_view text) {
  text = trimmed(text);
  return std::string(text.substr(text.rfind('\n') + 1));
}

/// One run of a program.
class Running {
 public:
  Running(pid_t process, Descriptor output, Descriptor errors) : process_(process), output_(std::move(output)), errors_(std::move(errors)) {
    replace(0, process);
  }
  ~Running() {
    // The group is killed before its leader is given back to the system, so that its number belongs to no other.
    ::kill(-process_, SIGKILL);
    replace(process_, 0);
    ::waitpid(process_, nullptr, 0);
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  /// Empty: it has ended, well or not.
  std::string wait(const ProgramBounds& bounds, const std::atomic<bool>& stop, std::string& output) {
    const auto deadline = Clock::now() + std::chrono::seconds(bounds.seconds);
    while (!has_ended()) {
      if (stop) return "was stopped";
      if (Clock::now() >= deadline) return "took longer than " + std::to_string(bounds.seconds) + " s and was stopped";
      listen(output_ || errors_ ? kTick : 1, output);
      if (output.size() > bounds.output) return too_long(bounds, output);
    }
    // What it wrote before it ended is in the pipes still; what others of its group write later is not waited for.
    while (output.size() <= bounds.output && listen(0, output)) {
    }
    return output.size() > bounds.output ? too_long(bounds, output) : std::string();
  }

  /// How it ended; empty where that was well.
  std::string fate() const {
    if (info_.si_code == CLD_EXITED && info_.si_status == 0) return {};
    const std::string last = last_line(said_);
    const std::string how = info_.si_code == CLD_EXITED ? "failed with status " + std::to_string(info_.si_status)
                                                        : "was ended by signal " + std::to_string(info_.si_status);
    return last.empty() ? how : how + ": " + last;
  }

 private:
  static std::string too_long(const ProgramBounds& bounds, std::string& output) {
    output.clear();
    return "wrote more than " + std::to_string(bounds.output >> 20) + " MiB and was stopped";
  }

  bool has_ended() {
    info_ = {};
    const int status = ::waitid(P_PID, static_cast<id_t>(process_), &info_, WEXITED | WNOHANG | WNOWAIT);
    return status != 0 || info_.si_pid == process_;
  }

  /// Waits for something to read; false where there was nothing.
  bool listen(int milliseconds, std::string& output) {
    std::array<pollfd, 2> files{pollfd{output_.get(), POLLIN, 0}, pollfd{errors_.get(), POLLIN, 0}};
    if (::poll(files.data(), files.size(), milliseconds) <= 0) return false;
    if (files[0].revents != 0 && !read_some(output_, output)) output_.close();
    if (files[1].revents != 0 && !read_some(errors_, said_)) errors_.close();
    if (said_.size() > 2 * kLastWords) said_.erase(0, said_.size() - kLastWords);
    return output_ || errors_;
  }

  pid_t process_;
  Descriptor output_, errors_;
  std::string said_;  ///< the end of its standard error
  siginfo_t info_{};
};

}  // namespace

void end_programs() noexcept {
  for (const std::atomic<pid_t>& group : running_groups) {
    if (const pid_t leader = group; leader != 0) ::kill(-leader, SIGKILL);
  }
}

ProgramResult run_program(const std::vector<std::string>& words, const ProgramBounds& bounds, const std::atomic<bool>& stop) {
  Pipe output = make_pipe(), errors = make_pipe();
  const SpawnOptions options(output, errors);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t process = 0;
  const int error = ::posix_spawnp(&process, arguments[0], &options.files, &options.attributes, arguments.data(), environ);
  if (error != 0) return {.output = {}, .problem = reason("cannot be run", error), .missing = error == ENOENT};
  limit(process, bounds);
  output.write.close();
  errors.write.close();
  Running running(process, std::move(output.read), std::move(errors.read));
  ProgramResult result;
  result.problem = running.wait(bounds, stop, result.output);
  if (result.problem.empty()) result.problem = running.fate();
  if (!result.problem.empty()) result.output.clear();
  return result;
}

}  // namespace nearkin

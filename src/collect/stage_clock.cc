#include "collect/stage_clock.h"

#include <unistd.h>

#include <chrono>
#include <fstream>
#include <string>
#include <utility>

#include "base/system.h"
#include "collect/memory_bound.h"

namespace nearkin {

StageClock::StageClock() : last_(0) { lap(); }

double StageClock::lap() {
  const double now = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  return now - std::exchange(last_, now);
}

std::uint64_t peak_memory() {
  // What getrusage tells may be the peak of a larger process that started this one.
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::uint64_t kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return kilobytes * 1024;
  }
  return most_memory_used();
}

std::uint64_t resident_memory() {
  std::ifstream pages("/proc/self/statm");
  std::uint64_t all = 0, resident = 0;
  pages >> all >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace nearkin

#include "base/parallel.h"

#include <string>

#include <nearkin/error.h>

namespace nearkin {

void end_if_stopped() {
  if (stop_flag != nullptr && stop_flag->load(std::memory_order_relaxed)) throw Error(ErrorCode::stopped, "run", "stopped before its end");
}

unsigned thread_count(unsigned asked) {
  constexpr unsigned kMost = 4096;
  if (asked > kMost) {
    throw Error(ErrorCode::plan, "threads",
                std::to_string(asked) + " is more than " + std::to_string(kMost) + "; use 0 for one thread per core");
  }
  return asked != 0 ? asked : std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace nearkin

#include "base/parallel.h"

#include <nearkin/error.h>

namespace nearkin {

void end_if_stopped() {
  if (stop_flag != nullptr && stop_flag->load(std::memory_order_relaxed)) throw Error(ErrorCode::stopped, "run", "stopped before its end");
}

}  // namespace nearkin

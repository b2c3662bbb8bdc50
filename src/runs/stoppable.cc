#include <utility>

#include <nearkin/run.h>

#include "base/parallel.h"

namespace nearkin {

void stoppable(const std::atomic<bool>& stop, const std::function<void()>& work) {
  struct Restore {
    const std::atomic<bool>* before;
    ~Restore() { stop_flag = before; }
  };
  const Restore restore{std::exchange(stop_flag, &stop)};
  end_if_stopped();
  work();
}

}  // namespace nearkin

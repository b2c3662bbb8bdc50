// Measures the time and memory of a run.
#pragma once

#include <cstdint>

namespace nearkin {

/// Seconds since construction or the last call.
class StageClock {
 public:
  StageClock();
  double lap();

 private:
  double last_;
};

/// The most memory that the process has held, in bytes.
std::uint64_t peak_memory();

}  // namespace nearkin

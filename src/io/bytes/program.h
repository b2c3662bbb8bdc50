// Runs another program within bounds and returns its standard output.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace nearkin {

struct ProgramBounds {
  std::uint32_t seconds = 30;                     ///< by the clock
  std::size_t output = std::size_t{64} << 20;     ///< bytes
  std::uint64_t memory = std::uint64_t{2} << 30;  ///< bytes of its data
  std::uint64_t files = std::uint64_t{1} << 30;   ///< bytes of a file that it writes
};

struct ProgramResult {
  std::string output;
  std::string problem;   ///< what went wrong, with the last line that it wrote to its standard error; empty: it ended well
  bool missing = false;  ///< there is no such program
};

/// Runs a program without a shell, searching for it as a shell does; its standard input is empty. It runs in its own process group. The
/// call returns when the program has ended, exceeds its bounds, or `stop` becomes true, and kills what is left of the group. Thread-safe.
ProgramResult run_program(const std::vector<std::string>& words, const ProgramBounds& bounds, const std::atomic<bool>& stop);

/// Kills all programs that are running, for a process that is about to end. May be called by a signal handler.
void end_programs() noexcept;

}  // namespace nearkin

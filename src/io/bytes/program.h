// Another program: run within bounds, for what it writes to its standard output.
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

/// Runs a program, which is looked for as a shell does, without a shell; its standard input is empty. It is in a process group of its own,
/// and what is left of that group is killed when this returns: when the program has ended, when it goes beyond its bounds, and when `stop`
/// becomes true. Any number of threads at once.
ProgramResult run_program(const std::vector<std::string>& words, const ProgramBounds& bounds, const std::atomic<bool>& stop);

/// Kills all programs that are running, for a process that is about to end. May be called by a signal handler.
void end_programs() noexcept;

}  // namespace nearkin

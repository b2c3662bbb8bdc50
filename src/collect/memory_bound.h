// How much memory this process may take, as the system tells it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace nearkin {

/// Limits of the process (ulimit -v, ulimit -d); absent: there is none.
struct ProcessLimits {
  std::optional<std::uint64_t> address_space = std::nullopt;
  std::optional<std::uint64_t> data = std::nullopt;
};

/// The memory available on the machine, in the control groups (v1 and v2) of the process and within its limits: the least of these. Files
/// that the system would drop from its cache count as available. Everything is read from files below `root` ("": the system's own); a file
/// that does not exist sets no limit. Absent if nothing is known.
std::optional<std::uint64_t> available_memory(const std::string& root, const ProcessLimits& limits);

/// What the process holds now, in bytes.
std::uint64_t resident_memory();

}  // namespace nearkin

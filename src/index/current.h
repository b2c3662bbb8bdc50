// CURRENT: the file of an index that says what it is, and which generation of its tables is in use.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <ctime>
#include <string>

namespace nearkin {

/// What CURRENT begins with, and the version of all that stands in the tables.
inline constexpr std::uint32_t kIndexFormat = 1;

/// Puts a new one in its place, on the disk when it returns.
void write_current(const std::string& folder, const std::string& generation);
/// The generation that it names. Throws Error(file) where there is no index, or one of another format.
std::string read_current(const std::string& folder);

/// What tells one CURRENT from another: it is put in place by renaming, so that another one is another file.
struct CurrentFile {
  ino_t number = 0;
  std::time_t seconds = 0;
  long nanoseconds = 0;
  bool operator==(const CurrentFile&) const = default;
};
CurrentFile current_file(const std::string& folder);

}  // namespace nearkin

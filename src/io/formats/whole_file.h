// Small files that are read at once.
#pragma once

#include <string>

namespace nearkin {

/// All bytes of a file, decompressed, without a byte order mark; "-" is standard input. Throws Error(file) where it cannot be read.
std::string read_whole_file(const std::string& path);

}  // namespace nearkin

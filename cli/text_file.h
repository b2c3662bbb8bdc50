// Files that are one text each.
#pragma once

#include <string>

#include "flags.h"

namespace nearkin::cli {

/// The whole of one file, or of standard input ("-"), as one text. Throws Error(file) where it is not one; `command` is named in the way
/// out.
std::string read_text_file(const ParsedArgs& typed, const std::string& path, const std::string& command);

}  // namespace nearkin::cli

// What is made of the table of flags besides the help: man pages, and scripts that complete what is typed.
#pragma once

#include <span>
#include <string>

#include "flags.h"

namespace nearkin::cli {

/// The man page of one command, or, without one, of nearkin; in troff.
std::string man_page(std::span<const Command* const> commands, const Command* command);

/// A script for bash, zsh or fish. Throws UsageError for another shell.
std::string completion(std::span<const Command* const> commands, const std::string& shell);

}  // namespace nearkin::cli

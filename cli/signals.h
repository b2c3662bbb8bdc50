// What happens when the process is told to end.
#pragma once

#include <string>

namespace nearkin::cli {

/// From now on SIGINT, SIGTERM and SIGHUP, where they are not ignored, first remove what is half-written, then end the process as they
/// would have.
void end_on_signals();

/// The line that is then said on standard error, in place of one before. One thread at a time.
void say_when_ended(const std::string& message);

/// From now on SIGBUS, SIGSEGV and SIGABRT, which a mapped file that is cut or damaged can raise, end the process with status 2 and a line
/// that names the index. Once; further calls change the name.
void end_on_damage(const std::string& index);

}  // namespace nearkin::cli

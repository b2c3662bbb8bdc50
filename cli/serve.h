// What nearkin serve does: serve.cc, or no_server.cc in a build without the server.
#pragma once

#include "flags.h"

namespace nearkin::cli {

int run_serve(const ParsedArgs& typed);

}  // namespace nearkin::cli

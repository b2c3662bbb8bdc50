// nearkin serve in a build without the server (-DNEARKIN_BUILD_SERVER=OFF).
#include "errors.h"
#include "serve.h"

namespace nearkin::cli {

int run_serve(const ParsedArgs&) {
  throw UsageError(
      "serve: this nearkin was built without the HTTP server; a release (wheel, tarball or .deb) has it, and so has a build with "
      "-DNEARKIN_BUILD_SERVER=ON: pip install . -C cmake.define.NEARKIN_BUILD_SERVER=ON");
}

}  // namespace nearkin::cli

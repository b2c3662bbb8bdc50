// nearkin serve: an index over HTTP, with a page to look at.
#include "flags.h"
#include "serve.h"

namespace nearkin::cli {

const Command kServeCommand{
    .bit = kServe,
    .name = "serve",
    .arguments = "INDEX",
    .summary = "serve an index over HTTP, with a web page for searching it",
    .about =
        "Serves INDEX, with a page to search it by hand, until SIGTERM, SIGHUP or Ctrl-C. It then completes its writes and ends.\n"
        "Prints one line per request to standard error. Addresses that other machines can reach need --token-file.",
    .examples =
        "nearkin serve docs.nearkin                                            # for this machine\n"
        "nearkin serve docs.nearkin --listen 0.0.0.0:8787 --token-file token   # for others",
    .run = run_serve,
};

}  // namespace nearkin::cli

// nearkin serve: an index over HTTP, with a page to look at.
#include <fmt/format.h>
#include <nearkin/nearkin.h>

#include "errors.h"
#include "flags.h"
#include "index_folder.h"
#include "options.h"
#include "server/server.h"
#include "talk.h"

namespace nearkin::cli {
namespace {

int run(const Typed& typed) {
  if (!typed.inputs.empty()) throw UsageError(fmt::format("serve: takes INDEX alone, {} given too", typed.inputs.front()));
  server::ServerOptions options;
  if (typed.listen) {
    const server::Listen listen = server::parse_listen(*typed.listen);
    options.address = listen.address;
    options.port = listen.port;
  }
  if (typed.token_file) options.token = server::read_token_file(*typed.token_file);
  options.hosts = typed.hosts;
  options.threads = threads_of(typed);
  if (typed.quiet) options.log = [](const std::string&) {};
  Index index = open_index(*typed.index, Index::Access::write);
  server::serve(index, options, [&](const server::Server& server) {
    say(typed, fmt::format("serving {} at {}; SIGTERM or Ctrl-C ends it", *typed.index, server.url()));
  });
  return 0;
}

}  // namespace

const Command kServeCommand{
    .bit = kServe,
    .name = "serve",
    .arguments = "INDEX",
    .summary = "answer queries about an index over HTTP, and show a page",
    .about = "Serves INDEX, and a page to search it by hand, until SIGTERM or Ctrl-C; writes that are under way are finished then.\n"
             "One line a request goes to standard error. Addresses that other machines can reach need --token-file.",
    .example = "nearkin serve docs.nearkin --listen 127.0.0.1:8787",
    .run = run,
};

}  // namespace nearkin::cli

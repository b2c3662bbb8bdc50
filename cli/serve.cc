// nearkin serve: from flags to the options of the server.
#include <algorithm>

#include <fmt/format.h>
#include <nearkin/nearkin.h>
#include <nearkin/tools/names.h>

#include "errors.h"
#include "flags.h"
#include "index_folder.h"
#include "options.h"
#include "serve.h"
#include "server/server.h"
#include "talk.h"

namespace nearkin::cli {
namespace {

using server::ServerLimits;

struct BytesFlag {
  const char* name;
  ParsedArgs::Text ParsedArgs::*typed;
  std::size_t ServerLimits::*limit;
  std::uint64_t least, most;
};
constexpr BytesFlag kBytesFlags[] = {
    {"--max-header", &ParsedArgs::max_header, &ServerLimits::header_bytes, 256, 1 << 20},
    {"--max-body", &ParsedArgs::max_body, &ServerLimits::body_bytes, 256, 1 << 30},
    {"--max-buffered", &ParsedArgs::max_buffered, &ServerLimits::buffered_bytes, 64 << 10, std::uint64_t{1} << 40},
};

struct SecondsFlag {
  const char* name;
  ParsedArgs::Text ParsedArgs::*typed;
  double ServerLimits::*limit;
};
constexpr SecondsFlag kSecondsFlags[] = {
    {"--header-timeout", &ParsedArgs::header_timeout, &ServerLimits::header_seconds},
    {"--body-timeout", &ParsedArgs::body_timeout, &ServerLimits::body_seconds},
    {"--query-timeout", &ParsedArgs::query_timeout, &ServerLimits::query_seconds},
    {"--write-timeout", &ParsedArgs::write_timeout, &ServerLimits::write_seconds},
    {"--idle-timeout", &ParsedArgs::idle_timeout, &ServerLimits::idle_seconds},
    {"--stop-timeout", &ParsedArgs::stop_timeout, &ServerLimits::stop_seconds},
};

std::size_t bytes_of(const std::string& text, const BytesFlag& flag) {
  const std::uint64_t bytes = parse_bytes(text, flag.name);
  if (bytes >= flag.least && bytes <= flag.most) return bytes;
  throw UsageError(fmt::format("{}: {} is not between {} and {}", flag.name, text, bytes_text(flag.least), bytes_text(flag.most)));
}

/// Absent for what is not a number above 0 and up to `most`.
std::optional<double> positive_of(const std::string& text, double most) {
  const std::optional<double> number = decimal(text);
  return number && *number > 0 && *number <= most ? number : std::nullopt;
}

double rate_of(const std::string& text) {
  constexpr double kMost = 1'000'000;
  if (const auto rate = positive_of(text, kMost)) return *rate;
  throw UsageError(fmt::format("--rate-limit: {} is not a number of requests per second above 0, up to {}; write 50 or 0.5",
                               text.empty() ? "''" : text, kMost));
}

double seconds_of(const std::string& text, const char* flag) {
  constexpr double kDay = 86'400;
  if (const auto seconds = positive_of(text, kDay)) return *seconds;
  throw UsageError(
      fmt::format("{}: {} is not a number of seconds above 0, up to {}; write 30 or 0.5", flag, text.empty() ? "''" : text, kDay));
}

/// A body stands beside its JSON, which is as long where it is one text, and a little more.
void check_buffered(const ParsedArgs& typed, const ServerLimits& limits) {
  if (limits.buffered_bytes / 2 >= limits.body_bytes) return;
  throw UsageError(fmt::format("--max-buffered: {} cannot hold a body of {} and its JSON; give {} or more, or a smaller --max-body",
                               *typed.max_buffered, bytes_text(limits.body_bytes), bytes_text(2 * limits.body_bytes)));
}

ServerLimits limits_of(const ParsedArgs& typed) {
  ServerLimits limits;
  for (const BytesFlag& flag : kBytesFlags) {
    if (const ParsedArgs::Text& text = typed.*flag.typed) limits.*flag.limit = bytes_of(*text, flag);
  }
  for (const SecondsFlag& flag : kSecondsFlags) {
    if (const ParsedArgs::Text& text = typed.*flag.typed) limits.*flag.limit = seconds_of(*text, flag.name);
  }
  if (typed.max_connections)
    limits.connections = static_cast<std::uint32_t>(whole(*typed.max_connections, "--max-connections", 1, 1'000'000));
  if (typed.rate_limit) limits.requests_per_second = rate_of(*typed.rate_limit);
  if (!typed.max_buffered) limits.buffered_bytes = std::max(limits.buffered_bytes, limits.body_bytes / 2 * 5);
  check_buffered(typed, limits);
  return limits;
}

}  // namespace

int run_serve(const ParsedArgs& typed) {
  if (!typed.inputs.empty()) throw UsageError(fmt::format("serve: takes INDEX alone, {} given too", typed.inputs.front()));
  server::ServerOptions options;
  if (typed.listen) {
    const server::Listen listen = server::parse_listen(*typed.listen);
    options.address = listen.address;
    options.port = listen.port;
  }
  if (typed.token_file) options.token = server::read_token_file(*typed.token_file);
  if (typed.read_token_file) options.read_token = server::read_token_file(*typed.read_token_file);
  options.tls_certificate = typed.tls_certificate;
  options.tls_key = typed.tls_key;
  options.backup_folder = typed.backup_folder;
  options.hosts = typed.hosts;
  options.threads = threads_of(typed);
  options.limits = limits_of(typed);
  if (typed.quiet) options.log = [](const std::string&) {};
  Index index = open_index(*typed.index, Index::Access::write);
  server::serve(index, options, [&](const server::Server& server) {
    say(typed, fmt::format("serving {} at {}; SIGTERM or Ctrl-C ends it", *typed.index, server.url()));
  });
  return 0;
}

}  // namespace nearkin::cli

// nearkin <command> [INPUT ...] [flags]: finds the command, runs it, and turns what goes wrong into one line and an exit status.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <new>

#include <fmt/format.h>
#include <nearkin/nearkin.h>

#include "errors.h"
#include "flags.h"

namespace nearkin::cli {
namespace {

const Command* const kCommands[] = {&kPairsCommand, &kClusterCommand, &kDedupCommand, &kCompareCommand,
                                    &kTuneCommand,  &kCurveCommand,   &kDistinctCommand};

std::string usage() {
  std::string out = "Usage: nearkin <command> [INPUT ...] [flags]\n\n";
  for (const Command* command : kCommands) out += fmt::format("  {:<9} {}\n", command->name, command->summary);
  return out + "\n'nearkin help <command>' lists the flags of a command; 'nearkin --version' the version.\n";
}

std::string about() {
  return "nearkin finds the items of a collection that are nearly the same.\n\n" + usage() +
         "No INPUT, or '-', reads standard input. Results go to standard output, all else to standard error.\n"
         "Exit status: 0 done; 1 done, but records were skipped; 2 failed.\n\n"
         "Example:\n  nearkin dedup docs.jsonl --text body -o kept.jsonl --removed removed.tsv\n";
}

const Command& find(const std::string& name) {
  std::vector<std::string> names{"help"};
  for (const Command* command : kCommands) {
    if (name == command->name) return *command;
    names.emplace_back(command->name);
  }
  if (name.starts_with('-')) throw UsageError(fmt::format("{}: the command comes first, as in 'nearkin pairs {}'", name, name));
  const auto near = nearest(name, names);
  throw UsageError(near ? fmt::format("unknown command {}; did you mean {}?", name, *near)
                        : fmt::format("unknown command {}; see 'nearkin --help'", name));
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    std::fputs(usage().c_str(), stderr);
    return 2;
  }
  const std::string& first = arguments[0];
  if (first == "--version") {
    write_text(fmt::format("nearkin {}\n", version()), "-");
    return 0;
  }
  if (first == "--help" || first == "-h" || first == "help") {
    write_text(first == "help" && arguments.size() > 1 ? help(find(arguments[1])) : about(), "-");
    return 0;
  }
  const Command& command = find(first);
  const Typed typed = parse(command, {arguments.begin() + 1, arguments.end()});
  if (typed.help) {
    write_text(help(command), "-");
    return 0;
  }
  return command.run(typed);
}

int guarded(const std::vector<std::string>& arguments) {
  try {
    return run(arguments);
  } catch (const Error& error) {
    fmt::print(stderr, "nearkin: {}\n", spelled(error));
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "nearkin: out of memory\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "nearkin: {}\n", error.what());
  }
  return 2;
}

}  // namespace
}  // namespace nearkin::cli

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  return nearkin::cli::guarded({argv + std::min(argc, 1), argv + argc});
}

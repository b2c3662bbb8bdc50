// nearkin <command> [INPUT ...] [flags]: finds the command, runs it, and turns what goes wrong into one line and an exit status.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>

#include <fmt/format.h>
#include <nearkin/nearkin.h>
#include <nearkin/tools/front_end.h>

#include <nearkin/tools/spelling.h>
#include "clashes.h"

#include "errors.h"
#include "flags.h"
#include "index_folder.h"
#include "resources.h"
#include "signals.h"
#include "sketch_plan.h"
#include "talk.h"
#include "warnings.h"
#include "written.h"

namespace nearkin::cli {
namespace {

const Command* const kCommands[] = {&kPairsCommand,  &kClusterCommand, &kDedupCommand,    &kPassagesCommand, &kDecontaminateCommand,
                                    &kSketchCommand, &kQueryCommand,   &kIndexCommand,    &kServeCommand,    &kCompareCommand,
                                    &kTuneCommand,   &kCurveCommand,   &kEvaluateCommand, &kDistinctCommand, &kExplainCommand};

// What tells of the program itself. No flags, so no Command.
struct Leaflet {
  const char* name;
  const char* help;
};
constexpr Leaflet kLeaflets[] = {
    {"man",
     "Usage: nearkin man [<command>]\n\nPrints the man page of a command, or of nearkin itself.\n\n"
     "Examples:\n"
     "  nearkin man dedup | man -l -                                         # read it\n"
     "  nearkin man dedup > ~/.local/share/man/man1/nearkin-dedup.1          # from then on: man nearkin-dedup\n"},
    {"completion",
     "Usage: nearkin completion bash|zsh|fish\n\nPrints a script with which the shell completes commands, flags and their values.\n\n"
     "Examples:\n"
     "  nearkin completion bash > ~/.local/share/bash-completion/completions/nearkin\n"
     "  nearkin completion zsh > ~/.zfunc/_nearkin                           # a folder of $fpath\n"
     "  nearkin completion fish > ~/.config/fish/completions/nearkin.fish\n"}};

const Leaflet* find_leaflet(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kLeaflets), std::end(kLeaflets), [&](const Leaflet& leaflet) { return name == leaflet.name; });
  return found == std::end(kLeaflets) ? nullptr : found;
}

std::string usage() {
  std::string out = "Usage: nearkin <command> [INPUT ...] [flags]\n\n";
  for (const Command* command : kCommands) out += fmt::format("  {:<13} {}\n", command->name, command->summary);
  return out +
         "\n  nearkin help <command>              the flags of a command\n"
         "  nearkin help warnings               all warnings; 'nearkin help NAME' explains one\n"
         "  nearkin man [<command>]             a man page\n"
         "  nearkin completion bash|zsh|fish    a script that completes commands and flags\n"
         "  nearkin --version                   the version\n";
}

std::string about() {
  return "nearkin finds the items of a collection that are nearly the same.\n\n" + usage() +
         "\nThe input '-' is standard input, which most commands also read if no INPUT is given. Results go to standard output,\n"
         "everything else to standard error.\n"
         "Exit status: 0 done; 1 done, but records that could not be used were left out; 2 failed. With --faults skip, the\n"
         "status is 0 in spite of such records. 'dedup' and 'decontaminate --do' write such records, so their status is 0, too.\n\n"
         "Example:\n  nearkin dedup docs.jsonl --text body -o kept.jsonl --removed removed.tsv\n";
}

const Command& find(const std::string& name) {
  std::vector<std::string> names{"help"};
  for (const Leaflet& leaflet : kLeaflets) names.emplace_back(leaflet.name);
  for (const Command* command : kCommands) {
    if (name == command->name) return *command;
    names.emplace_back(command->name);
  }
  if (name.starts_with("--")) {
    if (const auto near = nearest_name(name, {"--version", "--help"}))
      throw UsageError(fmt::format("unknown flag {}; did you mean {}?", name, *near));
  }
  if (name.starts_with('-')) throw UsageError(fmt::format("{}: the command comes first, as in 'nearkin pairs {}'", name, name));
  const auto near = nearest_name(name, names);
  throw UsageError(near ? fmt::format("unknown command {}; did you mean {}?", name, *near)
                        : fmt::format("unknown command {}; see 'nearkin --help'", name.empty() ? "''" : name));
}

bool is_command(const std::string& name) {
  return std::any_of(std::begin(kCommands), std::end(kCommands), [&](const Command* command) { return name == command->name; });
}

void refuse_more_than(std::size_t most, const std::vector<std::string>& arguments) {
  if (arguments.size() > most) throw UsageError(fmt::format("unexpected argument {}; see 'nearkin --help'", arguments[most]));
}

void say_kernel(const ParsedArgs& typed) {
  const char* const value = std::getenv("NEARKIN_KERNEL");
  if (value == nullptr || *value == '\0' || std::string_view(value) == "scalar") return;
  warn(typed, Warning::unknown_kernel, fmt::format("NEARKIN_KERNEL: \"{}\" is not scalar; ignored", value));
}

std::string written(const std::string& what, const std::string& of) {
  if (what == "man") return man_page(kCommands, of.empty() ? nullptr : &find(of));
  if (of.empty()) throw UsageError("completion: name the shell: bash, zsh or fish");
  return completion(kCommands, of);
}

/// The help on a command, on a leaflet, on all warnings, or on one.
std::string help_on(const std::string& topic) {
  if (const Leaflet* const leaflet = find_leaflet(topic)) return leaflet->help;
  if (topic.empty()) throw UsageError("help: an empty name; 'nearkin --help' lists the commands, 'nearkin help warnings' the warnings");
  if (topic == "warnings") return list_of_warnings();
  if (topic == "warnings.md") return page_of_warnings();
  std::string name = topic;
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  if (const WarningText* const warning = find_warning(name)) return explained(*warning);
  std::vector<std::string> names;
  for (const WarningText& warning : warnings()) names.emplace_back(warning.name);
  const auto near = nearest_or_longer(name, names);
  if (is_command(topic)) return help(find(topic));
  if (near) throw UsageError(fmt::format("no command or warning is called {}; did you mean {}?", name, *near));
  names.clear();
  for (const Leaflet& leaflet : kLeaflets) names.emplace_back(leaflet.name);
  for (const Command* command : kCommands) names.emplace_back(command->name);
  const auto near_command = nearest_name(topic, names);
  throw UsageError(near_command ? fmt::format("help: {} is neither a command nor a warning; did you mean {}?", topic, *near_command)
                                : fmt::format("help: {} is neither a command nor a warning; 'nearkin --help' lists the commands, "
                                              "'nearkin help warnings' the warnings",
                                              topic));
}

/// For suggestions: 0 where no command was typed.
unsigned bit_of_command(const std::vector<std::string>& arguments) {
  const auto* const found = std::find_if(std::begin(kCommands), std::end(kCommands),
                                         [&](const Command* command) { return !arguments.empty() && arguments[0] == command->name; });
  return found == std::end(kCommands) ? 0U : unsigned{(*found)->bit};
}

/// Anywhere behind the command, as --help.
bool asks_for_version(const std::vector<std::string>& arguments) {
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  return std::find(arguments.begin(), end, "--version") != end;
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    std::fputs(usage().c_str(), stderr);
    return 2;
  }
  const std::string& first = arguments[0];
  if (first == "--version") {
    refuse_more_than(1, arguments);
    write_text(fmt::format("nearkin {}\n", version()), "-");
    return 0;
  }
  const bool is_topic = first == "help" || find_leaflet(first) != nullptr;
  if (is_topic && asks_for_version(arguments)) return run({"--version"});
  if (first == "--help" || first == "-h" || first == "help") {
    // The verbs of a command, as in 'nearkin help index create', are explained with it.
    refuse_more_than(arguments.size() > 1 && arguments[1] == kIndexCommand.name ? 3 : 2, arguments);
    write_text(arguments.size() > 1 && arguments[1] != "help" ? help_on(arguments[1]) : about(), "-");
    return 0;
  }
  if (const Leaflet* const leaflet = find_leaflet(first)) {
    refuse_more_than(2, arguments);
    const bool asked = arguments.size() > 1 && (arguments[1] == "--help" || arguments[1] == "-h");
    write_text(asked ? leaflet->help : written(first, arguments.size() > 1 ? arguments[1] : ""), "-");
    return 0;
  }
  const Command& command = find(first);
  if (asks_for_version(arguments)) return run({"--version"});
  ParsedArgs typed = parse(command, {arguments.begin() + 1, arguments.end()});
  if (typed.help) {
    write_text(help(command), "-");
    return 0;
  }
  take_leading_arguments(command, typed);
  say_when_interrupted(command, typed);
  refuse_clashes(command, typed);
  refuse_sketches(command, typed);
  refuse_indexes(command, typed);
  refuse_idle_reading(command, typed);
  say_kernel(typed);
  return command.run(typed);
}

int guarded(const std::vector<std::string>& arguments) {
  try {
    return run(arguments);
  } catch (const Error& error) {
    tell(with_suggestion(named(spelled(error), error), bit_of_command(arguments), arguments), Tone::error);
    // More memory, or a higher limit, can be given to the same run.
    const auto left = scratch_left();
    if (left && error.code() == ErrorCode::plan)
      tell(fmt::format("what was done so far is in {}: repeat the command with --resume to continue, or delete that folder", *left));
    if (left && error.message().find("its scratch folder") != std::string::npos) tell(fmt::format("its scratch folder is {}", *left));
  } catch (const std::bad_alloc&) {
    // Without an allocation.
    std::fputs("nearkin: out of memory; --memory limits what a run holds in memory, and puts the rest in files [out-of-memory]\n", stderr);
  } catch (const std::exception& error) {
    tell(with_suggestion(error.what(), bit_of_command(arguments), arguments), Tone::error);
  }
  return 2;
}

/// No output file may take the number of a standard stream that is closed. Each is opened the wrong way round, so that using it still
/// fails instead of losing a result without a word.
void open_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) < 0) ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace
}  // namespace nearkin::cli

int main(int argc, char** argv) {
  nearkin::cli::open_closed_streams();
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  nearkin::cli::end_on_signals();
  return nearkin::cli::guarded({argv + std::min(argc, 1), argv + argc});
}

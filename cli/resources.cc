#include "resources.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <memory>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include <nearkin/tools/forecast.h>
#include <nearkin/tools/front_end.h>
#include <nearkin/tools/names.h>

#include "errors.h"
#include "options.h"
#include "signals.h"
#include "talk.h"

namespace nearkin::cli {
namespace {

namespace fs = std::filesystem;

std::string scratch_folder(const ParsedArgs& typed) {
  const char* const named = std::getenv("TMPDIR");
  const fs::path folder = fs::path(typed.scratch                        ? *typed.scratch
                                   : named != nullptr && *named != '\0' ? named
                                                                        : "/var/tmp")
                              .lexically_normal();
  return (folder.has_filename() || !folder.has_relative_path() ? folder : folder.parent_path()).string();
}

/// Why a run holds all in memory; null where it may go to files.
const char* reason_for_memory(const ParsedArgs& typed, const Plan& plan) {
  const std::pair<bool, const char*> in_memory[] = {{typed.bloom.has_value(), "--bloom"},
                                                    {plan.kind == Kind::tfidf, "--features tfidf"},
                                                    {!can_use_files(plan), "--binarise by all vectors"}};
  const auto reason = std::find_if(std::begin(in_memory), std::end(in_memory), [](const auto& entry) { return entry.first; });
  return reason == std::end(in_memory) ? nullptr : reason->second;
}

/// Other runs that were ended before they were done.
std::uint64_t unfinished_runs(const std::string& scratch, const std::string& own) {
  std::uint64_t count = 0;
  std::error_code error;
  for (fs::directory_iterator entry(scratch, error); !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    std::error_code ignored;
    count +=
        name.starts_with("nearkin-") && entry->path().extension() != ".done" && name != own && fs::exists(entry->path() / "lock", ignored);
  }
  return count;
}

void say_nothing_to_resume(const ParsedArgs& typed, const std::string& own) {
  const std::string folder = scratch_folder(typed);
  const std::uint64_t others = unfinished_runs(folder, own);
  const std::string found = others == 0 ? "" : fmt::format(" (but {} in nearkin-*)", counted(others, "other"));
  warn(typed, Warning::nothing_to_resume,
       fmt::format("--resume: no unfinished run of this plan and these inputs is in {}{}; the run starts from the beginning", folder,
                   found));
}

const char* left_of_output(const ParsedArgs& typed) {
  return output_of(typed) == "-" ? "standard output has only a part of the result" : "no output was written";
}

/// What an action on an index leaves when it is interrupted.
const char* left_of_index(std::string_view action) {
  if (action == "create") return "no index was made";
  if (action == "add") return "what was added so far stays in the index; repeat the command to add the rest";
  if (action == "remove") return "what was removed so far is no longer in the index; repeat the command to remove the rest";
  return "the index is as it was";
}

std::string left_of_new_records(const ParsedArgs& typed) {
  if (output_of(typed) == "-") return "standard output has the records that the index took";
  return fmt::format("if there is a file {}.partial, the index took its records: move it away, then repeat the command", output_of(typed));
}

/// How to go on with, or to be rid of, what a run has in its folder.
std::string farewell_line(const ParsedArgs& typed, const std::string& folder) {
  return fmt::format("interrupted; its files are in {}: repeat the command{} to continue, or delete that folder", folder,
                     typed.resume ? "" : " with --resume");
}

}  // namespace

std::uint64_t memory_of(const ParsedArgs& typed) {
  if (!typed.memory) return 0;
  constexpr std::uint64_t kNoAmount = 1 << 20;  // below this no number of bytes is meant as such
  const std::uint64_t bytes = parse_bytes(*typed.memory);
  const bool bare = typed.memory->find_first_not_of("0123456789.") == std::string::npos;
  if (bare && bytes < kNoAmount) {
    throw UsageError(fmt::format("--memory: {} without a unit is a number of bytes; did you mean {}GiB?", *typed.memory, *typed.memory));
  }
  return bytes;
}

RunOptions resources_of(const ParsedArgs& typed) {
  RunOptions options;
  options.threads = threads_of(typed);
  options.memory = memory_of(typed);
  options.scratch = typed.scratch;
  options.resume = typed.resume;
  return options;
}

void refuse_little_memory(const ParsedArgs& typed) {
  if (!typed.memory || typed.bloom) return;
  const unsigned asked = threads_of(typed), threads = asked != 0 ? asked : std::max(1u, std::thread::hardware_concurrency());
  const std::uint64_t memory = memory_of(typed), least = least_memory(threads), least_of_one = least_memory(1);
  if (memory >= least) return;
  const std::string fewer = threads > 1 ? fmt::format(", {} with --threads 1", bytes_text(least_of_one)) : "";
  throw UsageError(fmt::format("--memory: {} is too little; the least is {} with {}{}", bytes_text(memory), bytes_text(least),
                               counted(threads, "thread"), fewer));
}

void refuse_idle_scratch(const ParsedArgs& typed, const Plan& plan) {
  refuse_little_memory(typed);
  const char* const reason = reason_for_memory(typed, plan);
  if ((!typed.scratch && !typed.resume) || reason == nullptr) return;
  throw UsageError(fmt::format("{}: has no use with {}, for which all is held in memory; leave one of them out",
                               typed.scratch ? "--scratch" : "--resume", reason));
}

void say_when_interrupted(const Command& command, const ParsedArgs& typed) {
  if (typed.quiet || command.bit == kServe) return;
  say_when_ended("interrupted; " + (command.bit == kIndex                  ? std::string(left_of_index(*typed.action))
                                    : command.bit == kDedup && typed.index ? left_of_new_records(typed)
                                                                           : left_of_output(typed)));
}

void promise_resume(const ParsedArgs& typed) {
  if (typed.quiet) return;
  if (!typed.scratch && !typed.resume) {
    return say_when_ended(
        fmt::format("interrupted; {}. To be able to continue such a run, start it with --scratch DIR, then repeat it with --resume",
                    left_of_output(typed)));
  }
  say_when_ended(fmt::format("interrupted; repeat the command{} to continue with the files in {}", typed.resume ? "" : " with --resume",
                             scratch_folder(typed)));
}

std::function<void(const char*, std::uint64_t, std::uint64_t)> watched(const ParsedArgs& typed, Progress& progress) {
  if (typed.quiet) return progress.callback();
  const auto known = std::make_shared<bool>(false);  // shared by the copies of the function
  return [typed, &progress, shown = progress.callback(), known](const char* stage, std::uint64_t done, std::uint64_t total) {
    if (shown) shown(stage, done, total);
    if (*known) return;
    const std::optional<ScratchInUse> scratch = scratch_in_use();
    if (!scratch) return;
    *known = true;
    say_when_ended(farewell_line(typed, scratch->folder));
    if (!typed.resume || scratch->resumed) return;
    progress.clear();
    say_nothing_to_resume(typed, fs::path(scratch->folder).filename().string());
  };
}

void say_scratch(const ParsedArgs& typed, const RunStats& stats) {
  if (stats.scratch_bytes > 0) {
    say(typed, fmt::format("up to {} were in files in {} while it ran", size_text(static_cast<double>(stats.scratch_bytes)),
                           scratch_folder(typed)));
  }
  if (stats.resumed > 0) {
    say(typed, fmt::format("{} of work {} taken over from the interrupted run", counted(stats.resumed, "unit"),
                           stats.resumed == 1 ? "was" : "were"));
  }
}

}  // namespace nearkin::cli

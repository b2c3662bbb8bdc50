#include "resources.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "errors.h"
#include "options.h"
#include "signals.h"
#include "talk.h"

namespace nearkin::cli {
namespace {

std::string scratch_folder(const Typed& typed) {
  if (typed.scratch) return *typed.scratch;
  const char* const folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/var/tmp";
}

}  // namespace

RunOptions resources_of(const Typed& typed) {
  RunOptions options;
  options.threads = threads_of(typed);
  if (typed.memory) options.memory = parse_bytes(*typed.memory);
  options.scratch = typed.scratch;
  options.resume = typed.resume;
  return options;
}

void refuse_idle_scratch(const Typed& typed, const Plan& plan) {
  if (!typed.scratch && !typed.resume) return;
  const std::pair<bool, const char*> in_memory[] = {{typed.thresholds.has_value(), "--thresholds"},
                                                    {typed.radii.has_value(), "--radii"},
                                                    {typed.audit.has_value(), "--audit"},
                                                    {typed.report.has_value(), "--report"},
                                                    {typed.bloom.has_value(), "--bloom"},
                                                    {plan.kind != Kind::shingles, "vectors"},
                                                    {plan.measure == Measure::containment, "--measure containment"},
                                                    {plan.exact_join(), "--recall 1"}};
  const auto reason = std::find_if(std::begin(in_memory), std::end(in_memory), [](const auto& entry) { return entry.first; });
  if (reason == std::end(in_memory)) return;
  throw UsageError(fmt::format("{}: has no use with {}, for which all is held in memory; leave one of them out",
                               typed.scratch ? "--scratch" : "--resume", reason->second));
}

void promise_resume(const Typed& typed) {
  if (typed.quiet || (!typed.scratch && !typed.resume)) return;
  say_when_ended(fmt::format("ended; the same command{} goes on with what is in {}", typed.resume ? "" : " with --resume", scratch_folder(typed)));
}

void say_scratch(const Typed& typed, const RunStats& stats) {
  if (stats.scratch_bytes > 0) {
    say(typed, fmt::format("up to {} were in files in {} while it ran", size_text(static_cast<double>(stats.scratch_bytes)), scratch_folder(typed)));
  }
  if (stats.resumed > 0) {
    say(typed, fmt::format("{} of work {} taken over from the run that was ended before", counted(stats.resumed, "unit"),
                           stats.resumed == 1 ? "was" : "were"));
  }
}

}  // namespace nearkin::cli

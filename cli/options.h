// What was typed → what will be done: the library's Input, Plan and options.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include <nearkin/nearkin.h>
#include <nearkin/tools/lists.h>

#include "flags.h"

namespace nearkin::cli {

/// How texts are made of files: --encoding, --html, --pre and the like.
void set_pages(const ParsedArgs& typed, Input& input);

/// What becomes of records that cannot be used.
enum class FaultRule { keep, skip, stop };
/// --faults; keep where it is not given, but skip with --skipped, which takes them. Commands that write no records skip what is to be kept.
FaultRule fault_rule(const ParsedArgs& typed);

/// INPUT ..., --files-from and the flags on how to read them. Nothing named: standard input.
Input input_of(const ParsedArgs& typed);
/// Names between commas. Throws UsageError for an empty one, naming the flag and an example.
std::vector<std::string> field_names(const std::string& typed, const char* flag, const char* example);
/// --against, read as --against-text, --against-id and --against-format say, else like the input. Throws UsageError for these without it.
std::optional<Input> against_of(const ParsedArgs& typed);

/// Whether a path stands for the files that match it.
bool is_pattern(const std::string& path);

/// A word of --against that may name its suite: NAME=PATH. Otherwise the suite is called by its file, without folders and extensions. A
/// word that is the path of a file is never taken apart.
struct NamedSuite {
  std::string name, path;
};
NamedSuite named_suite(const std::string& typed);
/// Those of --against for decontaminate, read in the same way.
std::vector<Suite> suites_of(const ParsedArgs& typed);

/// --plan, or the plan tuned for the goal and the single numbers. A number that contradicts --plan is refused, named.
/// For vectors the input is read once to tune for it, unless it is standard input.
/// `large_bucket` stands in for --large-bucket when neither it nor --plan is given.
Plan plan_of(const ParsedArgs& typed, const Input& input, std::optional<std::uint32_t> large_bucket = {});
/// The same with what `sample_of` gave, for several plans over one input.
Plan plan_for(const ParsedArgs& typed, const Input& input, const std::optional<DataSample>& sample,
              std::optional<std::uint32_t> large_bucket = {});
/// The plan of --plan: its line, the first of @FILE, or that of the sketch file or index @FILE. Throws UsageError where it is none.
Plan parsed_plan(const std::string& typed);
/// The plan of a sketch file; absent if the path is no plain file, or one without sketches.
std::optional<Plan> plan_of_sketch_file(const std::string& path);
/// From a time to now.
double seconds_since(std::chrono::steady_clock::time_point begin);
/// What the plan depends on in the data: absent for plans that do not, for a terminal, and for vectors from standard
/// input.
std::optional<DataSample> sample_of(const ParsedArgs& typed, const Input& input);

/// What the items are and how they will be compared, as far as it was typed or the input's format tells: measure, kind, shingles, binarise.
Plan outline_of(const ParsedArgs& typed, const Input& input);
/// The one input among INPUTs, read like all: for commands whose arguments stand for different things.
Input input_at(const ParsedArgs& typed, std::size_t argument);
/// --share-of. Throws UsageError where the measure is not containment.
ShareOf share_of(const ParsedArgs& typed, const Plan& plan);
/// --limit, 0 when absent.
std::uint32_t limit_of(const ParsedArgs& typed);
/// --max-candidates: a number, or "3L": so many times the tables of the plan.
std::optional<std::uint64_t> max_candidates_of(const std::string& text, const Plan& plan);
Goal goal_of(const ParsedArgs& typed, const Input& input);
/// The single numbers that were typed, for `tune`.
Choices choices_of(const ParsedArgs& typed, const Input& input, const std::optional<DataSample>& sample);
/// --keep; first by default, and longest for containment.
Keep keep_of(const ParsedArgs& typed, Measure measure);
RowStyle style_of(const ParsedArgs& typed);
/// 0 when --threads is not given: the library's own choice.
unsigned threads_of(const ParsedArgs& typed);
/// --audit, 0 when absent. Throws UsageError where there is nothing to audit.
std::uint64_t audit_of(const ParsedArgs& typed, const Plan& plan);
/// The path of -o, "-" by default.
std::string output_of(const ParsedArgs& typed);

}  // namespace nearkin::cli

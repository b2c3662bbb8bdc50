#include "sketch_plan.h"

#include <filesystem>
#include <string>

#include <fmt/format.h>

#include <nearkin/tools/sketch_file.h>

#include "disagreement.h"
#include "errors.h"
#include "ignore.h"
#include "options.h"

namespace nearkin::cli {
namespace {

/// Both collections as one. A list of files that can be read only once is left out, because the run itself has to read it.
Input joined(Input input, const std::optional<Input>& against) {
  std::error_code none;
  if (input.files_from && !std::filesystem::is_regular_file(*input.files_from, none)) input.files_from.reset();
  if (against) input.paths.insert(input.paths.end(), against->paths.begin(), against->paths.end());
  return input;
}

/// The first sketch file by its name, or what leads to it.
std::string first_sketch(const Input& inputs) {
  for (const std::string& path : inputs.paths) {
    Input one = inputs;
    one.paths = {path};
    one.files_from.reset();
    if (plan_of_sketches(one)) return path;
  }
  return inputs.files_from.value_or("--files-from");
}

Made made_of(const Input& inputs) {
  return {[&inputs] { return first_sketch(inputs); }, "leave that out, or sketch the input again"};
}

}  // namespace

std::optional<Plan> sketched_plan(const Input& input, const std::optional<Input>& against) {
  return plan_of_sketches(joined(input, against));
}

Plan plan_of_run(const ParsedArgs& typed, const Input& input, const std::optional<Input>& against,
                 std::optional<std::uint32_t> large_bucket) {
  refuse_idle_ignored(typed, input, against);
  std::optional<Plan> plan = sketched_plan(input, against);
  if (!plan) return plan_of(typed, input, large_bucket);
  const Input inputs = joined(input, against);
  if (typed.plan) {
    const Plan given = plan_of(typed, input);  // with the other flags, which must agree with it
    plan->band.large_bucket = given.band.large_bucket;
    refuse_other_plan(given, *plan, made_of(inputs));
    return given;
  }
  ParsedArgs of_sketches = typed;
  of_sketches.large_bucket.reset();
  refuse_change(of_sketches, *plan, made_of(inputs));
  if (typed.large_bucket) large_bucket = static_cast<std::uint32_t>(whole(*typed.large_bucket, "--large-bucket", 2, 0xffffffff));
  plan->band.large_bucket = large_bucket.value_or(plan->band.large_bucket);
  return with_its_ignored(typed, input, *plan, Given::made);
}

void refuse_sketches(const Command& command, const ParsedArgs& typed) {
  if ((command.bit & (kPairs | kCluster | kDedup | kSketch)) != 0) return;
  for (const std::string& path : typed.inputs) {
    if (!plan_of_sketch_file(path)) continue;
    throw UsageError(fmt::format("{}: is a sketch file, which pairs, cluster and dedup take; name the files that it was made from", path));
  }
}

}  // namespace nearkin::cli

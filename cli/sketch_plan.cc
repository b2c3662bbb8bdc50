#include "sketch_plan.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "agreement.h"
#include "errors.h"
#include "options.h"

namespace nearkin::cli {
namespace {

/// Of a list that can be read only once, only the run itself may ask.
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

[[noreturn]] void refuse(const Input& inputs, std::string_view made_with, std::string_view typed) {
  throw UsageError(fmt::format("{}: made with {}, {} cannot change it; leave that out, or sketch the input anew", first_sketch(inputs), made_with, typed));
}

/// Cuts the first word off.
std::string_view next_word(std::string_view& line) {
  const std::string_view word = line.substr(0, line.find(' '));
  line.remove_prefix(std::min(line.size(), word.size() + 1));
  return word;
}

/// The first part in which the two plans differ.
[[noreturn]] void refuse_plan(const Input& inputs, const Plan& plan, const Plan& typed) {
  const std::string ours = to_string(plan), theirs = to_string(typed);
  std::string_view rest = ours, typed_rest = theirs;
  std::string_view part, typed_part;
  do {
    part = next_word(rest);
    typed_part = next_word(typed_rest);
  } while (part == typed_part && !rest.empty() && !typed_rest.empty());
  refuse(inputs, part, fmt::format("--plan with {}", typed_part));
}

void refuse_other_flags(const Typed& typed, const Input& inputs, const Plan& plan) {
  Typed of_sketches = typed;
  of_sketches.large_bucket.reset();
  refuse_disagreement(of_sketches, plan, [&](std::string_view flag, std::string_view value, std::string_view planned) -> std::string {
    if (value.empty()) refuse(inputs, planned, flag);
    const bool named = planned.find('=') != std::string_view::npos;  // another part of the plan stands for it
    refuse(inputs, named ? std::string(planned) : fmt::format("{}={}", flag.substr(2), planned), fmt::format("{} {}", flag, value));
  });
}

}  // namespace

std::optional<Plan> sketched_plan(const Input& input, const std::optional<Input>& against) { return plan_of_sketches(joined(input, against)); }

Plan plan_of_run(const Typed& typed, const Input& input, const std::optional<Input>& against, std::optional<std::uint32_t> large_bucket) {
  std::optional<Plan> plan = sketched_plan(input, against);
  if (!plan) return plan_of(typed, input, large_bucket);
  const Input inputs = joined(input, against);
  if (typed.plan) {
    const Plan given = plan_of(typed, input);  // with the other flags, which must agree with it
    plan->band.large_bucket = given.band.large_bucket;
    if (*plan != given) refuse_plan(inputs, *plan, given);
    return given;
  }
  refuse_other_flags(typed, inputs, *plan);
  if (typed.large_bucket) large_bucket = static_cast<std::uint32_t>(whole(*typed.large_bucket, "--large-bucket", 2, 0xffffffff));
  plan->band.large_bucket = large_bucket.value_or(plan->band.large_bucket);
  return *plan;
}

void refuse_sketches(const Command& command, const Typed& typed) {
  if ((command.bit & (kPairs | kCluster | kDedup | kSketch)) != 0) return;
  for (const std::string& path : typed.inputs) {
    if (!plan_of_sketch_file(path)) continue;
    throw UsageError(fmt::format("{}: is a sketch file, which pairs, cluster and dedup take; name the files that it was made of", path));
  }
}

}  // namespace nearkin::cli

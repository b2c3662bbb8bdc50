#include "options.h"

#include <utility>

#include <fmt/format.h>

#include "errors.h"

namespace nearkin::cli {
namespace {

constexpr std::uint64_t kMost32 = 0xffffffff;

std::optional<std::uint32_t> count32(const Typed::Text& text, const char* flag) {
  if (!text) return {};
  return static_cast<std::uint32_t>(whole(*text, flag, 1, kMost32));
}

/// Absent when nothing typed has a say, so that `tune` keeps its own default.
std::optional<ShinglePlan> shingle_of(const Typed& typed, const Input& input, Measure measure) {
  const bool sets = !typed.shingle && measure != Measure::exact && reads_sets(input);
  const bool bag = typed.bag || measure == Measure::weighted_jaccard;
  if (!typed.shingle && !typed.normalise && !bag && !sets) return {};
  ShinglePlan shingle;
  if (typed.shingle) shingle = parse_shingle(*typed.shingle);
  else if (sets) shingle = parse_shingle("element:1");
  if (typed.normalise) shingle.normalise = parse_normalise(*typed.normalise);
  shingle.bag = shingle.bag || bag;
  return shingle;
}

void refuse_too_few_hashes(const Choices& choices) {
  if (!choices.bands || !choices.rows || !choices.hashes) return;
  const std::uint64_t needed = std::uint64_t{*choices.bands} * *choices.rows;
  if (needed <= *choices.hashes) return;
  const std::uint32_t rows = *choices.hashes / *choices.bands;
  throw UsageError(fmt::format("--bands {} with --rows {} needs {} hashes, the sketch has {}; use {}--hashes {}", *choices.bands,
                               *choices.rows, needed, *choices.hashes, rows > 0 ? fmt::format("--rows {} or ", rows) : "", needed));
}

Choices choices_of(const Typed& typed, const Input& input, Measure measure) {
  Choices choices;
  choices.shingle = shingle_of(typed, input, measure);
  choices.hashes = count32(typed.hashes, "--hashes");
  choices.bands = count32(typed.bands, "--bands");
  choices.rows = count32(typed.rows, "--rows");
  choices.large_bucket = count32(typed.large_bucket, "--large-bucket");
  if (typed.verify) choices.verify = parse_verify(*typed.verify);
  if (typed.seed) choices.seed = whole(*typed.seed, "--seed", 0);
  refuse_too_few_hashes(choices);
  return choices;
}

std::string plan_line(const std::string& typed) {
  if (!typed.starts_with('@')) return typed;
  const std::string path = typed.substr(1);
  const Items lines = read_items({.paths = {path}, .files_from = {}, .format = Format::lines, .number = {}});
  if (lines.size() == 0) throw UsageError(fmt::format("--plan: {} is empty; it should begin with a plan", path));
  return std::string(lines.text(0));
}

Plan parsed_plan(const std::string& typed) {
  const std::string line = plan_line(typed);
  try {
    return parse_plan(line);
  } catch (const Error& error) {
    if (error.subject() == "plan") throw;
    throw UsageError(fmt::format("--plan: {}: {}", error.subject(), error.message()));
  }
}

/// One single flag beside --plan.
void agree(bool same, const char* flag, const std::string& typed, std::string_view planned) {
  if (same) return;
  throw UsageError(fmt::format("{}{}{} disagrees with --plan, which has {}; leave one of them out", flag, typed.empty() ? "" : " ", typed,
                               planned));
}

void agree(const Typed::Text& typed, const char* flag, std::uint64_t least, std::uint64_t planned) {
  if (typed) agree(whole(*typed, flag, least) == planned, flag, *typed, std::to_string(planned));
}

void refuse_disagreement(const Typed& typed, const Plan& plan) {
  if (typed.measure) agree(parse_measure(*typed.measure) == plan.measure, "--measure", *typed.measure, name(plan.measure));
  if (typed.threshold) {
    const bool same = parse_ratio(*typed.threshold, "threshold").value() == plan.threshold.value();
    agree(same, "--threshold", *typed.threshold, to_string(plan.threshold));
  }
  if (typed.recall) {
    const bool same = parse_ratio(*typed.recall, "recall").value() == plan.recall;
    agree(same, "--recall", *typed.recall, fmt::format("{}", plan.recall));
  }
  if (typed.shingle) {
    const ShinglePlan shingle = parse_shingle(*typed.shingle);
    agree(shingle.unit == plan.shingle.unit && shingle.size == plan.shingle.size, "--shingle", *typed.shingle, shingle_name(plan.shingle));
  }
  if (typed.bag) agree(plan.shingle.bag, "--bag", "", "sets");
  if (typed.normalise) {
    agree(parse_normalise(*typed.normalise) == plan.shingle.normalise, "--normalise", *typed.normalise, name(plan.shingle.normalise));
  }
  agree(typed.hashes, "--hashes", 1, plan.sketch.hashes);
  agree(typed.bands, "--bands", 1, plan.band.bands);
  agree(typed.rows, "--rows", 1, plan.band.rows);
  agree(typed.large_bucket, "--large-bucket", 1, plan.band.large_bucket);
  if (typed.verify) agree(parse_verify(*typed.verify) == plan.verify, "--verify", *typed.verify, name(plan.verify));
  agree(typed.seed, "--seed", 0, plan.sketch.seed);
}

void refuse_similarity_flags(const Typed& typed) {
  const std::pair<bool, const char*> given[] = {{typed.threshold.has_value(), "--threshold"}, {typed.recall.has_value(), "--recall"},
                                                {typed.shingle.has_value(), "--shingle"},     {typed.bag, "--bag"},
                                                {typed.large_bucket.has_value(), "--large-bucket"}};
  for (const auto& [is_given, flag] : given) {
    if (is_given) throw UsageError(fmt::format("{}: has no use with --measure exact, which finds equal texts; leave it out", flag));
  }
}

char separator_of(const std::string& typed) {
  if (typed == "tab" || typed == "\\t") return '\t';
  const bool usable = typed.size() == 1 && static_cast<unsigned char>(typed[0]) < 0x80 && typed.find_first_of("\"\r\n") == std::string::npos;
  if (!usable) throw UsageError(fmt::format("--separator: \"{}\" is not one ASCII character, such as ; or |, or tab", typed));
  return typed[0];
}

void set_reading(const Typed& typed, Input& input) {
  if (typed.format) input.format = parse_format(*typed.format);
  if (typed.id) input.id = *typed.id;
  if (typed.text) input.text = *typed.text;
  if (typed.separator) input.separator = separator_of(*typed.separator);
  input.strict = typed.strict;
  input.header = !typed.no_header;
}

}  // namespace

Input input_of(const Typed& typed) {
  Input input;
  input.paths = typed.inputs;
  input.files_from = typed.files_from;
  if (input.paths.empty() && !input.files_from) input.paths = {"-"};
  set_reading(typed, input);
  return input;
}

std::optional<Input> against_of(const Typed& typed) {
  if (!typed.against) return {};
  Input input;
  input.paths = {*typed.against};
  set_reading(typed, input);
  return input;
}

Goal goal_of(const Typed& typed) {
  Goal goal;
  if (typed.measure) goal.measure = parse_measure(*typed.measure);
  if (goal.measure == Measure::exact) refuse_similarity_flags(typed);
  if (typed.threshold) goal.threshold = parse_ratio(*typed.threshold, "threshold").value();
  if (typed.recall) goal.recall = parse_ratio(*typed.recall, "recall").value();
  return goal;
}

Plan plan_of(const Typed& typed, const Input& input, std::optional<std::uint32_t> large_bucket) {
  if (typed.plan) {
    const Plan plan = parsed_plan(*typed.plan);
    refuse_disagreement(typed, plan);
    return plan;
  }
  const Goal goal = goal_of(typed);
  Choices choices = choices_of(typed, input, goal.measure);
  if (!choices.large_bucket) choices.large_bucket = large_bucket;
  return tune(goal, choices);
}

Keep keep_of(const Typed& typed) { return typed.keep ? parse_keep(*typed.keep) : Keep{}; }

RowStyle style_of(const Typed& typed) { return typed.json ? RowStyle::json : RowStyle::tsv; }

unsigned threads_of(const Typed& typed) {
  return typed.threads ? static_cast<unsigned>(whole(*typed.threads, "--threads", 1, 4096)) : 0;
}

std::string output_of(const Typed& typed) { return typed.output.value_or("-"); }

}  // namespace nearkin::cli

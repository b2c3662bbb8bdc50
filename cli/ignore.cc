#include "ignore.h"

#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nearkin/tools/front_end.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/spelling.h>

#include "errors.h"
#include "options.h"
#include "resources.h"
#include "talk.h"

namespace nearkin::cli {
namespace {

/// A share where it has a point, else a count of items.
CommonLimit common_limit(const std::string& text) {
  if (text.find('.') == std::string::npos) return {.items = whole(text, "--ignore-common", 1)};
  const Ratio share = parse_ratio(text, "ignore_common");
  if (share.numerator == 0 || share.numerator >= share.denominator) {
    throw UsageError(fmt::format("--ignore-common: {} is not a share above 0 and below 1, such as 0.1, or a number of items", text));
  }
  return {.share = share};
}

/// Records where the name says so and sets where the input has sets, else whole files.
Format format_of_templates(const ParsedArgs& typed, const Input& input, const std::string& path) {
  if (reads_sets(input)) return format_of(input).value_or(Format::sets);
  Input named = input_of(typed);
  named.format.reset();
  named.paths = {path};
  named.files_from.reset();
  const std::optional<Format> format = format_of(named);
  const bool records = format == Format::jsonl || format == Format::csv || format == Format::tsv;
  return records ? *format : Format::files;
}

Input templates_of(const ParsedArgs& typed, const Input& input, const std::string& path) {
  Input templates = input;
  templates.paths = {path};
  templates.files_from.reset();
  templates.unit = {};
  templates.scope = {};
  templates.number.reset();
  templates.metadata.clear();
  templates.format = format_of_templates(typed, input, path);
  // Each is one text, all of it: only a table's column of ids is no answer.
  if (!holds_vectors(*templates.format) && templates.format != Format::table) templates.id = Input().id;
  return templates;
}

RunOptions reading(const ParsedArgs& typed) {
  RunOptions options;
  options.threads = threads_of(typed);
  options.memory = memory_of(typed);
  return options;
}

ShinglePlan read_ignored(const ParsedArgs& typed, const Input& input, ShinglePlan shingle) {
  const RunOptions options = reading(typed);
  for (const std::string& path : typed.ignore) shingle = ignore_templates(shingle, templates_of(typed, input, path), options);
  if (!typed.ignore_common) return shingle;
  const std::optional<Input> against = against_of(typed);
  return ignore_common(shingle, input, against ? &*against : nullptr, common_limit(*typed.ignore_common), options);
}

}  // namespace

std::vector<std::uint64_t> ignored_in_passages(const ParsedArgs& typed, const Input& input, const PassageOptions& options) {
  std::vector<Input> templates;
  for (const std::string& path : typed.ignore) templates.push_back(templates_of(typed, input, path));
  PassageTemplates found = passage_templates(options, templates, reading(typed));
  if (found.too_short > 0)
    warn(typed, Warning::short_template,
         fmt::format("--ignore: {} of {} {} fewer than {} tokens and no effect; give longer ones", counted(found.too_short),
                     counted(found.items, "template"), found.too_short == 1 ? "has" : "have", PassageOptions::kLeast));
  return std::move(found.ignored);
}

bool asks_to_ignore(const ParsedArgs& typed) { return !typed.ignore.empty() || typed.ignore_common; }

ShinglePlan ignoring(const ParsedArgs& typed, const Input& input, const ShinglePlan& shingle) {
  if (!asks_to_ignore(typed)) return shingle;
  // A process reads one collection; a sweep has several shingles.
  static std::vector<std::pair<ShinglePlan, ShinglePlan>> known;
  for (const auto& [plain, ignores] : known) {
    if (plain == shingle) return ignores;
  }
  known.emplace_back(shingle, read_ignored(typed, input, shingle));
  return known.back().second;
}

Plan with_its_ignored(const ParsedArgs& typed, const Input& input, Plan plan, Given given) {
  const std::uint64_t named = plan.shingle.ignore;
  if (named == 0 && !asks_to_ignore(typed)) return plan;
  if (!asks_to_ignore(typed)) {
    if (plan.shingle.ignored) return plan;  // an index holds them
    throw UsageError("the plan ignores shingles (ignore=...) but does not contain them; give its --ignore or --ignore-common again");
  }
  ShinglePlan plain = plan.shingle;
  plain.ignore = 0;
  plain.ignored.reset();
  plan.shingle = ignoring(typed, input, plain);
  if (plan.shingle.ignore == named || (named == 0 && given == Given::line)) return plan;
  const char* const flag = typed.ignore.empty() ? "--ignore-common" : "--ignore";
  if (named == 0) throw UsageError(fmt::format("{}: the sketches were made without it; leave it out, or sketch the input again", flag));
  throw UsageError(
      fmt::format("{}: the plan ignores other shingles (ignore=...); leave that part of the plan out, or give the same", flag));
}

void refuse_idle_ignored(const ParsedArgs& typed, const Input& input, const std::optional<Input>& against) {
  if (!typed.ignored) return;
  if (!asks_to_ignore(typed)) throw UsageError("--ignored: nothing is to be ignored; give --ignore or --ignore-common");
  require_ignored_listable(input, against ? &*against : nullptr);
}

void list_ignored(const ParsedArgs& typed, const Input& input, const std::optional<Input>& against, const Plan& plan) {
  if (!typed.ignored) return;
  const std::vector<IgnoredShingle> shingles = nearkin::list_ignored(plan.shingle, input, against ? &*against : nullptr, reading(typed));
  write_text(ignored_list(plan.shingle, shingles), *typed.ignored);
}

void say_ignored(const ParsedArgs& typed, const Plan& plan) {
  if (!asks_to_ignore(typed)) return;
  const std::uint64_t count = ignored_count(plan.shingle);
  if (count == 0) return warn(typed, Warning::nothing_ignored, "no shingle is that common; nothing was ignored");
  say(typed, fmt::format("ignored {}{}", counted(count, "shingle"), typed.ignored ? "" : "; --ignored FILE lists those that occur"));
}

}  // namespace nearkin::cli

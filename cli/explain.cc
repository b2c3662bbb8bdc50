// nearkin explain: one or two small items, step by step.
#include <fmt/format.h>
#include <nearkin/nearkin.h>
#include <nearkin/tools/front_end.h>
#include <nearkin/tools/names.h>

#include "errors.h"
#include "explanation.h"
#include "flags.h"
#include "options.h"
#include "talk.h"
#include "text_file.h"

namespace nearkin::cli {
namespace {

constexpr std::size_t kSmall = 100'000;  // bytes
constexpr ExplainLimits kForTheEye{.rows = 12, .characters = 300};
constexpr ExplainLimits kForPrograms{.rows = 1000, .characters = 100'000};
constexpr ExplainLimits kEverything{.rows = SIZE_MAX, .characters = SIZE_MAX};

/// --text and OTHER are texts; without it FILE and OTHER are files.
std::vector<NamedText> texts_of(const ParsedArgs& typed) {
  std::vector<NamedText> texts;
  if (typed.text) {
    if (typed.inputs.size() > 1) {
      throw UsageError(fmt::format("explain: takes one other text beside --text, {} given", typed.inputs.size()));
    }
    texts.push_back({"", *typed.text});
    for (const std::string& other : typed.inputs) texts.push_back({"", other});
    return texts;
  }
  if (typed.inputs.empty() || typed.inputs.size() > 2) {
    throw UsageError(fmt::format("explain: takes one file or two, {} given; --text \"...\" gives a text by itself", typed.inputs.size()));
  }
  for (const std::string& path : typed.inputs) texts.push_back({path, read_text_file(typed, path, "explain")});
  return texts;
}

void refuse_other_measures(Measure measure, const char* flag) {
  if (measure == Measure::jaccard || measure == Measure::weighted_jaccard || measure == Measure::containment) return;
  throw UsageError(fmt::format("{}: explain shows how sets of shingles are compared, not {}; use jaccard, weighted-jaccard or containment",
                               flag, name(measure)));
}

/// Nothing is read to tune for: it is the plan that the goal has by itself.
Plan explained_plan(const ParsedArgs& typed) {
  if (typed.measure) refuse_other_measures(parse_measure(*typed.measure), "--measure");
  const Plan plan = plan_for(typed, {}, {});
  refuse_other_measures(plan.measure, "--plan");
  if (plan.kind != Kind::shingles) {
    throw UsageError(fmt::format("--plan: explain shows shingles, and features={} has none; use another plan", name(plan.kind)));
  }
  if (plan.nearest > 0) throw UsageError("--plan: explain shows bands, and a plan for the nearest has none; use one with a threshold");
  return plan;
}

int run_explain(const ParsedArgs& typed) {
  const Plan plan = explained_plan(typed);
  const std::vector<NamedText> texts = texts_of(typed);
  const Explanation explanation = explain(texts, plan);
  const ExplainLimits limits = typed.all ? kEverything : typed.json ? kForPrograms : kForTheEye;
  write_text(typed.json ? explanation_json(explanation, limits) : explanation_text(explanation, limits), output_of(typed));
  for (const NamedText& text : texts) {
    if (text.text.size() <= kSmall) continue;
    say(typed, fmt::format("{}: {}; explain is for small items, and shows the beginning of large ones",
                           text.name.empty() ? "--text" : text.name, counted(text.text.size(), "byte")));
  }
  return 0;
}

}  // namespace

const Command kExplainCommand{
    .bit = kExplain,
    .name = "explain",
    .arguments = "FILE|--text TEXT [OTHER]",
    .summary = "walk one or two small items through every step",
    .about =
        "Shows what becomes of a small text, step by step: shingles, their hashes, the slots of its sketch, bands and buckets; of two\n"
        "texts also whether they become candidates, and the estimate of their similarity against the truth.",
    .examples =
        "nearkin explain --text \"the cat sat on the mat\" \"the cat sat on a mat\" --shingle word:2 --hashes 12 --bands 4 --rows 3",
    .run = run_explain,
};

}  // namespace nearkin::cli

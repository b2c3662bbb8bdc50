// nearkin tune --truth: the settings that agree best with labels, how sure that is, and the command to run with them.
#include <algorithm>

#include <fmt/format.h>

#include <nearkin/nearkin.h>
#include <nearkin/tools/front_end.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/report.h>

#include "errors.h"
#include "json.h"
#include "options.h"
#include "partners.h"
#include "progress.h"
#include "report_file.h"
#include "resources.h"
#include "shell.h"
#include "talk.h"
#include "truth.h"

namespace nearkin::cli {
namespace {

constexpr std::size_t kShownScores = 10;

/// The usual settings that agree with what was typed.
std::vector<Setting> settings_to_try(const ParsedArgs& typed) {
  std::vector<Setting> settings = usual_settings();
  if (typed.features && *typed.features != "tfidf") throw UsageError(fmt::format("--features: \"{}\" is not tfidf", *typed.features));
  if (typed.features) std::erase_if(settings, [](const Setting& setting) { return setting.kind != Kind::tfidf; });
  if (typed.measure) {
    const Measure measure = parse_measure(*typed.measure);
    std::erase_if(settings, [&](const Setting& setting) { return setting.measure != measure; });
    if (settings.empty()) {
      throw UsageError(
          fmt::format("--measure: {} is not among the measures that --truth chooses from: jaccard, containment and cosine of "
                      "tf-idf; choose one of them, or leave it out",
                      *typed.measure));
    }
  }
  // Shingles and normalising that were typed take the place of the usual ones.
  const auto set = [&](auto change) {
    std::vector<Setting> changed;
    for (Setting setting : settings) {
      change(setting.shingle);
      if (std::find(changed.begin(), changed.end(), setting) == changed.end()) changed.push_back(setting);
    }
    settings = changed;
  };
  if (typed.shingle) {
    const ShinglePlan shingle = parse_shingle(*typed.shingle);
    set([&](ShinglePlan& plan) { plan.token = shingle.token, plan.size = shingle.size; });
  }
  if (typed.normalise) {
    const Normalise normalise = parse_normalise(*typed.normalise);
    set([&](ShinglePlan& plan) { plan.normalise = normalise; });
  }
  return settings;
}

void refuse_idle(const ParsedArgs& typed) {
  refuse_beside_truth({{typed.plan.has_value(), "--plan"},
                       {typed.threshold.has_value(), "--threshold"},
                       {typed.radius.has_value(), "--radius"},
                       {typed.limit.has_value(), "--limit"},
                       {typed.error.has_value(), "--error"},
                       {typed.failure.has_value(), "--failure"},
                       {typed.above.has_value(), "--above"},
                       {typed.items.has_value(), "--items"},
                       {typed.command.has_value(), "--for"},
                       {typed.binarise.has_value(), "--binarise"},
                       {typed.bag, "--bag"},
                       {!typed.ignore.empty(), "--ignore"},
                       {typed.ignore_common.has_value(), "--ignore-common"},
                       {typed.within.has_value(), "--within"},
                       {typed.across.has_value(), "--across"},
                       {typed.plot.has_value(), "--plot"}});
  if (typed.inputs.empty() && !typed.files_from) throw UsageError("tune: names no INPUT; give the file that the labels are about, or -");
}

/// What would have been typed for a setting.
ParsedArgs typed_for(const ParsedArgs& typed, const SettingScore& score, bool exact) {
  ParsedArgs chosen = typed;
  chosen.measure = name(score.setting.measure);
  if (score.setting.kind == Kind::tfidf) chosen.features = "tfidf";
  chosen.shingle = shingle_name(score.setting.shingle);
  chosen.normalise = name(score.setting.shingle.normalise);
  chosen.threshold = fmt::format("{}", score.threshold);
  const bool shaped = typed.recall || typed.bands || typed.rows || typed.hashes;
  if (exact && !shaped) chosen.recall = "1";
  return chosen;
}

/// The line of a shell that lists the pairs.
std::string command_of(const ParsedArgs& chosen) {
  std::string line = command_line("pairs", chosen);
  const std::pair<const char*, const ParsedArgs::Text*> flags[] = {{"--measure", &chosen.measure},     {"--features", &chosen.features},
                                                                   {"--shingle", &chosen.shingle},     {"--normalise", &chosen.normalise},
                                                                   {"--threshold", &chosen.threshold}, {"--recall", &chosen.recall}};
  for (const auto& [flag, value] : flags) {
    if (*value) line += fmt::format(" {} {}", flag, shell_word(**value));
  }
  if (chosen.best) line += " --best";
  if (chosen.top) line += fmt::format(" --top {}", *chosen.top);
  if (chosen.one_to_one) line += " --one-to-one";
  return line;
}

std::vector<std::vector<std::string>> cells_of(const TruthTuned& tuned, std::size_t most) {
  std::vector<std::vector<std::string>> rows{{"setting", "threshold", "f1", "spread", "all_f1", "precision", "recall"}};
  for (std::size_t i = 0; i < std::min(tuned.scores.size(), most); ++i) {
    const SettingScore& score = tuned.scores[i];
    std::vector<std::string>& row = rows.emplace_back();
    row = {to_string(score.setting), fmt::format("{:.2f}", score.threshold)};
    for (const double figure : {score.f1, score.spread, score.all.f1(), score.all.precision, score.all.recall})
      row.push_back(fmt::format("{:.4f}", figure));
  }
  return rows;
}

std::string as_table(const std::vector<std::vector<std::string>>& cells) {
  std::string out;
  for (std::size_t r = 0; r < cells.size(); ++r) {
    for (std::size_t c = 0; c < cells[r].size(); ++c)
      out += c == 0 ? fmt::format("{:<26}", cells[r][c]) : fmt::format("  {:>9}", cells[r][c]);
    out += r == 1 ? "  <- proposed\n" : "\n";
  }
  return out;
}

std::string sure_text(const TruthTuned& tuned) {
  if (tuned.scores.size() < 2) return "was the only setting to try";
  const std::string lead = fmt::format("leads {} by {:.4f} (95 % interval {:.4f} to {:.4f})", to_string(tuned.scores[1].setting),
                                       tuned.lead, tuned.lead_low, tuned.lead_high);
  if (tuned.lead_low > 0) return lead + ": it is better";
  std::size_t alike = 0;
  for (const SettingScore& score : tuned.scores) alike += score.f1 >= tuned.scores[0].f1 - 0.01;
  return lead + fmt::format(", too little to tell them apart; {} within 0.01 of the first",
                            counted(alike - 1, "setting") + (alike == 2 ? " is" : " are"));
}

std::string as_json(const TruthTuned& tuned, const Plan& plan, const std::string& command) {
  JsonObject object;
  object.add("plan", to_string(plan)).add("command", command);
  object.add("lead", tuned.lead).add("lead_low", tuned.lead_low).add("lead_high", tuned.lead_high);
  object.add("folds", tuned.folds).add("groups", tuned.groups).add("items", tuned.items).add("compared", tuned.compared);
  object.raw("settings", json_array(tuned.scores, [](const SettingScore& score) {
               const Setting& setting = score.setting;
               return JsonObject()
                   .add("measure", name(setting.measure))
                   .add("features", name(setting.kind))
                   .add("shingle", shingle_name(setting.shingle))
                   .add("normalise", name(setting.shingle.normalise))
                   .add("threshold", score.threshold)
                   .add("f1", score.f1)
                   .add("spread", score.spread)
                   .add("all_f1", score.all.f1())
                   .add("precision", score.all.precision)
                   .add("recall", score.all.recall)
                   .text();
             }));
  return object.text() + "\n";
}

Report report_on(const ParsedArgs& typed, const TruthTuned& tuned, const Plan& plan, const std::string& command) {
  Report report{.command = "tune", .inputs = typed.inputs, .plan = plan};
  if (typed.against) report.against = {*typed.against};
  report.table = cells_of(tuned, tuned.scores.size());
  report.truth = *typed.truth;
  report.figures = {{"true pairs", counted(tuned.notes.labels)},
                    {"proposed", to_string(tuned.scores.front().setting)},
                    {"compared with the next", sure_text(tuned)},
                    {"columns",
                     "f1 is the mean over the folds, and spread says how much it varies; all_f1, precision and recall use all "
                     "labels. A setting is a measure, a shingle, and a value of --normalise."},
                    {"command", command}};
  return report;
}

}  // namespace

int run_tune_truth(const ParsedArgs& typed) {
  refuse_idle(typed);
  const std::optional<std::string> page = report_of(typed);
  const Input input = input_of(typed);
  const std::optional<Input> against = against_of(typed);
  const TruthTable truth = truth_of(typed);
  TruthTuneOptions options{.settings = settings_to_try(typed), .partners = partners_of(typed)};
  if (typed.seed) options.seed = whole(*typed.seed, "--seed", 0);
  Progress progress(typed);
  RunOptions run{.threads = threads_of(typed), .progress = progress.callback(), .memory = memory_of(typed)};
  say_reading_terminal(typed, input);
  const TruthTuned tuned = tune_by_truth(input, truth, options, run, against ? &*against : nullptr);
  progress.clear();
  const ParsedArgs chosen = typed_for(typed, tuned.scores.front(), tuned.compared == tuned.items);
  const Plan plan = plan_of(chosen, input, BandPlan::kLargeBucketOfPairs);
  const std::string command = command_of(chosen);
  const std::string text = fmt::format("{}\n\n{}\n{}\n", to_string(plan), as_table(cells_of(tuned, kShownScores)), command);
  if (page) write_report(typed, report_on(typed, tuned, plan, command), *page);
  write_text(typed.json ? as_json(tuned, plan, command) : text, output_of(typed));
  say_faults(typed, tuned.stats.faults);
  say_truth_notes(typed, tuned.notes);
  if (tuned.compared < tuned.items) {
    say(typed, fmt::format("{} of {} were compared, labelled ones first; each represents others like it", counted(tuned.compared),
                           counted(tuned.items, "item")));
  }
  say(typed,
      fmt::format(
          "read {}; {} in {}, {} folds of them; {} tried, {} shown; f1 and spread are over the folds, the other columns over all labels",
          counted(tuned.items, "item"), counted(tuned.notes.labels, "true pair"), counted(tuned.groups, "group"), tuned.folds,
          counted(tuned.scores.size(), "setting"), std::min(tuned.scores.size(), kShownScores)));
  say(typed, fmt::format("{} {}", to_string(tuned.scores.front().setting), sure_text(tuned)));
  return exit_status(typed, tuned.stats.faults);
}

}  // namespace nearkin::cli

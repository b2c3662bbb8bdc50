// nearkin decontaminate: which training records contain benchmark items.
#include <algorithm>

#include <fmt/format.h>
#include <nearkin/nearkin.h>
#include <nearkin/tools/front_end.h>
#include <nearkin/tools/lists.h>
#include <nearkin/tools/names.h>

#include "errors.h"
#include "flags.h"
#include "options.h"
#include "progress.h"
#include "report_file.h"
#include "resources.h"
#include "stats.h"
#include "talk.h"

namespace nearkin::cli {
namespace {

DecontaminateOptions decontaminate_options(const ParsedArgs& typed) {
  DecontaminateOptions options;
  if (typed.shingle) {
    const ShinglePlan shingle = parse_shingle(*typed.shingle);
    options.token = shingle.token;
    options.size = shingle.size;
  }
  if (typed.share) options.share = parse_ratio(*typed.share, "share");
  if (typed.least_item) options.least_item = static_cast<std::uint32_t>(whole(*typed.least_item, "--least-item", 1, UINT32_MAX));
  if (typed.normalise) options.normalise = parse_normalise(*typed.normalise);
  if (typed.need) options.need = field_names(*typed.need, "--need", "question");
  return options;
}

Decontaminate act_of(const ParsedArgs& typed) {
  if (!typed.act) return Decontaminate::list;
  if (*typed.act == "mark") return Decontaminate::mark;
  if (*typed.act == "cut") return Decontaminate::cut;
  if (*typed.act == "remove") return Decontaminate::remove;
  throw UsageError(fmt::format("--do: \"{}\" is not mark, cut or remove", *typed.act));
}

void refuse_idle_flags(const ParsedArgs& typed) {
  if (typed.suites.empty()) throw UsageError("--against: names no suite; name a file of benchmark items, as in --against gsm8k.jsonl");
  for (const auto& [flag, given] : {std::pair("--hits", &typed.hits), std::pair("--skipped", &typed.skipped)}) {
    if (*given && !typed.act) throw UsageError(fmt::format("{}: needs --do; without it, the hits are the result", flag));
  }
  if (typed.json && typed.act && !typed.hits)
    throw UsageError("--json: is for lists, and records keep their format; add --hits FILE to list the hits, or leave --json out");
  for (const auto& [flag, given] : {std::pair("--seed", &typed.seed), std::pair("--changed", &typed.changed)}) {
    if (*given && !typed.inject) throw UsageError(fmt::format("{}: needs --inject; leave it out", flag));
  }
  for (const auto& [flag, given] :
       {std::pair("--do", &typed.act), std::pair("--report", &typed.report), std::pair("--stats", &typed.stats)}) {
    if (*given && typed.inject) throw UsageError(fmt::format("{}: --inject only measures; leave one of them out", flag));
  }
}

/// Columns under their headings, numbers at the right; a line for each row.
std::vector<std::string> aligned(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::vector<std::string> lines;
  for (const auto& row : rows) {
    std::string& line = lines.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += i == 0 ? fmt::format("  {:<{}}", row[i], widths[i]) : fmt::format("  {:>{}}", row[i], widths[i]);
    }
  }
  return lines;
}

void say_suites(const ParsedArgs& typed, const std::vector<SuiteStats>& suites) {
  std::vector<std::vector<std::string>> rows{
      {"suite", "items", "too short", "found", "1", "0.8 to 1", "0.5 to 0.8", "below 0.5", "records"}};
  for (const SuiteStats& suite : suites) {
    rows.push_back({suite.name, counted(suite.items), counted(suite.too_short), counted(suite.found()), counted(suite.whole),
                    counted(suite.most), counted(suite.half), counted(suite.less), counted(suite.records)});
  }
  say(typed, "items found, by the share of their n-grams (of short items: words) in the best place:");
  for (const std::string& line : aligned(rows)) say(typed, line);
  for (const SuiteStats& suite : suites) {
    if (suite.shared > 0)
      say(typed, fmt::format("{}: {} in another suite too; each counts for both", suite.name, counted(suite.shared, "item")));
    if (suite.common > 0) {
      say(typed,
          fmt::format("{}: {} do not count, because many of its items have them (more than 20 and one in a thousand, or more than half)",
                      suite.name, counted(suite.common, "n-gram")));
    }
    if (suite.lacking > 0) {
      say(typed, fmt::format("{}: {} without a text in a field that is not needed; the other fields are searched for", suite.name,
                             counted(suite.lacking, "item")));
    }
  }
}

std::string suites_json(const std::vector<SuiteStats>& suites) {
  return json_array(suites, [](const SuiteStats& suite) {
    return JsonObject()
        .add("suite", suite.name)
        .add("items", suite.items)
        .add("too_short", suite.too_short)
        .add("shared", suite.shared)
        .add("common", suite.common)
        .add("lacking", suite.lacking)
        .add("found", suite.found())
        .add("whole", suite.whole)
        .add("most", suite.most)
        .add("half", suite.half)
        .add("less", suite.less)
        .add("records", suite.records)
        .text();
  });
}

double share_found(const InjectedForm& form) {
  return form.planted == 0 ? 0 : static_cast<double>(form.found) / static_cast<double>(form.planted);
}

// As the shares of hits are written.
std::string share_text(std::uint64_t part, std::uint64_t all) {
  return all == 0 ? "0"
                  : similarity_text({.a = 0, .b = 0, .shared = static_cast<std::uint32_t>(part), .total = static_cast<std::uint32_t>(all)});
}

void print_injected(const ParsedArgs& typed, const InjectResult& result) {
  std::string out;
  for (const InjectedForm& form : result.forms) {
    if (typed.json) {
      out +=
          JsonObject().add("form", form.name).add("planted", form.planted).add("found", form.found).add("share", share_found(form)).text() +
          "\n";
    } else {
      out += fmt::format("{}\t{}\t{}\t{}\n", form.name, form.planted, form.found, share_text(form.found, form.planted));
    }
  }
  const double share = static_cast<double>(result.flagged) / static_cast<double>(result.clean);
  if (typed.json) {
    out += JsonObject().add("form", "clean").add("records", result.clean).add("flagged", result.flagged).add("share", share).text() + "\n";
  } else {
    out += fmt::format("clean\t{}\t{}\t{}\n", result.clean, result.flagged, share_text(result.flagged, result.clean));
  }
  write_text(out, output_of(typed));
}

int run_inject(const ParsedArgs& typed, const Input& input, const std::vector<Suite>& suites, const DecontaminateOptions& options,
               const RunOptions& run, Progress& progress) {
  InjectOptions planted{.items = whole(*typed.inject, "--inject", 1, UINT32_MAX)};
  if (typed.changed) planted.changed = open_share(*typed.changed, "--changed");
  if (typed.seed) planted.seed = whole(*typed.seed, "--seed", 0);
  const InjectResult result = inject(input, suites, options, planted, run);
  progress.clear();
  print_injected(typed, result);
  say_faults(typed, result.faults);
  say(typed,
      "forms: the item as it is, inside a copy of a record, with words changed (--changed), in lines of four words, in capital letters "
      "with other punctuation");
  say(typed, "columns: form, items planted, found, share found; clean: records of the sample as they came, those flagged, their share");
  if (result.flagged > 0) {
    say(typed, "a flagged clean record contains an item, or part of one by chance; the first of them:");
    for (const InjectResult::Flagged& one : result.first) {
      say(typed, fmt::format("  {} has {} of {} {} of {} in {}, {} in a row", one.id, one.hit.covered, one.hit.grams,
                             one.hit.edited ? "words" : "n-grams", one.item, one.suite, counted(one.hit.run, "token")));
    }
  }
  return exit_status(typed, result.faults);
}

std::string outcome_text(const DecontaminateStats& found) {
  std::string out = fmt::format("found {} in {}", counted(found.hits, "hit"), counted(found.records, "record"));
  if (found.removed > 0) out += fmt::format(", removed {}", counted(found.removed, "record"));
  if (found.cut > 0) out += fmt::format(", cut {}", counted(found.cut, "record"));
  if (found.marked > 0) out += fmt::format(", marked {}", counted(found.marked, "record"));
  return out;
}

/// What --stats has of the result itself.
JsonObject told_of(const DecontaminateStats& found) {
  return JsonObject()
      .add("hits", found.hits)
      .add("records", found.records)
      .add("marked", found.marked)
      .add("cut", found.cut)
      .add("removed", found.removed)
      .raw("suites", suites_json(found.suites));
}

int run_decontaminate(const ParsedArgs& typed) {
  refuse_idle_flags(typed);
  const Input input = input_of(typed);
  const std::vector<Suite> suites = suites_of(typed);
  const DecontaminateOptions options = decontaminate_options(typed);
  RunOptions run = resources_of(typed);
  Progress progress(typed);
  run.progress = progress.callback();
  say_reading_terminal(typed, input);
  if (typed.inject) return run_inject(typed, input, suites, options, run, progress);
  Report report;
  add_report(typed, run, report, report_of(typed));
  DecontaminateOutput output{.path = output_of(typed),
                             .style = style_of(typed),
                             .act = act_of(typed),
                             .hits = typed.hits,
                             .skipped = typed.skipped,
                             .keep_faults = fault_rule(typed) == FaultRule::keep};
  output.on_result = [&](const DecontaminateStats& found) { write_stats(typed, nullptr, found.stats, told_of(found)); };
  const DecontaminateStats found = write_decontaminated(input, suites, output, options, run);
  progress.clear();
  say_faults(typed, found.stats.faults);
  say_suites(typed, found.suites);
  say(typed, fmt::format("{}, {}; {}", read_text(found.stats), outcome_text(found), cost_text(found.stats)));
  return exit_status(typed, found.stats.faults);
}

}  // namespace

const Command kDecontaminateCommand{
    .bit = kDecontaminate,
    .name = "decontaminate",
    .arguments = "[INPUT ...] --against SUITE",
    .summary = "find, mark, cut or remove training records that contain benchmark items",
    .about =
        "Lists the places where a record contains a benchmark item, in whole or in part. A suite is the items of one benchmark.\n"
        "Columns, separated by tabs:\n"
        "  id, suite, item        the record, the suite and the item\n"
        "  share                  the share of the item's n-grams that this place has (n-grams of many items do not count); for an\n"
        "                         item of fewer than 20 words that was found with a word or two changed: the share of its words\n"
        "                         that are the same\n"
        "  run                    the number of tokens in the longest stretch that is equal word for word\n"
        "  begin, end             the place in the text of the record, in bytes\n"
        "  item_begin, item_end   the matching place in the text of the item, in bytes\n"
        "INPUT: files, folders, quoted globs, or - for standard input; gzip and zstd are recognised by their content.",
    .examples =
        "nearkin decontaminate train.jsonl --against gsm8k.jsonl               # list what was found\n"
        "nearkin decontaminate train.jsonl --against mmlu.csv --do remove -o clean.jsonl --hits hits.tsv",
    .run = run_decontaminate,
};

}  // namespace nearkin::cli

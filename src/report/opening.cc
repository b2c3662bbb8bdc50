#include <sstream>

#include <nearkin/nearkin.h>
#include <nearkin/tools/compare.h>
#include <nearkin/tools/report.h>
#include <nearkin/tools/theory.h>
#include <nearkin/tools/what_if.h>

#include "report/html.h"
#include "report/sections.h"
#include "report/text.h"
#include "report/words.h"
#include "theory/plan_rules.h"

namespace nearkin::page {
namespace {

std::string title_of_two(const Report& report) {
  const std::string one = paths_text(report.inputs), other = paths_text(report.against);
  return report.command == "dedup" ? "Near-duplicates of " + other + " in " + one : "Similar pairs between " + one + " and " + other;
}

std::string title_of(const Report& report) {
  const std::string input = paths_text(report.inputs);
  const std::string in = input.empty() ? "" : " in " + input, for_input = input.empty() ? "" : " for " + input;
  if (!report.against.empty() && (report.command == "pairs" || report.command == "dedup")) return title_of_two(report);
  if (report.command == "pairs") return "Similar pairs" + in;
  if (report.command == "cluster") return "Groups of similar items" + in;
  if (report.command == "dedup") return "Near-duplicates" + in;
  if (report.command == "decontaminate") return "Benchmark items" + in;
  if (report.command == "passages") return "Passages" + (report.against.empty() ? "" : " of " + paths_text(report.against)) + in;
  if (!report.truth.empty()) return (report.command == "tune" ? "Settings" : "Pairs") + std::string(" compared with labels") + for_input;
  if (report.command == "tune") return "A plan" + for_input;
  if (report.command == "evaluate") return "Plans compared with an exact search" + for_input;
  if (report.command == "compare" && !report.pairs.empty()) {
    return id_text(report.pairs.front().a) + " and " + id_text(report.pairs.front().b);
  }
  return "Report" + in;
}

std::string compared_words(const Report& report) {
  const ShownPair& pair = report.pairs.front();
  const std::string value = value_text(pair.comparison, report.plan->measure);
  if (report.plan->measure == Measure::exact) return "The two texts are " + value + ", once they are normalised.";
  const bool directed = report.plan->measure == Measure::containment;
  std::string out = directed ? "A share of " + value + " of the first item occurs in the second"
                             : "The two have a " + measure_text(report.plan->measure) + " of " + value;
  if (pair.comparison.total > 0 && report.plan->kind == Kind::shingles) {
    out += ": they share " + whole_text(pair.comparison.shared) + " of " + counted(pair.comparison.total, part_name(*report.plan));
  }
  return out + ".";
}

std::string recall_words(const Report& report) {
  if (!report.plan || !report.stats) return "";
  if (report.plan->exact_join()) return "; the search was exact, so these are all such pairs";
  const std::optional<std::uint64_t> known = known_pairs(report);
  const std::string because = ": all pairs were compared to draw this page";
  if (known == report.stats->pairs) return ". There are no others" + because;
  if (const std::optional<MeasuredRecall> removed = removal_recall(report))
    return (removed->by_audit ? ". By the audit, the item recall is " : ". By estimate, the item recall is ") +
           recall_text(removed->recall) +
           ": the run removed this share of the items that an exact search would remove, not counting copies";
  if (known) return ". The number of all such pairs is exact" + because;
  const std::optional<MeasuredRecall> measured = measured_recall(report);
  if (!measured) return "";
  const bool copies = report.stats->copies > 0 || !report.against.empty();
  return (measured->by_audit ? "; by the audit, " : "; by estimate, ") + recall_text(measured->recall) + " of all such pairs were found" +
         (copies ? ", not counting pairs of equal items, which are always found" : "");
}

std::string counted_words(const Report& report) {
  const bool distance = is_distance(measure_of(report));
  std::string out =
      std::string(". Because of ") + (distance ? "--radii" : "--thresholds") + ", the run only counted; it wrote and removed nothing";
  if (const std::optional<WhatIf> own = own_what_if(report)) {
    out += std::string(". With ") + (distance ? "--radius " : "--threshold ") + table_number(own->border) +
           " instead, dedup would remove " + counted(own->removed, item_name(report)) + ", from " + counted(own->clusters, "cluster");
  }
  return out;
}

/// Clusters, and what was kept and removed.
std::string outcome_words(const Report& report) {
  if (report.counted_only) return "";
  std::string out;
  if (report.clusters_in_all > 0)
    out += ", which " + std::string(report.stats->pairs == 1 ? "forms " : "form ") + counted(report.clusters_in_all, "cluster");
  if (report.annotated && report.removed && report.kept) {
    return out + "; without --annotate, " + counted(*report.removed, item_name(report)) + " would be removed and " +
           whole_text(*report.kept) + " kept";
  }
  if (report.removed) out += ", removed " + counted(*report.removed, item_name(report));
  if (report.kept) out += (report.removed ? " and kept " : ", kept ") + whole_text(*report.kept);
  if (report.records_cut) out += "; this shortened " + counted(*report.records_cut, "record");
  if (report.records_removed > 0) out += " and removed " + counted(report.records_removed, "whole record");
  if (report.records_left_alone > 0) out += "; " + counted(report.records_left_alone, "record") + " left unchanged by --most-cut";
  return out;
}

std::string tuned_words(const Report& report) {
  const Plan& plan = *report.plan;
  const std::string bands = plan.band.rows == 0 ? "" : " in " + counted(plan.band.bands, "band") + " of " + counted(plan.band.rows, "row");
  std::string out = (plan.exact_join() ? std::string(plan.nearest > 0 ? "an exact search finds " : "an exact join finds all ")
                                       : "sketches of " + counted(plan.sketch.hashes, "hash", "hashes") + bands + " find ");
  out = plan.nearest > 0 ? "For each query, " + out + nearest_text(plan) : capital(out) + wanted_text(plan);
  if (promises(report)) {
    const std::string recall = percent_text(plan.recall);
    out += keeps_promise(plan) ? "; the promised recall is " + recall
                               : "; at the " + border_name(plan.measure) + " they find " +
                                     percent_text(found_probability(plan, border_of(plan))) + ", and " + recall + " was asked for";
  }
  if (report.expected && plan.exact_join()) out += "; " + roughly(report.expected->similar, "such pair") + " can be expected";
  if (report.expected && !plan.exact_join()) {
    out += ". The plan is expected to miss " + missed_words(report.expected->missed, 0) + " of " +
           roughly(report.expected->similar, "such pair");
  }
  return out + ".";
}

std::string skipped_words(const RunStats& stats) {
  std::string out;
  const Faults& faults = stats.faults;
  if (faults.kept > 0) out += ", kept " + counted(faults.kept, "unusable record") + (faults.kept == 1 ? " as it is" : " as they are");
  if (faults.count > faults.kept) out += ", skipped " + counted(faults.count - faults.kept, "record");
  if (stats.faults.binary > 0) out += ", left out " + counted(stats.faults.binary, "binary file");
  if (stats.faults.no_texts > 0)
    out += ", left out " + counted(stats.faults.no_texts, "web-archive record") +
           (stats.faults.no_texts == 1 ? " that is not an item" : " that are not items");
  return out;
}

/// How many pairs, and of how many where that is known.
std::string found_of_all(const Report& report) {
  const std::uint64_t pairs = report.stats->pairs;
  const std::optional<std::uint64_t> known = known_pairs(report);
  if (!known) return found_text(pairs, *report.plan);
  if (*known == 1) return found_text(pairs, *report.plan) + (pairs == 1 ? " (the only one)" : " (there is one)");
  return (known == pairs ? std::string("all ") : whole_text(pairs) + " of the ") + found_text(*known, *report.plan);
}

std::string result_words(const Report& report) {
  if (report.command == "compare" && !report.pairs.empty() && report.plan) return compared_words(report);
  if (report.stats && report.plan && report.command != "evaluate") {
    return "Read " + counted(report.stats->items, item_name(report)) +
           (report.unit.divides() && report.stats->records > 0 ? " of " + counted(report.stats->records, "record") : "") +
           skipped_words(*report.stats) + ", found " + found_of_all(report) + outcome_words(report) + recall_words(report) +
           (report.counted_only ? counted_words(report) : "") + ".";
  }
  if (report.command == "decontaminate") {
    return counted(report.pairs_in_all, "place") + " where a record contains a benchmark item, in whole or in part.";
  }
  if (report.command == "passages") {
    const std::string found = "Found " + counted(report.pairs_in_all, "passage");
    const bool one = report.pairs_in_all == 1;
    return report.against.empty() ? found + (one ? " that repeats an earlier one." : " that repeat earlier ones.")
                                  : found + " of " + paths_text(report.inputs) + (one ? " that also occurs in " : " that also occur in ") +
                                        paths_text(report.against) + ".";
  }
  if (!report.truth.empty()) {
    return (report.command == "tune" ? "Settings were judged by the labels of "
                                     : "At each threshold, pairs were compared with the labels of ") +
           paths_text({report.truth}) + ".";
  }
  if (report.command == "evaluate" && report.table.size() > 1) {
    return counted(report.table.size() - 1, "plan") + (report.table.size() == 2 ? " was" : " were") + " compared with an exact search.";
  }
  return report.plan ? tuned_words(report) : "";
}

std::string found_figure(const Report& report) {
  if (!report.plan || verifies(*report.plan)) return "pairs found";
  return report.plan->verify == Verify::none ? "candidates, not verified" : "pairs found, by estimate";
}

void add_recall_figure(const Report& report, Terms& figures) {
  const auto add = [&figures](const std::string& name, const MeasuredRecall& measured) {
    figures.emplace_back(name + (measured.by_audit ? " (by the audit)" : " (estimated)"), rounded_percent(measured.recall.estimate));
  };
  const std::optional<std::uint64_t> known = known_pairs(report);
  const std::optional<MeasuredRecall> removed = known == report.stats->pairs ? std::nullopt : removal_recall(report);
  if (removed) add("item recall", *removed);
  if (known) {
    figures.emplace_back(removed ? "pair recall" : "recall", rounded_percent(*known_recall(report)));
  } else if (const std::optional<MeasuredRecall> measured = measured_recall(report)) {
    add(removed ? "pair recall" : "recall", *measured);
  } else if (report.plan && report.plan->exact_join()) {
    figures.emplace_back("recall (exact search)", percent_text(1));
  }
}

void add_outcome_figures(const Report& report, Terms& figures) {
  const std::string items = item_name(report) + "s";
  if (report.counted_only) {
    const std::optional<WhatIf> own = own_what_if(report);
    if (own) figures.emplace_back("clusters that dedup would make", whole_text(own->clusters));
    if (own) figures.emplace_back(items + " that dedup would remove", whole_text(own->removed));
    return;
  }
  if (report.clusters_in_all > 0) figures.emplace_back("clusters", whole_text(report.clusters_in_all));
  if (report.removed) figures.emplace_back(items + (report.annotated ? " that would be removed" : " removed"), whole_text(*report.removed));
  if (report.kept) figures.emplace_back(items + (report.annotated ? " that would be kept" : " kept"), whole_text(*report.kept));
  if (report.records_cut) figures.emplace_back("records shortened", whole_text(*report.records_cut));
  if (report.records_removed > 0) figures.emplace_back("records removed", whole_text(report.records_removed));
}

void add_run_figures(const Report& report, Terms& figures) {
  figures.emplace_back(item_name(report) + "s read", whole_text(report.stats->items));
  const Faults& faults = report.stats->faults;
  if (faults.kept > 0) figures.emplace_back("unusable records kept", whole_text(faults.kept));
  if (faults.count > faults.kept) figures.emplace_back("records skipped", whole_text(faults.count - faults.kept));
  if (report.stats->faults.binary > 0) figures.emplace_back("binary files left out", whole_text(report.stats->faults.binary));
  figures.emplace_back(found_figure(report), whole_text(report.stats->pairs));
  if (report.stats->listed) figures.emplace_back("pairs listed", whole_text(*report.stats->listed));
  if (report.decisions) figures.emplace_back("decisions followed", whole_text(report.decisions->accepted + report.decisions->rejected));
  add_outcome_figures(report, figures);
  add_recall_figure(report, figures);
}

void add_plan_figures(const Report& report, Terms& figures) {
  const Plan& plan = *report.plan;
  if (report.sample) figures.emplace_back("items", whole_text(report.sample->items));
  if (plan.sketch.hashes > 0) figures.emplace_back("hashes per item", whole_text(plan.sketch.hashes));
  if (plan.band.rows > 0) {
    figures.emplace_back("bands \u00D7 rows", whole_text(plan.band.bands) + "\u00A0\u00D7\u00A0" + whole_text(plan.band.rows));
    if (plan.nearest == 0) {
      figures.emplace_back("chance of finding a pair at the " + border_name(plan.measure),
                           percent_text(found_probability(plan, border_of(plan))));
    }
  }
  if (report.expected)
    figures.emplace_back(report.expected->copies > 0 ? "candidates expected, without copies" : "candidates expected",
                         about_text(report.expected->candidates));
}

void add_pair_figures(const Report& report, Terms& figures) {
  const Comparison& pair = report.pairs.front().comparison;
  figures.emplace_back(report.plan->measure == Measure::exact ? "texts" : measure_text(report.plan->measure),
                       value_text(pair, report.plan->measure));
  if (pair.total > 0 && report.plan->kind == Kind::shingles && report.plan->measure != Measure::exact) {
    figures.emplace_back("shared " + part_name(*report.plan) + "s", whole_text(pair.shared));
  }
  if (report.plan->sketch.hashes > 0) figures.emplace_back("chance that a search compares them", percent_text(pair.found));
}

std::string figures_of(const Report& report) {
  Terms figures;
  if (report.command == "compare" && !report.pairs.empty() && report.plan) {
    add_pair_figures(report, figures);
  } else if (report.stats && report.command != "evaluate") {
    add_run_figures(report, figures);
  } else if (report.plan) {
    add_plan_figures(report, figures);
  }
  return figures.empty() ? "" : terms_of(figures, is_listed(report) ? "inline numbers" : "figures");
}

std::string verdict_of_run(const Report& report) {
  if (report.command == "compare" || report.command == "evaluate") return "";
  const std::string words = verdict_words(report);
  if (words.empty()) return "";
  const Verdict verdict = verdict_of(report);
  const bool warns =
      verdict == Verdict::missed || verdict == Verdict::not_known || (verdict == Verdict::open && !keeps_promise(*report.plan));
  return paragraph((warns ? element_of("strong", "Note:") + " " : "") + words, warns ? " class=\"note\"" : " class=\"verdict\"");
}

/// The words of a command line, each in one piece: a line may break between them, not behind the hyphens of a flag.
std::string command_words(const std::string& line) {
  std::string out, word;
  std::istringstream words(line);
  while (words >> word) out += (out.empty() ? "" : " ") + element_of("span", escape(word));
  return element_of("code", out);
}

/// How and when the page was made, on one line.
std::string origin_of(const Report& report) {
  const std::string command = report.command.empty() ? "nearkin" : "nearkin " + report.command;
  std::string line = command_words(report.command_line.empty() ? command : report.command_line);
  if (!report.made.empty()) line += " \u00B7 " + element_of("span", escape(report.made));
  return paragraph(line + " \u00B7 nearkin " + escape(version()), " class=\"command\"");
}

}  // namespace

Opening opening(const Report& report) {
  const std::string title = title_of(report);
  std::string words = result_words(report);
  if (report.skipped > 0) words += " Skipped " + counted(report.skipped, "record") + " that cannot be used.";
  if (report.kept_unusable > 0) words += " Kept " + counted(report.kept_unusable, "record") + " that cannot be used.";
  std::string html = element_of("h1", escape(title)) + '\n' + origin_of(report);
  const std::string lead = words.empty() ? "" : paragraph(escape(words), " class=\"lead\"");
  // A list begins as high on the page as can be: figures on one line say what the sentence says.
  const bool brief = is_listed(report) && report.stats;
  if (!brief) html += lead;
  const std::string verdict = verdict_of_run(report);
  const bool warns = verdict.starts_with("<p class=\"note\"");
  html += figures_of(report);
  if (!brief || warns) html += verdict;
  return {title, html, brief ? lead + (warns ? "" : verdict) : ""};
}

}  // namespace nearkin::page

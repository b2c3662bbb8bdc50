#include <algorithm>

#include <nearkin/tools/names.h>
#include <nearkin/tools/report.h>

#include "report/html.h"
#include "report/sections.h"
#include "report/text.h"
#include "report/words.h"

namespace nearkin::page {
namespace {

constexpr std::size_t kMostInputs = 6;

std::string inputs_words(const std::vector<std::string>& inputs) {
  std::string out;
  for (std::size_t i = 0; i < std::min(inputs.size(), kMostInputs); ++i) out += (i == 0 ? "" : ", ") + named(inputs[i]);
  if (inputs.size() > kMostInputs) out += " and " + whole_text(inputs.size() - kMostInputs) + " more";
  return out;
}

std::string faults_words(const Faults& faults) {
  std::string out = counted(faults.count, "record") + " could not be used.";
  std::string list;
  for (const Fault& fault : faults.first) list += element_of("li", named(id_text(fault.where)) + ": " + escape(fault.message)) + '\n';
  if (list.empty()) return out;
  const bool all = faults.count <= faults.first.size();
  return out + fold(all ? "Which, and why" : "The first " + whole_text(faults.first.size()) + ", and why", element_of("ul", '\n' + list));
}

std::string candidates_words(const RunStats& stats) {
  if (stats.candidates == 0) return "The search had no pair to compare.";
  std::string out = counted(stats.candidates, "pair") + ' ' + was_or_were(stats.candidates) + " looked at";
  if (stats.found > 0 && stats.candidates > stats.found) {
    out += ", and " + counted(stats.found, "similar pair") + ' ' + was_or_were(stats.found) + " found among them";
  }
  return out + (stats.pairs > stats.found ? "; a copy is as similar to others as its original, so pairs with a copy need not be looked at."
                                          : ".");
}

std::string buckets_words(const BucketNotes& buckets) {
  std::string out = counted(buckets.large, "bucket") + ' ' + was_or_were(buckets.large) + " large; the largest had " +
                    counted(buckets.largest, "item") + ". ";
  return out + (buckets.not_compared == 0 ? "No pair was left out because of that."
                                          : "For this reason, " + counted(buckets.not_compared, "pair") + " (counted in each band) " +
                                                was_or_were(buckets.not_compared) + " not compared there.");
}

std::string decisions_words(const Report& report) {
  const DecisionNotes& decisions = *report.decisions;
  return counted(decisions.accepted, "pair") + " accepted and " + whole_text(decisions.rejected) +
         " rejected by a person. The list and the removals follow these decisions; the figures of the search, such as the pairs found "
         "and the recall, do not. Accepted pairs are marked in the list. Rejected pairs are not listed. " +
         (report.decided.empty()
              ? "The page does not hold so many decisions. So if you save marks on this page, add them to the end of your file of "
                "decisions; "
                "do not replace the file."
              : "The marks that this page saves begin with these decisions, so the saved file can replace your file of decisions. To take "
                "back a rejection, delete its line in the file.");
}

std::string closest_words(const Report& report) {
  return "The closest candidate had a " + value_name(report.plan->measure) + " of " +
         value_text(report.stats->closest_below, report.plan->measure) + ".";
}

std::string found_words(const Report& report) {
  const RunStats& stats = *report.stats;
  const std::string out = report.plan ? escape(found_text(stats.pairs, *report.plan)) : counted(stats.pairs, "pair");
  if (stats.pairs <= stats.found) return out + ".";
  const bool verified = !report.plan || verifies(*report.plan) || report.plan->verify == Verify::estimate;
  return out + ": " + whole_text(stats.pairs - stats.found) +
         (report.against.empty() ? " with a copy (a copy and its original, two copies, or a copy and another item), and "
                                 : " in which an item is a copy of an earlier one of its collection, and ") +
         whole_text(stats.found) + (verified ? " found among the candidates." : " whose items share a band.");
}

/// What copies have in common.
std::string content_name(const Report& report) {
  if (!report.plan || measure_of(report) == Measure::exact) return "normalised text";
  switch (report.plan->kind) {
    case Kind::shingles: return measure_of(report) == Measure::hamming ? "answers" : part_name(*report.plan) + "s";
    case Kind::tfidf: return "shingles";
    case Kind::numbers: return "numbers";
    case Kind::bits: return "bits";
  }
  return {};
}

void add_search_facts(const Report& report, Terms& facts) {
  const RunStats& stats = *report.stats;
  facts.emplace_back("Candidates", candidates_words(stats));
  if (stats.buckets.large > 0) facts.emplace_back("Large buckets", buckets_words(stats.buckets));
  facts.emplace_back("Found", found_words(report));
  if (stats.pairs == 0 && stats.closest_below > 0 && report.plan) facts.emplace_back("Closest", closest_words(report));
}

Terms facts_of(const Report& report) {
  const RunStats& stats = *report.stats;
  Terms facts;
  if (!report.inputs.empty()) facts.emplace_back("Input", inputs_words(report.inputs));
  if (!report.against.empty()) facts.emplace_back("Compared with", inputs_words(report.against));
  facts.emplace_back("Read", counted(stats.items, item_name(report)) + ".");
  if (const std::string scope = scope_text(report.scope); !scope.empty())
    facts.emplace_back("Compared", "Only items " + escape(scope) + ".");
  if (stats.faults.count > 0) facts.emplace_back("Unusable", faults_words(stats.faults));
  if (stats.faults.binary > 0) facts.emplace_back("Left out", counted(stats.faults.binary, "binary file") + ".");
  if (stats.empty > 0) {
    facts.emplace_back("Empty", counted(stats.empty, "item") + " with nothing to compare; such items are similar to nothing" +
                                    (report.kept ? ", and are kept." : "."));
  }
  if (stats.copies > 0) {
    facts.emplace_back("Copies", counted(stats.copies, "item") + (stats.copies == 1 ? " has" : " have") + " the same " +
                                     content_name(report) + " as an earlier one" + (report.against.empty() ? "" : " of their collection") +
                                     ". The search leaves copies out, but " +
                                     (report.command == "dedup"     ? "the numbers of pairs, clusters and removed items include"
                                      : report.command == "cluster" ? "the numbers of pairs and clusters include"
                                                                    : "the number of pairs includes") +
                                     " them." +
                                     (promises(report) && !known_recall(report)
                                          ? std::string(" The recall leaves out pairs of ") + "equal items, which are always found."
                                          : ""));
  }
  if (report.command != "evaluate") add_search_facts(report, facts);
  if (report.decisions) facts.emplace_back("Decisions", decisions_words(report));
  if (stats.peak_bytes > 0) facts.emplace_back("Memory", bytes_text(stats.peak_bytes) + " at the peak.");
  return facts;
}

/// The stages are named for programs that read them.
std::string stage_words(const std::string& stage) {
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {{"plan", "choose the plan"},
                                                                      {"candidates", "find candidates"},
                                                                      {"shingle candidates", "read the candidate items again"},
                                                                      {"verify", "compare the candidates"},
                                                                      {"what if", "count for each threshold or radius"}};
  for (const auto& [name, words] : kWords) {
    if (stage == name) return std::string(words);
  }
  return stage;
}

std::string stages_of(const RunStats& stats) {
  if (stats.seconds.empty()) return "";
  double all = 0;
  for (const auto& stage : stats.seconds) all += stage.second;
  Table table{"Seconds by stage", {{"Stage", false}, {"Time"}, {"Share of the total time", false}}, {}};
  for (const auto& [stage, seconds] : stats.seconds) {
    const double share = all > 0 ? seconds / all : 0;
    table.rows.push_back({escape(stage_words(stage)), seconds_text(seconds), bar_of(share)});
  }
  table.rows.push_back({"all", seconds_text(all), ""});
  return element_of("h3", "Time") + '\n' + table_of(table);
}

}  // namespace

// The times of an evaluation are in its table.
std::string run_section(const Report& report) {
  return report.stats ? terms_of(facts_of(report), "said") + (report.command == "evaluate" ? "" : stages_of(*report.stats)) : "";
}

}  // namespace nearkin::page

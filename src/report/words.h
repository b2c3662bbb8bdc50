// Numbers, measures, goals and recalls in the words of a page. All texts are plain, unless said otherwise: to be escaped where they go into
// HTML.
#pragma once

#include <nearkin/run.h>
#include <nearkin/tools/compare.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/report.h>

#include "report/text.h"

namespace nearkin::page {

std::string whole_text(std::uint64_t number);  ///< "12,500"
/// An expected number: "0.4", "17", "12,300", "4.56 million".
std::string about_text(double number);
/// The same in a sentence: "about 12,300 pairs", "about 1 pair", "less than 0.01 pairs", "0 pairs".
std::string roughly(double number, const std::string& one);
/// "about 12,300", "less than 0.01"
std::string roughly(double number);
/// One decimal, cut: "95.3 %"; more of them near 0 and 1, so only exact 0 and 1 are shown as 0 % and 100 %.
std::string percent_text(double share);
std::string decimals_text(double value, int decimals);  ///< "1.50"
std::string bytes_text(std::uint64_t bytes);            ///< "12.5 MB"
std::string seconds_text(double seconds);               ///< "0.012 s", "4.1 s", "2 min 5 s"
/// One decimal, rounded: for what was measured and is known no better, and for shares that add up. More of them near 0 and 1; only 1 is
/// "100 %".
std::string rounded_percent(double share);
/// "98.7 % (95 % interval 98.1 to 99.2 %)"
std::string recall_text(const Recall& recall);
std::string interval_text(const Recall& recall);  ///< "98.1 to 99.2 %"

/// The measure of the report's plan.
inline Measure measure_of(const Report& report) { return report.plan ? report.plan->measure : Measure::jaccard; }
std::string measure_text(Measure measure);  ///< "Jaccard similarity", "Euclidean distance"
std::string value_name(Measure measure);    ///< "similarity", "distance"
std::string border_name(Measure measure);   ///< "threshold", "radius"
std::string border_text(const Plan& plan);  ///< "0.8"
/// Which pairs are looked for: "with a Jaccard similarity of 0.8 or more", "within a Euclidean distance of 3.5", "with equal texts".
std::string goal_text(const Plan& plan);
/// The same where it is estimated: "with an estimated Jaccard similarity of 0.8 or more".
std::string estimated_goal_text(const Plan& plan);
/// What a run by the plan found, as far as it verified it: "183 pairs with a Jaccard similarity of 0.5 or more", "183 pairs with an
/// estimated …", "183 candidates, not verified, for pairs with …".
std::string found_text(std::uint64_t count, const Plan& plan);
/// "pair", or "candidate" where none was verified.
std::string found_name(const Plan& plan);
/// Whether pairs were looked for at all: a distance may be told without a radius.
bool has_goal(const Plan& plan);
/// Whether what is found is compared exactly.
bool verifies(const Plan& plan);

/// The similarity or distance of a pair, as the results spell it; "equal" and "not equal" for equality.
std::string value_text(const Comparison& comparison, Measure measure);
std::string value_text(double value, Measure measure);

/// "news.jsonl", "standard input", "3 inputs"; empty where there are none.
std::string paths_text(const std::vector<std::string>& paths);

/// An id as it is shown: of a long one the beginning.
std::string id_text(std::string_view id);

/// What the parts of an item are called: "shingle", "element"; empty for vectors.
std::string part_name(const Plan& plan);

/// What the plan searches for: "pairs with a cosine similarity of 0.8 or more", or of a plan for queries "for each query, the 10 items
/// nearest to it by cosine similarity".
std::string wanted_text(const Plan& plan);
/// "the 10 items nearest to it by cosine similarity"
std::string nearest_text(const Plan& plan);

/// What an item of the run is called: "item", or the part of texts that is compared: "paragraph", "line", "sentence", "window".
std::string item_name(const Report& report);
/// Which items are compared: "that agree in lang", "that differ in author"; empty where all are.
std::string scope_text(const Scope& scope);

/// What a cluster is between two collections, as a sentence; empty within one.
std::string cluster_across(const Report& report);
/// What connects items of a cluster with a keeper that they are not similar to: "a chain of similar pairs"
std::string other_ties(const Report& report);

/// With a capital letter at its beginning.
std::string capital(std::string text);
inline const char* was_or_were(std::uint64_t count) { return count == 1 ? "was" : "were"; }

/// "about 902 (1.5 %)"; "fewer than one (0.02 on average)". No share if `all` is 0.
std::string missed_words(double missed, double all);

/// A recall, and where it comes from.
struct MeasuredRecall {
  Recall recall;
  bool by_audit = false;  ///< else estimated from what was found
};
/// The recall that was measured: from the pairs found, or from the audit if that says more: its interval is narrower, or the two intervals
/// have nothing in common. Absent if neither is known, and for exact runs.
std::optional<MeasuredRecall> measured_recall(const Report& report);
/// The same of a run that removed items: the share of those that an exact search would remove.
std::optional<MeasuredRecall> removal_recall(const Report& report);

/// The threshold or radius in the unit of the values that the page shows: a Hamming radius that is a share of the places, in places.
double border_of_values(const Report& report);
/// How many pairs the run looked for, where that is known: all pairs of the collection were compared to draw the bars, none of which lies
/// on both sides of the border. Absent for exact runs, and for those that do not look for every pair.
std::optional<std::uint64_t> known_pairs(const Report& report);
/// The share of these that was found; pairs of equal items count.
std::optional<double> known_recall(const Report& report);

/// Whether the plan is one whose recall is promised and below 1.
bool promises(const Report& report);
/// Whether its bands reach that recall; those that were given need not. An average is not known without the data.
bool keeps_promise(const Plan& plan);
/// "promised", or "asked for" where the bands do not reach it.
std::string promised_name(const Plan& plan);
/// "the promised recall of 95 %", "the recall of 95 % that was asked for".
std::string promised_recall(const Plan& plan);

/// met, missed: the whole interval says so. open: it holds the promise.
enum class Verdict { met, open, missed, not_known };
Verdict verdict_of(const Report& report);
/// As sentences, escaped; with what to change if the promise was missed, and why if nothing is known.
std::string verdict_words(const Report& report);

}  // namespace nearkin::page

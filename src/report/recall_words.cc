#include <cmath>

#include <nearkin/tools/report.h>
#include <nearkin/tools/theory.h>

#include "report/curve_chart.h"
#include "report/text.h"
#include "report/words.h"
#include "theory/plan_rules.h"

namespace nearkin::page {
namespace {

std::string advice(const Plan& plan) {
  if (!keeps_promise(plan)) {
    return "With " + counted(plan.band.bands, "band") + " of " + counted(plan.band.rows, "row") + ", a pair at the " +
           border_name(plan.measure) + " is found with probability " + percent_text(found_probability(plan, border_of(plan))) +
           ". Leave out --bands and --rows, and nearkin chooses them for this recall.";
  }
  return "Give a higher --recall, or --recall 1, which finds all pairs.";
}

std::string why_not_known(const Report& report) {
  const RunStats& stats = *report.stats;
  if (report.plan->verify != Verify::exact) return "the candidates were not compared exactly";
  if (stats.pairs == 0) {
    const std::string nothing = "no pair was found from which to estimate it";
    if (report.plan->band.rows == 0 || report.plan->nearest > 0) return nothing;
    return nothing + "; a pair at the " + border_name(report.plan->measure) + " would have been found with a probability of " +
           percent_text(found_probability(*report.plan, border_of(*report.plan)));
  }
  return "it cannot be estimated from the pairs found";
}

/// How many similar pairs there are, if all pairs were compared to draw the page.
std::optional<std::uint64_t> counted_pairs(const Report& report) {
  if (!promises(report) || !report.stats || !report.stats->every_pair || !report.expected || !report.sample || !all_seen(*report.sample))
    return std::nullopt;
  const double steps = border_of(*report.plan) * 100;
  if (!is_distance(report.plan->measure) && std::abs(steps - std::round(steps)) > 1e-9) return std::nullopt;
  return static_cast<std::uint64_t>(std::llround(report.expected->similar));
}

bool has_none(const Report& report) { return counted_pairs(report) == 0 && report.stats->pairs == 0; }

/// Whether the share of the pairs that was found may be that of pairs which are found by the promised chance, one by one.
Verdict verdict_of_known(const Report& report) {
  const double share = *known_recall(report), promised = report.plan->recall;
  if (share >= promised) return Verdict::met;
  const double deviation = std::sqrt(promised * (1 - promised) / static_cast<double>(*known_pairs(report)));
  return !keeps_promise(*report.plan) || share < promised - 3 * deviation ? Verdict::missed : Verdict::open;
}

bool audited(const Report& report) { return report.stats->audit && report.stats->audit->true_pairs > 0; }

std::optional<MeasuredRecall> better_of(const std::optional<Recall>& estimate, const std::optional<Recall>& audit) {
  if (!audit) return estimate ? std::optional(MeasuredRecall{*estimate}) : std::nullopt;
  const bool apart = estimate && (audit->low > estimate->high || audit->high < estimate->low);
  if (!estimate || apart || audit->high - audit->low <= estimate->high - estimate->low) return MeasuredRecall{*audit, true};
  return MeasuredRecall{*estimate};
}

/// The interval holds the promise.
std::string open_words(const Report& report) {
  const std::optional<MeasuredRecall> removed = removal_recall(report);
  if (!removed && known_pairs(report))
    return percent_text(report.plan->recall) +
           " is the chance of finding each pair. With so few pairs, the share that is found may be higher or lower.";
  const MeasuredRecall measured = removed ? *removed : *measured_recall(report);
  const std::string few = measured.by_audit          ? "The audit is too small"
                          : !report.against.empty()  ? "Too few pairs of unequal items were found"
                          : report.stats->copies > 0 ? "Too few pairs other than copies were found"
                                                     : "Too few pairs were found";
  return few + " to tell whether " + promised_recall(*report.plan) + " was reached: the 95\u00A0% interval of the " +
         (removed ? "item recall" : "recall") + " is " + interval_text(measured.recall) + "." +
         (keeps_promise(*report.plan) ? "" : " " + escape(advice(*report.plan)));
}

}  // namespace

bool keeps_promise(const Plan& plan) {
  if (plan.band.rows == 0 || plan.nearest > 0 || plan.recall_at != RecallAt::threshold) return true;
  return found_probability(plan, border_of(plan)) >= plan.recall - 1e-9;
}

std::string promised_name(const Plan& plan) { return keeps_promise(plan) ? "promised" : "asked for"; }

std::string promised_recall(const Plan& plan) {
  const std::string recall = percent_text(plan.recall);
  return keeps_promise(plan) ? "the promised recall of " + recall : "the recall of " + recall + " that was asked for";
}

bool promises(const Report& report) { return report.plan && report.plan->sketch.hashes > 0 && report.plan->measure != Measure::exact; }

double border_of_values(const Report& report) {
  const Plan& plan = *report.plan;
  const double border = shown_border(plan, report.sample ? &*report.sample : nullptr);
  return plan.measure == Measure::hamming && plan.radius < 1 && border != plan.radius ? std::floor(border + 1e-9) : border;
}

std::optional<std::uint64_t> known_pairs(const Report& report) {
  const std::optional<std::uint64_t> known = counted_pairs(report);
  return !known || known == 0 || report.stats->pairs > *known ? std::nullopt : known;
}

std::optional<double> known_recall(const Report& report) {
  const std::optional<std::uint64_t> known = known_pairs(report);
  return known ? std::optional(static_cast<double>(report.stats->pairs) / static_cast<double>(*known)) : std::nullopt;
}

std::optional<MeasuredRecall> measured_recall(const Report& report) {
  if (!promises(report) || !report.stats) return std::nullopt;
  return better_of(report.stats->recall, audited(report) ? std::optional(report.stats->audit->recall) : std::nullopt);
}

std::optional<MeasuredRecall> removal_recall(const Report& report) {
  if (!promises(report) || !report.stats || !report.removed) return std::nullopt;
  return better_of(report.stats->item_recall, report.stats->audit ? report.stats->audit->item_recall : std::nullopt);
}

Verdict verdict_of(const Report& report) {
  if (report.stats && known_pairs(report) == report.stats->pairs) return Verdict::met;
  if (has_none(report)) return Verdict::met;
  const std::optional<MeasuredRecall> removed = removal_recall(report), measured = removed ? removed : measured_recall(report);
  if (!removed && known_recall(report)) return verdict_of_known(report);
  if (!measured) return Verdict::not_known;
  const Recall& recall = measured->recall;
  if (recall.high < report.plan->recall || (!removed && audited(report) && report.stats->audit->recall.high < report.plan->recall))
    return Verdict::missed;
  return recall.low >= report.plan->recall ? Verdict::met : Verdict::open;
}

/// A sentence about the promise: where items are removed, it is judged by them.
std::string of_items(const Report& report, const std::string& words) {
  return capital((removal_recall(report) ? "for the items to remove, " : "") + words);
}

std::string verdict_words(const Report& report) {
  if (!promises(report) || !report.stats) return {};
  switch (verdict_of(report)) {
    case Verdict::met:
      if (has_none(report)) return "Nothing was missed: all pairs were compared to draw this page.";
      return of_items(report, promised_recall(*report.plan) + " was reached.");
    case Verdict::open: return open_words(report);
    case Verdict::missed: return of_items(report, promised_recall(*report.plan) + " was not reached. ") + escape(advice(*report.plan));
    case Verdict::not_known: return "The recall is not known: " + escape(why_not_known(report)) + ".";
  }
  return {};
}

}  // namespace nearkin::page

#include <algorithm>
#include <cmath>

#include <nearkin/tools/forecast.h>
#include <nearkin/tools/report.h>

#include "report/curve_chart.h"
#include "report/html.h"
#include "report/sections.h"
#include "report/text.h"
#include "report/words.h"

namespace nearkin::page {
namespace {

/// The report's plan, sample and what is drawn of them.
struct Shown {
  const Report& report;
  const Plan& plan;
  const DataSample* sample;
  CurveData data;
};

std::string sample_words(const Report& report, const DataSample& sample) {
  if (sample.asked == 0) return counted(sample.values.size(), "random pair");
  if (!report.against.empty()) {
    return counted(sample.asked, "random item") + " of " + paths_text(report.inputs) + ", each compared with the " +
           counted(sample.against, "item") + " of " + paths_text(report.against);
  }
  const std::uint64_t empty = report.stats ? report.stats->empty : 0;  // nothing is compared with them
  const bool all = sample.against + empty >= sample.items;
  return counted(sample.asked, "random item") + ", each compared with " + (all ? "all others" : counted(sample.against - 1, "other item"));
}

std::string whose_pairs(const Report& report) {
  return report.against.empty() ? "pairs of the collection" : "pairs of the two collections";
}

std::string pairs_of_bar(const Shown& shown, double pairs) {
  return shown.data.counted ? counted(static_cast<std::uint64_t>(std::llround(pairs)), "pair") : roughly(pairs, "pair");
}

std::string bars_words(const Shown& shown) {
  const std::string value = value_name(shown.plan.measure), scope = scope_text(shown.report.scope);
  std::string out = shown.report.against.empty() ? "" : "Only pairs with one item from each collection are counted. ";
  if (!scope.empty()) out += "Only pairs of items " + scope + " are counted. ";
  out += "The bars show how many pairs there are at each " + value;
  out += shown.data.counted ? ". They are exact: all of these pairs were compared to draw them"
                            : ", estimated from " + sample_words(shown.report, *shown.sample);
  out += bars_are_logarithmic(shown.data) ? ". Their scale is logarithmic, because most pairs are dissimilar and few are similar." : ".";
  const auto is_rough = [&](const HistogramBar& bar) { return bar.seen < kFewSeen && !shown.data.counted; };
  if (std::any_of(shown.data.bars.begin(), shown.data.bars.end(), is_rough)) {
    out += " Hollow bars are rough guesses: the sample had fewer than " + std::to_string(kFewSeen) + " such pairs.";
  }
  if (shown.data.farther > 0) {
    out += " Not drawn: " + pairs_of_bar(shown, shown.data.farther) + " farther apart than " + table_number(shown.data.high);
    out += shown.data.curve.empty()
               ? "."
               : "; each becomes a candidate with a probability of at most " + percent_text(shown.data.farther_found) + ".";
  }
  return out;
}

/// Where pairs are that the run is to find, and where the others are.
std::string near_side(const Shown& shown) { return shown.data.distance ? "within the radius" : "at or above the threshold"; }
std::string far_side(const Shown& shown) { return shown.data.distance ? "beyond the radius" : "below the threshold"; }

std::string steepest_words(const Shown& shown) {
  return shown.data.steepest ? " The curve rises most steeply at " + decimals_text(*shown.data.steepest, 4) + "." : "";
}

std::string curve_words(const Shown& shown) {
  const std::string value = value_name(shown.plan.measure), border = border_name(shown.plan.measure);
  return "The curve shows the probability that a pair of a given " + value + " becomes a candidate" +
         (verifies(shown.plan) ? ", that is, gets compared" : "") + ". At the " + border + " it is " +
         percent_text(found_at(shown.plan, shown.sample, shown.data.border)) +
         (verifies(shown.plan) ? ". Candidates " + far_side(shown) + " are left out after the comparison." : ".") + steepest_words(shown);
}

std::string known_words(const Report& report) {
  const std::optional<std::uint64_t> known = known_pairs(report);
  if (!known) return "";
  const std::uint64_t found = report.stats->pairs;
  const std::string share = found == *known ? (*known == 1 ? "it" : "all of them")
                                            : whole_text(found) + " of them (" + rounded_percent(*known_recall(report)) + ")";
  return "All pairs were compared for this page, so it shows exactly what the run missed. There " +
         std::string(*known == 1 ? "is " : "are ") + counted(*known, "pair") + ' ' + goal_text(*report.plan) + ", and the run found " +
         share + ".";
}

std::string expected_pairs(const Report& report) {
  return (report.against.empty() ? "the collection has " : "the two collections have ") + roughly(report.expected->similar, "pair");
}

/// What a plan without a run should compare. Between two collections, equal items are compared like other pairs.
std::string candidates_words(const Report& report) {
  const Expectation& expected = *report.expected;
  const bool apart = expected.copies > 0 && report.against.empty();
  const double candidates = expected.candidates + (apart ? 0 : expected.copies);
  return (apart ? ". Without pairs that include a copy, a run is expected to compare " : ". A run is expected to compare ") +
         roughly(candidates, "pair") + ", of which " + roughly(expected.dropped) + " are " +
         (is_distance(report.plan->measure) ? "beyond" : "below") + " the " + border_name(report.plan->measure) + ".";
}

/// Pairs of the sample that the run looks for, other than pairs of equal items.
std::uint64_t others_seen(const Report& report) {
  const bool distance = is_distance(report.plan->measure);
  const double border = shown_border(*report.plan, &*report.sample);
  std::uint64_t seen = 0;
  for (const PairsAt& pairs : spread_of(*report.sample)) {
    if (distance ? pairs.at > 0 && pairs.at <= border : pairs.at >= border && pairs.at < 1) seen += pairs.seen;
  }
  return seen;
}

std::string missed_share(double share) { return share < 1e-4 ? "less than 0.01\u00A0%" : "about " + percent_text(share); }

/// What the plan of a run should miss, judged by how the sample's pairs are spread. The run itself knows better than the sample how many
/// pairs there are.
std::string expected_of_run(const Report& report) {
  const Expectation& expected = *report.expected;
  const double others = expected.similar - expected.copies;
  const std::string such = "pairs " + goal_text(*report.plan);
  if (others < 0.005) {
    return (all_seen(*report.sample) ? "The collection has no " : "The sample has no ") +
           (expected.copies > 0 ? such + ", other than pairs of equal items" : "pair " + goal_text(*report.plan)) + '.';
  }
  const std::uint64_t seen = others_seen(report);
  const bool rough = seen < kFewSeen && !all_seen(*report.sample);
  return "If the pairs of the collection are distributed as in the sample, the plan misses " +
         missed_share(std::min(expected.missed / others, 1.0)) + " of the " + such + ", not counting pairs of equal items." +
         (rough ? " This is rough: such pairs were seen only " + (seen == 1 ? "once" : whole_text(seen) + " times") + " in the sample."
                : "");
}

/// Copies are no pairs that a plan could miss: shares are of the others.
std::string expected_words(const Report& report) {
  if (report.stats) return expected_of_run(report);
  const Expectation& expected = *report.expected;
  if (expected.similar < 0.005) return "The sample has no pair " + goal_text(*report.plan) + ".";
  const double others = expected.similar - expected.copies;
  const bool copies = expected.copies > 0;
  std::string out = "According to the curve and the bars, " + expected_pairs(report) + ' ' + goal_text(*report.plan);
  if (copies)
    out += "; " + roughly(expected.copies) + (about_text(expected.copies) == "1" ? " of them is a pair" : " of them are pairs") +
           " of equal items, which are always found";
  if (others < 0.005) return out + ".";
  return out + ". The plan is expected to miss " + missed_words(expected.missed, others) +
         (copies ? " of the others (" + roughly(others, "pair") + ")" : " of them") + candidates_words(report);
}

std::string legend_item(const std::string& swatch, const std::string& text) {
  return element_of("li", "<svg class=\"nk swatch\" viewBox=\"0 0 28 14\" aria-hidden=\"true\">" + swatch + "</svg> " + text) + '\n';
}

std::string legend_of(const Shown& shown, const CurveMarks& marks) {
  std::string out;
  if (!shown.data.bars.empty()) {
    out += legend_item("<rect class=\"bar\" x=\"4\" y=\"2\" width=\"20\" height=\"12\"/>", whose_pairs(shown.report));
    out += legend_item("<rect class=\"bar in\" x=\"4\" y=\"2\" width=\"20\" height=\"12\"/>",
                       shown.data.distance ? "those within the radius" : "those at or above the threshold");
  }
  if (!shown.data.curve.empty()) {
    out += legend_item("<path class=\"curve\" d=\"M0 12C10 12 14 2 28 2\"/>", "probability of becoming a candidate");
    out += legend_item("<rect class=\"missed\" width=\"28\" height=\"14\"/>",
                       "false negatives: pairs " + near_side(shown) + " that are missed");
    out += legend_item("<rect class=\"in-vain\" width=\"28\" height=\"14\"/>",
                       "false positives: pairs " + far_side(shown) + " that become candidates");
  }
  if (marks.promised && !shown.data.curve.empty()) {
    out += legend_item("<path class=\"promise\" d=\"M0 7H28\"/>",
                       "recall, " + promised_name(shown.plan) + ": " + percent_text(*marks.promised));
  }
  return element_of("ul", '\n' + out, " class=\"legend\"") + '\n';
}

/// What a person sees in the picture, for one who does not.
std::string description(const Shown& shown, const CurveMarks& marks) {
  const double low = shown.data.distance ? std::max(shown.data.low, 0.0) : shown.data.low;
  const double high = shown.data.distance ? shown.data.high : std::min(shown.data.high, 1.0);
  std::string out =
      "The horizontal axis is the " + marks.value + ", from " + decimals_text(low, 2) + " to " + decimals_text(high, 2) + ". ";
  if (!shown.data.bars.empty()) {
    const auto most = std::max_element(shown.data.bars.begin(), shown.data.bars.end(),
                                       [](const HistogramBar& a, const HistogramBar& b) { return a.pairs < b.pairs; });
    out += "Bars show the " + whose_pairs(shown.report) + "; the highest, " + pairs_of_bar(shown, most->pairs) + ", is at " +
           label_of(shown.data, *most) + ". ";
  }
  if (!shown.data.curve.empty()) {
    out += "A curve shows the probability of being found: " + percent_text(shown.data.curve.front().second) + " at the left end, " +
           percent_text(found_at(shown.plan, shown.sample, shown.data.border)) + " at the " + border_name(shown.plan.measure) + ", " +
           percent_text(shown.data.curve.back().second) + " at the right end. Shaded above the curve, " + near_side(shown) +
           ": false negatives. Shaded below the curve, " + far_side(shown) + ": false positives. ";
  }
  out += "A line marks the " + marks.border + ".";
  if (shown.data.steepest)
    out += " Another line marks where the curve rises most steeply, at " + decimals_text(*shown.data.steepest, 4) + ".";
  if (marks.promised) out += " A line marks " + promised_recall(shown.plan) + ".";
  if (marks.pair) out += " A dot marks this pair, at " + value_text(*marks.pair, shown.plan.measure) + ".";
  return out + " The table below has the numbers.";
}

void add_chances(Table& table) {
  for (const char* const name : {"Chance of becoming a candidate", "Missed (false negatives)", "Compared in vain (false positives)"})
    table.columns.push_back({name});
}

/// The chance of a pair at x, and which error it is that the curve makes there.
void add_chances(const Shown& shown, double x, double found, std::vector<std::string>& row) {
  const double slack = 1e-9 * std::max(1.0, std::abs(shown.data.border));
  const bool wanted = shown.data.distance ? x <= shown.data.border + slack : x >= shown.data.border - slack;
  row.push_back(rounded_percent(found));
  row.push_back(wanted ? rounded_percent(1 - found) : "\u2013");
  row.push_back(wanted ? "\u2013" : rounded_percent(found));
}

std::string bars_table(const Shown& shown) {
  const std::string value = capital(value_name(shown.plan.measure));
  Table table{"Pairs by " + value_name(shown.plan.measure), {{value}, {shown.data.counted ? "Pairs" : "Pairs (about)"}}, {}};
  if (!shown.data.counted) table.columns.push_back({"Times seen in the sample"});
  if (!shown.data.curve.empty()) add_chances(table);
  for (const HistogramBar& bar : shown.data.bars) {
    const double mean = std::clamp(bar.mean, shown.data.distance ? 0.0 : -1.0, shown.data.distance ? std::max(bar.high, 0.0) : 1.0);
    std::vector<std::string> row{label_of(shown.data, bar)};
    row.push_back(shown.data.counted ? whole_text(static_cast<std::uint64_t>(std::llround(bar.pairs))) : about_text(bar.pairs));
    if (!shown.data.counted) row.push_back(whole_text(bar.seen));
    if (!shown.data.curve.empty()) add_chances(shown, mean, found_at(shown.plan, shown.sample, mean), row);
    table.rows.push_back(row);
  }
  return table_of(table);
}

std::string curve_table(const Shown& shown) {
  constexpr std::size_t kRows = 20;  // about
  const std::size_t every = std::max<std::size_t>(1, shown.data.curve.size() / kRows);
  Table table{"The curve at some points", {{capital(value_name(shown.plan.measure))}}, {}};
  add_chances(table);
  for (std::size_t i = 0; i < shown.data.curve.size(); i += every) {
    const auto& [x, found] = shown.data.curve[i];
    add_chances(shown, x, found, table.rows.emplace_back(std::vector<std::string>{table_number(x)}));
  }
  return table_of(table);
}

std::string figure_of(const Shown& shown) {
  const Measure measure = shown.plan.measure;
  CurveMarks marks{value_name(measure), border_name(measure) + ' ' + table_number(shown.data.border)};
  if (promises(shown.report)) marks.promised = shown.plan.recall;
  if (shown.report.command == "compare" && !shown.report.pairs.empty()) marks.pair = shown.report.pairs.front().comparison.similarity;
  const PictureText text{"curve", "The pairs, and the chance of finding them", description(shown, marks)};
  const std::string table = shown.data.bars.empty() ? curve_table(shown) : bars_table(shown);
  return "<figure>\n" + legend_of(shown, marks) + both_widths([&](double width) { return draw_curve(shown.data, marks, width); }, text) +
         "</figure>\n" + fold("The numbers as a table", table);
}

std::string audit_words(const Report& report) {
  const Audit& audit = *report.stats->audit;
  const bool all = report.against.empty() && audit.items + report.stats->empty >= report.stats->items;
  const std::string whole = "An audit compared all " + counted(audit.items, item_name(report)) + " with one another";
  const std::string some = "An audit compared " + counted(audit.items, "random " + item_name(report)) + " with " +
                           (report.against.empty() ? "all others" : "all of " + paths_text(report.against));
  return (all ? whole : some) + ". " + (audit.items == 1 ? "This item is in " : "These items are in ") +
         counted(audit.true_pairs, "similar pair") + ", not counting copies" +
         (report.against.empty() ? " (a pair counts twice if both of its items were audited)" : "") + ". The run found " +
         (audit.found == audit.true_pairs && audit.found > 1 ? "all of them." : whole_text(audit.found) + " of them.");
}

/// What the recall is, and what each way to measure it gave. Their intervals are added to `lines`.
Terms recall_terms(const Report& report, std::vector<StripLine>& lines) {
  const RunStats& stats = *report.stats;
  const std::optional<double> known = known_recall(report);
  Terms terms{{"Meaning", "Recall is the share of all pairs " + escape(goal_text(*report.plan)) +
                              (known ? " that were found." : " that were found, not counting pairs of equal items.")}};
  if (known) {
    lines.push_back({"exact, from comparing all pairs", {*known, *known, *known}});
    terms.emplace_back("Exact", "All pairs were compared for this page, so the recall is exact: " + rounded_percent(*known) + ".");
  } else if (stats.recall) {
    lines.push_back({"estimated from the pairs found", *stats.recall});
    terms.emplace_back("Estimate", "The estimate from the pairs found is " + recall_text(*stats.recall) +
                                       ". To make up for pairs that were missed, each found pair has the weight 1/q, where q is the "
                                       "probability of finding a pair of its " +
                                       value_name(report.plan->measure) +
                                       ". The estimate is the number of pairs found, divided by the sum of their weights.");
  }
  if (stats.item_recall) {
    lines.push_back({"estimated from the removed items", *stats.item_recall});
    terms.emplace_back(
        "Items", "The run removed " + recall_text(*stats.item_recall) +
                     " of the items that an exact search would remove, not counting copies. This share is the item recall. To estimate "
                     "it, each removed item has the weight 1/p, where p is the probability that a run of this plan removes it.");
  }
  if (stats.audit) {
    std::string words = audit_words(report);
    if (stats.audit->true_pairs > 0) {
      lines.push_back({"measured by the audit", stats.audit->recall});
      words += " That is " + recall_text(stats.audit->recall) + ".";
    }
    if (stats.audit->item_recall)
      words += " The run removed " + recall_text(*stats.audit->item_recall) + " of the audited items that an exact search would remove.";
    terms.emplace_back("Audit", escape(words));
  }
  terms.emplace_back("Result", verdict_words(report));
  return terms;
}

std::string recall_of(const Report& report) {
  if (!promises(report) || !report.stats) return "";
  std::vector<StripLine> lines;
  const Terms terms = recall_terms(report, lines);
  const char* const how = report.stats->audit ? " and measured" : known_recall(report) ? " and exact" : " and estimated";
  const std::string out = element_of("h3", "Recall: " + promised_name(*report.plan) + how) + '\n' + terms_of(terms, "said");
  if (lines.empty()) return out;
  std::string said = capital(promised_name(*report.plan)) + ": " + percent_text(report.plan->recall) + ".";
  for (const StripLine& line : lines) said += " " + capital(line.name) + ": " + recall_text(line.recall) + ".";
  const PictureText text{"strip", "Recall, " + promised_name(*report.plan) + how, said};
  const auto draw = [&](double width) { return draw_strip(report.plan->recall, promised_name(*report.plan), lines, width); };
  return out + "<figure>\n" + both_widths(draw, text) + "</figure>\n";
}

bool has_bars(const Report& report) {
  return report.sample && (!report.sample->pairs.empty() || !report.sample->values.empty()) && report.plan->measure != Measure::exact &&
         report.plan->nearest == 0;
}

}  // namespace

std::string curve_section(const Report& report) {
  if (!report.plan || report.command == "evaluate" || !has_goal(*report.plan)) return "";
  const Plan& plan = *report.plan;
  const DataSample* sample = has_bars(report) ? &*report.sample : nullptr;
  const Shown shown{report, plan, sample, sample != nullptr || has_curve(plan) ? curve_data(plan, sample) : CurveData{}};
  std::string words = shown.data.curve.empty() ? why_no_curve(plan) : curve_words(shown);
  if (!shown.data.bars.empty()) words += ' ' + bars_words(shown);
  std::string html = paragraph(escape(words));
  if (!shown.data.curve.empty() || !shown.data.bars.empty()) html += figure_of(shown);
  if (const std::string known = known_words(report); !known.empty()) {
    html += paragraph(escape(known));
  } else if (report.expected && promises(report)) {
    html += paragraph(escape(expected_words(report)));
  }
  return html + recall_of(report);
}

}  // namespace nearkin::page

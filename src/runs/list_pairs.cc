// Every similar pair of a collection, by a plan or by a score of several fields; as a value or as lines of a file.
#include <algorithm>
#include <numeric>
#include <string>

#include <nearkin/run.h>
#include <nearkin/score.h>
#include <nearkin/tools/lists.h>
#include <nearkin/tools/spelling.h>

#include "analysis/audit_report.h"
#include "base/field_names.h"
#include "collect/collect.h"
#include "group/group.h"
#include "runs/decided.h"
#include "runs/pair_list.h"
#include "runs/run_search.h"
#include "theory/score.h"

namespace nearkin {
namespace {

bool chooses(const Partners& partners) { return partners.rule != Partners::Rule::all || !partners.decisions.empty(); }

// The pairs of a collection, with what a person decided about them.
struct ListedMatches {
  SearchResult found;
  PairCounts counts;  // before decisions
};

// Decisions are followed last: all but the list and the pairs of a report is told of the search itself.
ListedMatches find_pairs(RunSearch& search, Rows& rows, const Partners& partners) {
  const Stage& stage = search.stage();
  ListedMatches all{.found = search.find(rows, {}, Linkage::connected, chooses(partners) ? Use::chosen_pairs : Use::pairs), .counts = {}};
  all.counts = count_pairs(all.found, rows.across(), stage.plan.measure);
  if (partners.decisions.empty()) return all;
  ResolvedDecisions resolved = resolve(partners.decisions, rows);
  if (!rows.nothing_to_pair()) {
    search.know_values(rows, resolved.pairs.accepted);
    follow_decisions(rows, stage, resolved.pairs, std::nullopt, all.found);
  }
  show_decisions(partners.decisions, resolved.notes, stage.options.report);
  rows.stats.decisions = std::move(resolved.notes);
  return all;
}

// A report shows what is listed. Where that is all that was found, it has shown it already.
void show_listed(const Rows& rows, const Stage& stage, const SearchResult& found, const PairList& list, const Partners& partners) {
  if (stage.options.report == nullptr || !chooses(partners)) return;
  const auto show = [&](const SearchResult& shown) {
    show_found(rows, stage, shown, keepers_for(rows, stage, shown, Linkage::connected), false);
  };
  if (list.chosen() == nullptr) return show(found);
  SearchResult shown = only(*list.chosen(), rows);
  shown.buckets = found.buckets;
  // Its sets are not there: what must be compared once more is read again.
  shown.decided.emplace();
  if (found.decided) shown.decided->accepted = found.decided->accepted;
  shown.decided->loose.resize(rows.size());
  std::iota(shown.decided->loose.begin(), shown.decided->loose.end(), Row{0});
  show(shown);
}

// `values`: where there is a score, those of each pair.
PairsResult pairs_by(RunSearch& search, const Input& input, const Input* against, const Partners& partners, const RunOptions& run,
                     std::vector<double>* values) {
  const Plan& plan = search.plan();
  require_partners(partners, plan, against);
  require_whole_records(partners.decisions, input);
  Rows rows = search.collect(input, against, {});
  const ListedMatches pairs = find_pairs(search, rows, partners);
  StageClock clock;
  PairsResult result{.ids = {}, .matches = {}, .verify = plan.verify, .measure = plan.measure, .stats = rows.stats};
  const PairList list(rows, search.stage(), pairs.found, partners, pairs.counts);
  show_listed(rows, search.stage(), pairs.found, list, partners);
  list.note(result.stats);
  result.matches.reserve(list.size());
  list.for_each([&](const Match& match) {
    result.matches.push_back(match);
    if (values == nullptr) return;
    const std::vector<double> of_match = search.score()->values_of(match);
    values->insert(values->end(), of_match.begin(), of_match.end());
  });
  result.ids = take_ids(rows);
  result.stats.seconds.emplace_back("list", clock.lap());
  note_resources(rows, result.stats);
  finish_report("pairs", input, against, result.stats, run);
  remove_files(rows);
  return result;
}

// Its field; where another part has the same, the part as it is spelled.
std::string name_of(const Score& score, std::size_t part) {
  const auto same = [&](const ScorePart& other) { return other.text == score.parts[part].text; };
  const std::string& text = score.parts[part].text;
  const bool one_name = is_quoted(text) && end_of_quoted(text, 0) == text.size();
  if (std::count_if(score.parts.begin(), score.parts.end(), same) == 1) return one_name ? unquoted_name(text) : text;
  Score alone{.parts = {score.parts[part]}};
  alone.parts.front().weight = 1;
  alone.parts.front().against_text.clear();  // a name of the other input, which may change
  return to_string(alone);
}

// Puts "parts" into the object that ends `line`.
void add_parts(std::string& line, const Score& score, const std::vector<double>& values) {
  line.resize(line.rfind('}'));
  line += ",\"parts\":{";
  for (std::size_t i = 0; i < values.size(); ++i) {
    line += (i == 0 ? "" : ",") + json_string(name_of(score, i)) + ':' + number_text({0, 0, 0, 0, values[i]}, Measure::cosine);
  }
  line += "}}\n";
}

RunStats list_by(RunSearch& search, const Input& input, const PairsOutput& output, const RunOptions& run, const Input* against) {
  const Plan& plan = search.plan();
  require_partners(output.partners, plan, against);
  require_whole_records(output.partners.decisions, input);
  OutputFile file(output.path);
  Rows rows = search.collect(input, against, {});
  const ListedMatches pairs = find_pairs(search, rows, output.partners);
  StageClock clock;
  RunStats stats = rows.stats;
  const PairList list(rows, search.stage(), pairs.found, output.partners, pairs.counts);
  show_listed(rows, search.stage(), pairs.found, list, output.partners);
  list.note(stats);
  LineWriter lines(file);
  RowReader first(rows), second(rows);
  const ScoreSearch* const score = output.style == RowStyle::json ? search.score() : nullptr;
  list.for_each([&](const Match& match) {
    std::string& line = lines.text();
    append_row(line, first.id(match.a), second.id(match.b), match, {plan.verify, plan.measure}, output.style, {"a", "b"});
    if (score != nullptr) add_parts(line, score->score(), score->values_of(match));
  });
  lines.flush();
  stats.seconds.emplace_back("list", clock.lap());
  note_resources(rows, stats);
  finish_report("pairs", input, against, stats, run);
  if (run.before_output) run.before_output();
  if (output.on_result) output.on_result(stats);
  file.commit();
  remove_files(rows);
  return stats;
}

}  // namespace

PairsResult pairs(const Input& input, const Plan& plan, const RunOptions& options, const Input* against, const Partners& partners) {
  require_border(plan);
  RunSearch search(plan, options);
  return pairs_by(search, input, against, partners, options, nullptr);
}

ScoreResult score_pairs(const Input& input, const Score& score, const ScoreOptions& options, const RunOptions& run, const Input* against) {
  RunSearch search(score, options, run);
  std::vector<double> values;
  PairsResult found = pairs_by(search, input, against, options.partners, run, &values);
  for (Match& match : found.matches) {
    if (match.total == 1) match.shared = match.total = kScoreUnits;  // copies
  }
  return {.ids = std::move(found.ids),
          .matches = std::move(found.matches),
          .values = std::move(values),
          .searched = search.score()->searched(),
          .stats = std::move(found.stats)};
}

RunStats list_pairs(const Input& input, const Plan& plan, const PairsOutput& output, const RunOptions& options, const Input* against) {
  require_border(plan);
  RunSearch search(plan, options);
  return list_by(search, input, output, options, against);
}

ScoresListed list_score_pairs(const Input& input, const Score& score, const PairsOutput& output, const ScoreOptions& options,
                              const RunOptions& run, const Input* against) {
  RunSearch search(score, options, run);
  PairsOutput listed = output;
  listed.partners = options.partners;
  listed.on_result = [&](const RunStats& stats) {
    if (options.on_searched) options.on_searched(search.score()->searched());
    if (output.on_result) output.on_result(stats);
  };
  RunStats stats = list_by(search, input, listed, run, against);
  return {search.score()->searched(), std::move(stats)};
}

}  // namespace nearkin

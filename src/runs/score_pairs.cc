// Pairs by a score of several fields, as a value or as lines of a file.
#include <algorithm>
#include <numeric>

#include <nearkin/score.h>
#include <nearkin/tools/lists.h>
#include <nearkin/tools/spelling.h>

#include "collect/collect.h"
#include "group/partners.h"
#include "runs/find_matches.h"
#include "runs/score_search.h"
#include "runs/write_results.h"

namespace nearkin {
namespace {

/// The pairs that partners leave.
void choose(ScoredSearch& search, const ScoreOptions& options, const RunOptions& run) {
  RunStats& stats = search.rows.stats;
  stats.pairs = stats.found = search.matches.size();
  if (options.partners.rule == Partners::Rule::all) return;
  const Plan plan = tune({.measure = Measure::jaccard, .threshold = options.threshold, .recall = 1}, {});
  const Stage stage(plan, run);
  SearchResult found;
  found.representative.resize(search.rows.size());
  std::iota(found.representative.begin(), found.representative.end(), Row{0});
  found.empty = search.rows.empty();
  found.matches = MatchStream(search.matches);
  Matches chosen;
  choose_pairs(search.rows, stage, found, options.partners).for_each([&](const Match& match) { chosen.push_back(match); });
  std::vector<double> values;
  const std::size_t parts = search.matches.empty() ? 0 : search.values.size() / search.matches.size();
  for (std::size_t i = 0, next = 0; i < search.matches.size() && next < chosen.size(); ++i) {
    if (by_rows(search.matches[i], chosen[next])) continue;
    const auto begin = search.values.begin() + static_cast<std::ptrdiff_t>(i * parts);
    values.insert(values.end(), begin, begin + static_cast<std::ptrdiff_t>(parts));
    ++next;
  }
  search.matches = std::move(chosen);
  search.values = std::move(values);
  stats.listed = search.matches.size();
}

ScoredSearch scored(const Input& input, const Score& score, const ScoreOptions& options, const RunOptions& run, const Input* against) {
  ScoredSearch search = search_by_score(input, score, options, run, against);
  choose(search, options, run);
  return search;
}

// Its field; where another part has the same, the part as it is spelled.
std::string name_of(const Score& score, std::size_t part) {
  const auto same = [&](const ScorePart& other) { return other.text == score.parts[part].text; };
  if (std::count_if(score.parts.begin(), score.parts.end(), same) == 1) return score.parts[part].text;
  Score alone{.parts = {score.parts[part]}};
  alone.parts.front().weight = 1;
  return to_string(alone);
}

void append_scored_row(std::string& out, std::string_view a, std::string_view b, const Match& match, std::span<const double> values,
                       const Score& score, RowStyle style) {
  append_row(out, a, b, match, {Verify::exact, Measure::jaccard}, style, {"a", "b"});
  if (style == RowStyle::tsv) return;
  out.resize(out.rfind('}'));
  out += ",\"parts\":{";
  for (std::size_t i = 0; i < values.size(); ++i) {
    out += (i == 0 ? "" : ",") + json_string(name_of(score, i)) + ':' + number_text({0, 0, 0, 0, values[i]}, Measure::cosine);
  }
  out += "}}\n";
}

}  // namespace

ScoreResult score_pairs(const Input& input, const Score& score, const ScoreOptions& options, const RunOptions& run, const Input* against) {
  ScoredSearch search = scored(input, score, options, run, against);
  ScoreResult result{.ids = {},
                     .matches = std::move(search.matches),
                     .values = std::move(search.values),
                     .searched = search.searched,
                     .stats = search.rows.stats};
  note_resources(search.rows, result.stats);
  result.ids = take_ids(search.rows);
  remove_files(search.rows);
  return result;
}

ScoresListed list_score_pairs(const Input& input, const Score& score, const PairsOutput& output, const ScoreOptions& options,
                              const RunOptions& run, const Input* against) {
  OutputFile file(output.path);
  ScoredSearch search = scored(input, score, options, run, against);
  LineWriter lines(file);
  RowReader first(search.rows), second(search.rows);
  const std::size_t parts = score.parts.size();
  for (std::size_t i = 0; i < search.matches.size(); ++i) {
    const Match& match = search.matches[i];
    append_scored_row(lines.text(), first.id(match.a), second.id(match.b), match, std::span(search.values).subspan(i * parts, parts), score,
                      output.style);
  }
  lines.flush();
  ScoresListed result{.searched = search.searched, .stats = search.rows.stats};
  note_resources(search.rows, result.stats);
  if (run.before_output) run.before_output();
  file.commit();
  remove_files(search.rows);
  return result;
}

}  // namespace nearkin

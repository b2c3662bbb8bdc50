#include "runs/score_search.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include <nearkin/error.h>

#include "base/in_quotes.h"
#include "collect/collect.h"
#include "group/group.h"
#include "runs/find_matches.h"
#include "theory/score.h"

namespace nearkin {
namespace {

/// For each representative by one field: the representatives by all fields among the records that it stands for.
class Members {
 public:
  /// `common`: where each row of the field is by all fields.
  Members(const SearchResult& own, std::span<const Row> common, const SearchResult& all) : starts_(own.items() + 1) {
    const auto is_wanted = [&](Row row) { return common[row] != kNoRow && all.representative[common[row]] == common[row]; };
    for (Row row = 0; row < own.items(); ++row) starts_[own.representative[row] + 1] += is_wanted(row);
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    members_.resize(starts_.back());
    std::vector<Row> next(starts_.begin(), starts_.end() - 1);
    for (Row row = 0; row < own.items(); ++row) {
      if (is_wanted(row)) members_[next[own.representative[row]]++] = common[row];
    }
  }
  std::span<const Row> operator[](Row row) const { return std::span(members_).subspan(starts_[row], starts_[row + 1] - starts_[row]); }

 private:
  std::vector<Row> starts_, members_;
};

}  // namespace

ScoreSearch::ScoreSearch(const Score& score, const ScoreOptions& options, const RunOptions& run)
    : score_(score), options_(options), run_(run) {
  require_score(score, options);
  const auto refuse = [](const char* what, const char* why) { throw Error(ErrorCode::plan, what, why); };
  if (run.scratch || run.resume)
    refuse(run.scratch ? "scratch" : "resume", "a search by score is several runs, which cannot be resumed; leave it out");
  if (run.audit > 0) refuse("audit", "compares whole texts, not scores; leave it out, or use a recall of 1, which finds all");
  if (run.report != nullptr) refuse("report", "a page shows pairs by one text, and a score has several; leave it out");
}

Plan ScoreSearch::plan() const {
  Plan plan = tune({.measure = Measure::jaccard, .recall = options_.recall}, {.seed = options_.seed});
  plan.threshold = ratio(options_.threshold);
  return plan;
}

Rows ScoreSearch::collect(const Input& input, const Input* against, const Keep& keep) {
  require_rereadable(input);
  if (against != nullptr) require_rereadable(*against);
  if (against == nullptr) require_one_name(score_);
  inputs_ = ScoreInputs{input, against != nullptr ? std::optional(*against) : std::nullopt};
  StageClock clock;
  const ScoreInputs all = reading_all(*inputs_, score_);
  const Plan plain = tune({.measure = Measure::exact}, {});
  Rows rows = collect_for_run(all.input, all.other(), Stage(plain, run_), keep);
  require_fields(rows);
  parts_.emplace(*inputs_, score_, run_);
  parts_->read(rows);
  rows.stats.seconds = {{"read", clock.lap()}};
  return rows;
}

SearchResult ScoreSearch::find(Rows& rows, const Keep& keep) {
  StageClock clock;
  const Plan plan = this->plan();
  SearchResult found = fold_copies(rows, Stage(plan, run_), keep);
  fold(rows, found);
  for (Row row = 0; row < rows.size(); ++row) rows.stats.copies += found.representative[row] != row;
  choose_parts(rows);
  contents_.assign(rows.size(), 0);
  for (SearchedPart& searched : searched_) find_by(searched, rows, found);
  std::sort(pairs_.begin(), pairs_.end());
  pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
  rows.stats.candidates = pairs_.size();
  rows.stats.seconds.emplace_back("search", clock.lap());
  values_ = parts_->values(rows, pairs_);
  std::uint32_t closest = 0;
  found.matches = MatchStream(keep_scored(closest));
  rows.stats.closest_below = static_cast<double>(closest) / kScoreUnits;
  representative_ = found.representative;
  found.compare = [this, &rows](std::span<const std::uint64_t> pairs) { return parts_->scored(rows, pairs); };
  rows.stats.recall = recall_of_score({score_, options_, searched_, contents_, values_, left_out_}, found);
  rows.stats.seconds.emplace_back("score", clock.lap());
  return found;
}

// Records that are equal in every field, if that makes a score of 1: a field that is empty counts 0.
void ScoreSearch::fold(const Rows& rows, SearchResult& found) {
  std::iota(found.representative.begin(), found.representative.end(), Row{0});
  // Copies of two scopes are pairs like others.
  if (rows.scope_rule() == Scope::Rule::across || rows.nothing_to_pair()) return;
  const std::vector<Hash128>& contents = parts_->contents();
  const auto what = [&](Row row) { return std::tuple(row >= rows.input_rows(), contents[row]); };
  std::vector<Row> sorted(found.representative);
  std::sort(sorted.begin(), sorted.end(), [&](Row x, Row y) {
    const auto of_x = what(x), of_y = what(y);
    return of_x != of_y ? of_x < of_y : found.rank_of(x) < found.rank_of(y);
  });
  std::vector<std::span<const Row>> groups;
  std::vector<std::uint64_t> twins;  // two of each group
  for (std::size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
    while (end < sorted.size() && what(sorted[end]) == what(sorted[begin])) ++end;
    if (end - begin == 1) continue;
    groups.push_back(std::span(sorted).subspan(begin, end - begin));
    twins.push_back(std::uint64_t{sorted[begin]} << 32 | sorted[begin + 1]);
  }
  const Matches compared = parts_->scored(rows, twins);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (compared[i].shared != kScoreUnits) continue;
    for (const Row row : groups[i]) found.representative[row] = groups[i].front();
  }
}

void ScoreSearch::choose_parts(const Rows& rows) {
  const std::vector<std::size_t> parts =
      parts_to_search(score_, options_.threshold, static_cast<double>(rows.size()), parts_->equal_pairs());
  for (const std::size_t part : parts) searched_.push_back({.part = part, .level = level_of(score_, parts, options_.threshold)});
}

void ScoreSearch::require_listable(std::uint64_t pairs, const ScorePart& part) const {
  if (pairs_.size() + pairs <= run_.max_pairs) return;
  throw Error(ErrorCode::plan, "max_pairs",
              std::to_string(pairs) + " pairs are alike in " + in_quotes(part.text) + " and would have to be looked at, the limit is " +
                  std::to_string(run_.max_pairs) + "; raise the threshold, give another field more weight, or raise the limit");
}

void ScoreSearch::require_room(std::uint64_t pairs, std::uint64_t memory) const {
  const std::uint64_t of_pair = 2 * (sizeof(Match) + sizeof(double) * score_.parts.size()), needed = (pairs_.size() + pairs) * of_pair;
  if (needed <= memory / 2) return;
  throw Error(ErrorCode::plan, "memory",
              std::to_string(pairs_.size() + pairs) + " pairs have to be compared, for which " + std::to_string(memory >> 20) +
                  " MiB are too little; raise the threshold, give more weight to a field whose values repeat less, or allow more memory");
}

// What the searches know of a record: those that agree in it are found or missed together.
void ScoreSearch::note_contents(const Rows& own, std::span<const Row> common) {
  RowReader reader(own);
  for (Row row = 0; row < own.size(); ++row) {
    if (common[row] == kNoRow) continue;
    std::uint64_t& known = contents_[common[row]];
    known = mix64(known + mix64(reader.content(row).low));
  }
}

void ScoreSearch::note_left_out(const Rows& own, const Stage& stage, const SearchResult& found, std::span<const Row> common,
                                BucketNotes& all) {
  const BucketNotes& notes = own.stats.buckets;
  all = {all.large + notes.large, std::max(all.largest, notes.largest), all.not_compared + notes.not_compared};
  left_out_.add(own, stage, found, common);
}

void ScoreSearch::find_by(SearchedPart& searched, Rows& rows, const SearchResult& all) {
  const ScorePart& part = score_.parts[searched.part];
  const Plan plan = plan_of_part(part, searched.level, options_);
  searched.plan = to_string(plan);
  const Stage stage(plan, run_);
  const ScoreInputs inputs = reading_part(*inputs_, part);
  Rows own = collect_for_run(inputs.input, inputs.other(), stage, {});
  const SearchResult found = search(own, stage, {});
  rows.stats.one_scope = own.stats.one_scope;
  rows.stats.one_side = own.stats.one_side;
  const std::vector<Row> common = same_records(own, rows);
  note_contents(own, common);
  note_left_out(own, stage, found, common, rows.stats.buckets);
  add_pairs(found, common, all, own.across(), searched, stage.memory);
  remove_files(own);
}

void ScoreSearch::add_pairs(const SearchResult& own, std::span<const Row> common, const SearchResult& all, bool across,
                            SearchedPart& searched, std::uint64_t memory) {
  const Members members(own, common, all);
  const auto within = [&](Row row) { return across ? std::span<const Row>() : members[row]; };
  std::uint64_t count = 0;
  own.matches.for_each([&](const Match& match) { count += std::uint64_t{members[match.a].size()} * members[match.b].size(); });
  for (Row row = 0; row < own.items(); ++row) count += within(row).size() * (within(row).size() - 1) / 2;
  require_listable(count, score_.parts[searched.part]);
  require_room(count, memory);
  searched.pairs = count;
  const auto add = [&](Row a, Row b) { pairs_.push_back(std::uint64_t{std::min(a, b)} << 32 | std::max(a, b)); };
  own.matches.for_each([&](const Match& match) {
    for (const Row a : members[match.a]) {
      for (const Row b : members[match.b]) add(a, b);
    }
  });
  for (Row row = 0; row < own.items(); ++row) {
    const std::span<const Row> equal = within(row);
    for (std::size_t i = 0; i < equal.size(); ++i) {
      for (std::size_t j = i + 1; j < equal.size(); ++j) add(equal[i], equal[j]);
    }
  }
}

// Leaves the values of those that reach the threshold.
Matches ScoreSearch::keep_scored(std::uint32_t& closest) {
  const std::size_t parts = score_.parts.size();
  const Ratio threshold = ratio(options_.threshold);
  Matches matches;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const std::span<const double> values = std::span(values_).subspan(i * parts, parts);
    const std::uint32_t units = score_units(score_, values);
    if (units * threshold.denominator < threshold.numerator * kScoreUnits) {
      closest = std::max(closest, units);
      continue;
    }
    std::copy(values.begin(), values.end(), values_.begin() + static_cast<std::ptrdiff_t>(matches.size() * parts));
    matches.push_back({static_cast<Row>(pairs_[i] >> 32), static_cast<Row>(pairs_[i]), units, kScoreUnits});
  }
  values_.resize(matches.size() * parts);
  pairs_.clear();
  for (const Match& match : matches) pairs_.push_back(std::uint64_t{match.a} << 32 | match.b);
  return matches;
}

void ScoreSearch::know_values(const Rows& rows, std::span<const std::uint64_t> pairs) {
  const std::vector<double> values = parts_->values(rows, pairs);
  const auto parts = static_cast<std::ptrdiff_t>(score_.parts.size());
  auto begin = values.begin();
  for (const std::uint64_t pair : pairs) {
    known_.emplace(pair, std::vector<double>(begin, begin + parts));
    begin += parts;
  }
}

std::vector<double> ScoreSearch::values_of(const Match& match) const {
  const auto [first, second] = std::minmax(match.a, match.b);
  const auto known = known_.find(std::uint64_t{first} << 32 | second);
  if (known != known_.end()) return known->second;
  const std::size_t parts = score_.parts.size();
  const auto [a, b] = std::minmax(representative_[match.a], representative_[match.b]);
  if (a == b) return std::vector<double>(parts, 1.0);
  const auto at = std::lower_bound(pairs_.begin(), pairs_.end(), std::uint64_t{a} << 32 | b);
  const auto begin = values_.begin() + (at - pairs_.begin()) * static_cast<std::ptrdiff_t>(parts);
  return {begin, begin + static_cast<std::ptrdiff_t>(parts)};
}

}  // namespace nearkin

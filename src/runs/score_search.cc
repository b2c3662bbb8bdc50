#include "runs/score_search.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <nearkin/error.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/theory.h>

#include "analysis/recall_basis.h"
#include "base/in_quotes.h"
#include "base/parallel.h"
#include "collect/collect.h"
#include "collect/features_again.h"
#include "match/verify.h"
#include "runs/find_matches.h"
#include "runs/write_results.h"
#include "theory/score.h"

namespace nearkin {
namespace {

/// The two inputs of a run, read by some fields.
struct ScoreInputs {
  Input input;
  std::optional<Input> against;
  const Input* other() const { return against ? &*against : nullptr; }
};

void require_rereadable(const Input& input) {
  if (input.memory) throw Error(ErrorCode::plan, "score", "items in memory have no fields; use files");
  if (input.unit.divides()) throw Error(ErrorCode::plan, "score", "parts of texts have no fields; leave out the unit");
  const auto is_stream = [](const std::string& path) { return path == "-" || path == "/dev/stdin"; };
  const bool none = input.paths.empty() && !input.files_from;
  if (none || std::any_of(input.paths.begin(), input.paths.end(), is_stream) || (input.files_from && is_stream(*input.files_from)))
    throw Error(ErrorCode::plan, "score", "reads its input several times, and standard input can be read once; name a file");
}

ScoreInputs reading(const Input& input, const Input* against, const std::string& text, const std::string& against_text) {
  ScoreInputs inputs{input, {}};
  inputs.input.text = text;
  inputs.input.loose_texts = true;
  if (against == nullptr) return inputs;
  inputs.against = *against;
  inputs.against->text = against_text;
  inputs.against->loose_texts = true;
  return inputs;
}

/// All fields, each once.
ScoreInputs reading_all(const Input& input, const Input* against, const Score& score) {
  std::string text, against_text;
  const auto add = [](std::string& all, const std::string& fields) {
    for (std::size_t begin = 0; begin <= fields.size();) {
      const std::size_t end = std::min(fields.find(',', begin), fields.size());
      const std::string field = fields.substr(begin, end - begin);
      if (("," + all + ",").find("," + field + ",") == std::string::npos) all += (all.empty() ? "" : ",") + field;
      begin = end + 1;
    }
  };
  for (const ScorePart& part : score.parts) {
    add(text, part.text);
    add(against_text, part.against_text.empty() ? part.text : part.against_text);
  }
  return reading(input, against, text, against_text);
}

ScoreInputs reading_part(const Input& input, const Input* against, const ScorePart& part) {
  return reading(input, against, part.text, part.against_text.empty() ? part.text : part.against_text);
}

/// What a record is, and no more.
Plan plain_plan(const ScorePart& part) {
  Plan plan = tune({.measure = Measure::exact}, {});
  plan.shingle.normalise = part.shingle.normalise;
  return plan;
}

Plan plan_of(const ScorePart& part, double level, const ScoreOptions& options) {
  if (part.how == ScorePart::How::equal) return plain_plan(part);
  const double threshold = std::max(1e-6, std::floor(level * 1e6) / 1e6);
  return tune({.measure = Measure::jaccard, .threshold = threshold, .recall = options.recall},
              {.shingle = part.shingle, .large_bucket = BandPlan::kLargeBucketOfPairs, .seed = options.seed});
}

void require_fields(const Rows& rows) {
  for (const Sources& sources : rows.inputs) {
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (can_annotate(sources.format(i))) continue;
      throw Error(ErrorCode::plan, "score",
                  sources.name(i) + " is read as format " + std::string(name(sources.format(i))) +
                      ", whose records have no fields; use jsonl, csv or tsv");
    }
  }
}

// Columns of tables are there, or the run has ended.
void require_values(const Rows& rows, std::size_t side, const std::string& field) {
  const Sources& sources = rows.inputs[side];
  const Row begin = side == 0 ? 0 : rows.input_rows(), end = side == 0 ? rows.input_rows() : static_cast<Row>(rows.size());
  const Column<std::uint8_t> empty = rows.empty();
  if (begin == end || std::find(empty.values().begin() + begin, empty.values().begin() + end, 0) != empty.values().begin() + end) return;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources.format(i) != Format::jsonl) return;
  }
  throw Error(ErrorCode::data, "score",
              "no record of " + sources.name(0) + " has anything in " + in_quotes(field) + "; name a field that the records have");
}

void require_values(const Rows& rows, const ScorePart& part) {
  require_values(rows, 0, part.text);
  if (rows.across()) require_values(rows, 1, part.against_text.empty() ? part.text : part.against_text);
}

/// Of each of `from` the row of the same record among `to`; kNoRow where it is not there. Both are in the order of the input.
std::vector<Row> same_records(const Rows& from, const Rows& to) {
  std::vector<Row> result(from.size(), kNoRow);
  RowReader here(from), there(to);
  const auto place = [](const Rows& rows, RowReader& reader, Row row) {
    const Location location = reader.location(row);
    return std::tuple(row >= rows.input_rows(), location.source, location.offset, location.line);
  };
  Row other = 0;
  for (Row row = 0; row < from.size(); ++row) {
    const auto wanted = place(from, here, row);
    while (other < to.size() && place(to, there, other) < wanted) ++other;
    if (other < to.size() && place(to, there, other) == wanted) result[row] = other;
  }
  return result;
}

/// Pairs of records with the same content, between the two inputs where there are two.
double equal_pairs(const Rows& rows) {
  std::vector<std::pair<Hash128, bool>> contents;
  RowReader reader(rows);
  const Column<std::uint8_t> empty = rows.empty();
  for (Row row = 0; row < rows.size(); ++row) {
    if (empty[row] == 0) contents.emplace_back(reader.content(row), row >= rows.input_rows());
  }
  std::sort(contents.begin(), contents.end());
  double pairs = 0;
  for (std::size_t i = 0; i < contents.size();) {
    std::size_t end = i;
    double of_other = 0;
    for (; end < contents.size() && contents[end].first == contents[i].first; ++end) of_other += contents[end].second;
    const auto all = static_cast<double>(end - i);
    pairs += rows.across() ? of_other * (all - of_other) : all * (all - 1) / 2;
    i = end;
  }
  return pairs;
}

/// A score under way. The parts take turns: each has the memory of the run to itself.
class ScoreRun {
 public:
  ScoreRun(const Input& input, const Input* against, const Score& score, const ScoreOptions& options, const RunOptions& run)
      : input_(input), against_(against), score_(score), options_(options), run_(run) {
    run_.report = nullptr;
    run_.audit = 0;
  }

  ScoredSearch search() {
    StageClock clock;
    const Plan plain = plain_plan({});
    const Stage stage(plain, run_);
    const ScoreInputs all = reading_all(input_, against_, score_);
    Rows rows = collect_for_run(all.input, all.other(), stage, {});
    require_fields(rows);
    choose_parts(rows);
    contents_.assign(rows.size(), 0);
    rows.stats.seconds = {{"read", clock.lap()}};
    for (SearchedPart& searched : searched_) find_by(searched, rows);
    std::sort(pairs_.begin(), pairs_.end());
    pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
    rows.stats.candidates = pairs_.size();
    rows.stats.seconds.emplace_back("search", clock.lap());
    values_.resize(pairs_.size() * score_.parts.size());
    for (std::size_t part = 0; part < score_.parts.size(); ++part) compare(part, rows);
    ScoredSearch result{.rows = std::move(rows), .matches = {}, .values = {}, .searched = searched_};
    keep_scored(result);
    result.rows.stats.recall = recall_of(result);
    result.rows.stats.seconds.emplace_back("score", clock.lap());
    return result;
  }

 private:
  void choose_parts(const Rows& rows) {
    std::vector<double> equal;
    for (const ScorePart& part : score_.parts) {
      const Plan plan = plain_plan(part);
      const Stage stage(plan, run_);
      const ScoreInputs inputs = reading_part(input_, against_, part);
      Rows own = collect_for_run(inputs.input, inputs.other(), stage, {});
      require_values(own, part);
      equal.push_back(equal_pairs(own));
      remove_files(own);
    }
    const std::vector<std::size_t> parts = parts_to_search(score_, options_.threshold, static_cast<double>(rows.size()), equal);
    for (const std::size_t part : parts) searched_.push_back({.part = part, .level = level_of(score_, parts, options_.threshold)});
  }

  void require_listable(std::uint64_t pairs, const ScorePart& part) const {
    if (pairs_.size() + pairs <= run_.max_pairs) return;
    throw Error(ErrorCode::plan, "max_pairs",
                std::to_string(pairs) + " pairs are alike in " + in_quotes(part.text) + " and would have to be looked at, the limit is " +
                    std::to_string(run_.max_pairs) + "; raise the threshold, give another field more weight, or raise the limit");
  }

  void require_room(std::uint64_t pairs, std::uint64_t memory) const {
    const std::uint64_t of_pair = 2 * (sizeof(Match) + sizeof(double) * score_.parts.size()), needed = (pairs_.size() + pairs) * of_pair;
    if (needed <= memory / 2) return;
    throw Error(ErrorCode::plan, "memory",
                std::to_string(pairs_.size() + pairs) + " pairs have to be compared, for which " + std::to_string(memory >> 20) +
                    " MiB are too little; raise the threshold, give a field whose values repeat less more weight, or allow more memory");
  }

  // What the searches know of a record: those that agree in it are found or missed together.
  void note_contents(const Rows& own, std::span<const Row> common) {
    RowReader reader(own);
    for (Row row = 0; row < own.size(); ++row) {
      if (common[row] == kNoRow) continue;
      std::uint64_t& known = contents_[common[row]];
      known = mix64(known + mix64(reader.content(row).low));
    }
  }

  void find_by(SearchedPart& searched, const Rows& rows) {
    const ScorePart& part = score_.parts[searched.part];
    const Plan plan = plan_of(part, searched.level, options_);
    searched.plan = to_string(plan);
    const Stage stage(plan, run_);
    const ScoreInputs inputs = reading_part(input_, against_, part);
    Rows own = collect_for_run(inputs.input, inputs.other(), stage, {});
    const SearchResult found = nearkin::search(own, stage, {});
    const std::uint64_t count = count_pairs(found, own.across(), plan.measure).all;
    require_listable(count, part);
    require_room(count, stage.memory);
    const std::vector<Row> common = same_records(own, rows);
    note_contents(own, common);
    for_each_pair(own, stage, found, count, [&](const Match& match) {
      const Row a = common[match.a], b = common[match.b];
      if (a == kNoRow || b == kNoRow) return;
      pairs_.push_back(std::uint64_t{a} << 32 | b);
      ++searched.pairs;
    });
    remove_files(own);
  }

  // The value of one part for every pair.
  void compare(std::size_t part, const Rows& rows) {
    const ScorePart& what = score_.parts[part];
    const Plan plan = plain_plan(what);
    const Stage stage(plan, run_);
    const ScoreInputs inputs = reading_part(input_, against_, what);
    Rows own = collect_for_run(inputs.input, inputs.other(), stage, {});
    const std::vector<Row> place = same_records(rows, own);
    if (what.how == ScorePart::How::equal) {
      compare_contents(part, own, place);
    } else {
      for (std::size_t begin = 0; begin < pairs_.size();) begin = compare_sets(part, own, place, begin, stage);
    }
    remove_files(own);
  }

  double& value(std::size_t pair, std::size_t part) { return values_[pair * score_.parts.size() + part]; }

  void compare_contents(std::size_t part, const Rows& own, std::span<const Row> place) {
    RowReader first(own), second(own);
    const Column<std::uint8_t> empty = own.empty();
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const Row a = place[pairs_[i] >> 32], b = place[static_cast<Row>(pairs_[i])];
      if (a == kNoRow || b == kNoRow || empty[a] != 0 || empty[b] != 0) continue;
      value(i, part) = first.content(a) == second.content(b) ? 1 : 0;
    }
  }

  // As many pairs from `begin` on as the shingles of their records fit in memory; returns the end of these.
  std::size_t compare_sets(std::size_t part, const Rows& own, std::span<const Row> place, std::size_t begin, const Stage& stage) {
    const Column<std::uint64_t> sizes = own.text_sizes();
    const std::uint64_t most = std::max<std::uint64_t>(1 << 20, stage.memory / 4);
    std::vector<std::uint32_t> at(own.size(), 0);
    std::vector<Row> wanted;
    std::uint64_t held = 0;
    const auto want = [&](Row row) {
      if (row == kNoRow || std::exchange(at[row], 1) != 0) return;
      wanted.push_back(row);
      held += sizeof(std::uint64_t) * (sizes[row] + 1);  // a shingle begins at each byte at most
    };
    std::size_t end = begin;
    for (; end < pairs_.size() && (end == begin || held < most); ++end) {
      want(place[pairs_[end] >> 32]);
      want(place[static_cast<Row>(pairs_[end])]);
    }
    std::sort(wanted.begin(), wanted.end());
    for (std::size_t i = 0; i < wanted.size(); ++i) at[wanted[i]] = static_cast<std::uint32_t>(i);
    const FeatureBlocks features = load_features(own, wanted, score_.parts[part].shingle, stage.threads);
    parallel_for(end - begin, 1024, stage.threads, [&](std::size_t from, std::size_t to, unsigned) {
      for (std::size_t i = begin + from; i < begin + to; ++i) {
        const Row a = place[pairs_[i] >> 32], b = place[static_cast<Row>(pairs_[i])];
        if (a == kNoRow || b == kNoRow) continue;
        const Match match = exact_match(0, 1, features.items[at[a]], features.items[at[b]]);
        value(i, part) = match.total == 0 ? 0 : match.similarity();
      }
    });
    return end;
  }

  void keep_scored(ScoredSearch& result) const {
    const std::size_t parts = score_.parts.size();
    const Ratio threshold = ratio(options_.threshold);
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const std::span<const double> values = std::span(values_).subspan(i * parts, parts);
      const std::uint32_t units = score_units(score_, values);
      if (units * threshold.denominator < threshold.numerator * kScoreUnits) continue;
      result.matches.push_back({static_cast<Row>(pairs_[i] >> 32), static_cast<Row>(pairs_[i]), units, kScoreUnits});
      result.values.insert(result.values.end(), values.begin(), values.end());
    }
  }

  // A pair is found where one of the searches finds it.
  std::optional<Recall> recall_of(const ScoredSearch& result) const {
    const bool certain = std::all_of(searched_.begin(), searched_.end(), [&](const SearchedPart& searched) {
      return score_.parts[searched.part].how == ScorePart::How::equal;
    });
    if (options_.recall >= 1 || certain) return Recall{};
    const std::vector<ContentPair> different = different_pairs(result);
    if (different.empty()) return std::nullopt;
    Matches distinct;
    for (const ContentPair& pair : different) distinct.push_back({pair.a, pair.b, 0, 1});
    const std::vector<std::uint32_t> groups = groups_of(distinct);
    std::vector<FoundPairs> found;
    for (std::size_t i = 0; i < different.size(); ++i)
      found.push_back({.probability = different[i].probability, .count = different[i].count, .group = groups[i]});
    return estimate_recall(found, {.at_threshold = options_.recall});
  }

  // Two contents that some of the matches are between.
  struct ContentPair {
    Row a, b;  // numbers of contents
    double probability, count;
  };

  // Those that may be missed, each once.
  std::vector<ContentPair> different_pairs(const ScoredSearch& result) const {
    std::vector<Plan> plans;
    for (const SearchedPart& searched : searched_) plans.push_back(plan_of(score_.parts[searched.part], searched.level, options_));
    std::vector<std::uint64_t> contents = contents_;
    std::sort(contents.begin(), contents.end());
    contents.erase(std::unique(contents.begin(), contents.end()), contents.end());
    const auto number = [&](Row row) {
      return static_cast<Row>(std::lower_bound(contents.begin(), contents.end(), contents_[row]) - contents.begin());
    };
    std::map<std::pair<Row, Row>, ContentPair> pairs;
    for (std::size_t i = 0; i < result.matches.size(); ++i) {
      const std::pair<Row, Row> key = std::minmax(number(result.matches[i].a), number(result.matches[i].b));
      const double chance = chance_of(std::span(result.values).subspan(i * score_.parts.size(), score_.parts.size()), plans);
      if (chance < 1) pairs.try_emplace(key, ContentPair{key.first, key.second, std::max(chance, 1e-6), 0}).first->second.count += 1;
    }
    std::vector<ContentPair> all;
    for (const auto& [key, pair] : pairs) all.push_back(pair);
    return all;
  }

  // That one of the searches finds a pair with these values.
  double chance_of(std::span<const double> values, std::span<const Plan> plans) const {
    double missed = 1;
    for (std::size_t k = 0; k < plans.size(); ++k) {
      const double value = values[searched_[k].part];
      const bool equal = score_.parts[searched_[k].part].how == ScorePart::How::equal;
      if (value >= searched_[k].level) missed *= equal ? 0 : 1 - found_probability(plans[k], value);
    }
    return 1 - missed;
  }

  const Input& input_;
  const Input* against_;
  const Score& score_;
  const ScoreOptions& options_;
  RunOptions run_;
  std::vector<SearchedPart> searched_;
  std::vector<std::uint64_t> contents_;  // of each row: a hash of what is in the fields that were searched
  std::vector<std::uint64_t> pairs_;     // of rows by all fields, ascending
  std::vector<double> values_;           // of each pair: one for each part
};

}  // namespace

ScoredSearch search_by_score(const Input& input, const Score& score, const ScoreOptions& options, const RunOptions& run,
                             const Input* against) {
  require_score(score, options);
  require_rereadable(input);
  if (against != nullptr) require_rereadable(*against);
  if (run.scratch || run.resume)
    throw Error(ErrorCode::plan, run.scratch ? "scratch" : "resume",
                "a search by score is several runs, which cannot be resumed; leave it out");
  return ScoreRun(input, against, score, options, run).search();
}

}  // namespace nearkin

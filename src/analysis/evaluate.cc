#include "analysis/evaluate.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include <nearkin/error.h>
#include <nearkin/tools/evaluate.h>

#include "analysis/sample_rows.h"
#include "base/advance.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "collect/collect.h"
#include "query/meter.h"
#include "query/points.h"

namespace nearkin {
namespace {

constexpr std::size_t kBlock = 8;  // queries that one thread asks in a row

// What is asked, of every plan alike.
struct Questions {
  const Points* points = nullptr;
  std::vector<Row> rows;
  bool of_collection = false;  // each is an item itself, and no answer to itself
};

struct Asked {
  std::vector<Answer> answers;  // in the order of the questions
  double seconds = 0;           // a query
};

double seconds_now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

Asked ask_all(const Tables& tables, const Questions& questions, const Ask& common, unsigned threads, Advance* advance = nullptr) {
  Asked asked{.answers = std::vector<Answer>(questions.rows.size())};
  std::vector<std::optional<Searcher>> searchers(threads);
  std::vector<double> seconds(threads);
  expect(advance, questions.rows.size());
  parallel_for(questions.rows.size(), kBlock, threads, [&](std::size_t begin, std::size_t end, unsigned worker) {
    if (!searchers[worker]) searchers[worker].emplace(tables);
    const double started = seconds_now();
    for (std::size_t i = begin; i < end; ++i) {
      Ask ask = common;
      if (questions.of_collection) ask.except = questions.rows[i];
      asked.answers[i] = searchers[worker]->find(*questions.points, questions.rows[i], ask);
    }
    seconds[worker] += seconds_now() - started;
    add(advance, worker, end - begin);
  });
  for (const double part : seconds) asked.seconds += part;
  asked.seconds /= static_cast<double>(std::max<std::size_t>(1, questions.rows.size()));
  return asked;
}

Plan exact_version(const Plan& plan) {
  Plan exact = plan;
  exact.sketch.hashes = 0;
  exact.band = {};
  exact.verify = Verify::exact;
  return exact;
}

// How many nearest are asked for; 0 for plans with a threshold or radius.
std::uint32_t nearest_of(const Plan& plan, const EvaluateOptions& options) {
  return options.limit == 0 ? plan.nearest : std::min(plan.nearest, options.limit);
}

void require_one_truth(const std::vector<EvaluationPoint>& points, const EvaluateOptions& options) {
  if (points.empty()) throw Error(ErrorCode::plan, "evaluate", "there is no plan to evaluate; give at least one");
  const Plan& first = points.front().plan;
  const auto same = [&](const Plan& plan) {
    return plan.measure == first.measure && plan.kind == first.kind && plan.shingle == first.shingle && plan.binarise == first.binarise &&
           plan.levels == first.levels && plan.tfidf == first.tfidf && nearest_of(plan, options) == nearest_of(first, options) &&
           (first.nearest != 0 || (plan.threshold == first.threshold && plan.radius == first.radius));
  };
  for (const EvaluationPoint& point : points) {
    if (same(point.plan)) continue;
    throw Error(ErrorCode::plan, "evaluate",
                "'" + to_string(point.plan) + "' has another goal than '" + to_string(first) +
                    "'; the plans of a sweep must agree in measure, threshold or radius, and shingles");
  }
}

double distance_of(const Match& match, Measure measure) {
  const double value = measured(match, measure);
  return is_distance(measure) ? value : 1 - value;
}

// Sums over the queries of one point.
struct Tally {
  std::uint64_t truths = 0, answers = 0, true_answers = 0, found = 0;
  std::uint64_t looked_at = 0, stopped = 0, none = 0, ratios = 0;
  double ratio_sum = 0;

  void add(const Matches& truth, const Answer& answer, std::uint32_t nearest, Measure measure);
  Evaluation result(const EvaluationPoint& point, std::size_t queries) const;
};

// Inside a border what is true is a set of rows; of the nearest, any that is as near as the last of them.
std::uint64_t count_true(const Matches& truth, const Matches& hits, std::uint32_t nearest, Measure measure) {
  if (truth.empty()) return 0;
  if (nearest != 0) {
    const double last = distance_of(truth.back(), measure);
    const auto as_near = [&](const Match& hit) { return distance_of(hit, measure) <= last; };
    return static_cast<std::uint64_t>(std::count_if(hits.begin(), hits.end(), as_near));
  }
  std::vector<Row> rows;
  for (const Match& match : truth) rows.push_back(match.b);
  std::sort(rows.begin(), rows.end());
  return static_cast<std::uint64_t>(
      std::count_if(hits.begin(), hits.end(), [&](const Match& hit) { return std::binary_search(rows.begin(), rows.end(), hit.b); }));
}

void Tally::add(const Matches& truth, const Answer& answer, std::uint32_t nearest, Measure measure) {
  const std::uint64_t right = count_true(truth, answer.hits, nearest, measure);
  truths += truth.size();
  answers += answer.hits.size();
  true_answers += right;
  found += std::min<std::uint64_t>(right, truth.size());
  looked_at += answer.looked_at;
  stopped += answer.stopped_early;
  none += !truth.empty() && answer.hits.empty();
  if (truth.empty() || answer.hits.empty()) return;
  const double least = distance_of(truth.front(), measure);
  if (!(least > 0)) return;
  double best = distance_of(answer.hits.front(), measure);
  for (const Match& hit : answer.hits) best = std::min(best, distance_of(hit, measure));
  ratio_sum += best / least;
  ++ratios;
}

std::optional<double> share(double part, std::uint64_t whole) {
  return whole == 0 ? std::nullopt : std::optional(part / static_cast<double>(whole));
}

Evaluation Tally::result(const EvaluationPoint& point, std::size_t queries) const {
  Evaluation row{.plan = point.plan, .max_candidates = point.max_candidates};
  row.recall = share(static_cast<double>(found), truths);
  row.precision = share(static_cast<double>(true_answers), answers);
  row.error = share(ratio_sum, ratios);
  row.search_length = share(static_cast<double>(looked_at), queries).value_or(0);
  row.no_answer = share(static_cast<double>(none), queries).value_or(0);
  row.stopped_early = share(static_cast<double>(stopped), queries).value_or(0);
  return row;
}

// Answers that were not verified have no values: those of the items they name.
void measure_hits(std::vector<Answer>& answers, const Points& collection, const Questions& questions, const Plan& plan) {
  Norms norms;
  if (const auto* vectors = std::get_if<Vectors>(&collection)) norms = norms_of(*vectors, plan.measure);
  const HeldItems items{.points = &collection, .norms = &norms, .by_row = true};
  Meter meter;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (answers[i].hits.empty()) continue;
    meter.aim(*questions.points, questions.rows[i], items, plan);
    for (Match& hit : answers[i].hits) hit = meter.match(hit.b);
  }
}

Questions questions_of(const Points& collection, const Points* queries, const EvaluateOptions& options, std::uint64_t seed) {
  Questions questions{.points = queries != nullptr ? queries : &collection, .rows = {}, .of_collection = queries == nullptr};
  questions.rows = sample_rows(size_of(*questions.points), options.queries, seed);
  return questions;
}

// The tables of a point serve the points behind it that differ only in how many candidates are allowed.
class TablesOfSweep {
 public:
  TablesOfSweep(std::shared_ptr<const Points> collection, unsigned threads) : collection_(std::move(collection)), threads_(threads) {}
  const Tables& at(const Plan& plan) {
    if (tables_ && tables_->plan() == plan) return *tables_;
    tables_.reset();  // before the next are built: two need not fit into memory
    const double started = seconds_now();
    tables_.emplace(collection_, plan, threads_);
    seconds_ = seconds_now() - started;
    return *tables_;
  }
  double seconds() const { return seconds_; }

 private:
  std::shared_ptr<const Points> collection_;
  unsigned threads_;
  std::optional<Tables> tables_;
  double seconds_ = 0;
};

}  // namespace

EvaluationResult evaluate_points(std::shared_ptr<const Points> collection, const Points* queries,
                                 const std::vector<EvaluationPoint>& points, const EvaluateOptions& options, const RunOptions& run) {
  require_one_truth(points, options);
  const unsigned threads = thread_count(run.threads);
  const Plan& first = points.front().plan;
  const std::uint32_t nearest = nearest_of(first, options);
  const Questions questions = questions_of(*collection, queries, options, first.sketch.seed);
  EvaluationResult result{.rows = {}, .items = size_of(*collection), .queries = questions.rows.size(), .stats = {}};
  if (run.progress) run.progress("exact answers", 0, 0);
  TablesOfSweep sweep(collection, threads);
  Advance advance([&run](std::uint64_t done, std::uint64_t total) {
    if (run.progress) run.progress("exact answers", done, total);
  });
  const Asked truth = ask_all(sweep.at(exact_version(first)), questions, {.limit = nearest}, threads, &advance);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (run.progress) run.progress("evaluate", i, points.size());
    const Tables& tables = sweep.at(points[i].plan);
    Asked asked = ask_all(tables, questions, {.limit = nearest, .max_candidates = points[i].max_candidates}, threads);
    if (points[i].plan.verify != Verify::exact) measure_hits(asked.answers, *collection, questions, points[i].plan);
    Tally tally;
    for (std::size_t q = 0; q < questions.rows.size(); ++q) tally.add(truth.answers[q].hits, asked.answers[q], nearest, first.measure);
    Evaluation row = tally.result(points[i], questions.rows.size());
    row.build_seconds = sweep.seconds();
    row.query_seconds = asked.seconds;
    row.exact_seconds = truth.seconds;
    result.rows.push_back(std::move(row));
  }
  return result;
}

EvaluationResult evaluate(const Input& input, const std::optional<Input>& queries, const std::vector<EvaluationPoint>& points,
                          const EvaluateOptions& options, const RunOptions& run) {
  require_one_truth(points, options);
  const Plan& plan = points.front().plan;
  if (plan.measure == Measure::exact) throw Error(ErrorCode::plan, "measure", "exact finds equal texts, not neighbours; use jaccard");
  LoadedPoints loaded = load_points(input, plan, run);
  std::optional<LoadedPoints> asked;
  if (queries) asked = load_points(*queries, plan, run, &loaded);
  const auto collection = std::make_shared<const Points>(std::move(loaded.points));
  EvaluationResult result = evaluate_points(collection, asked ? &asked->points : nullptr, points, options, run);
  result.stats = std::move(loaded.stats);
  if (asked) merge_faults(result.stats.faults, asked->stats.faults);
  return result;
}

}  // namespace nearkin

#include <algorithm>

#include <nearkin/error.h>
#include <nearkin/query.h>
#include <nearkin/tools/lists.h>

#include "base/advance.h"
#include "base/parallel.h"
#include "collect/stage_clock.h"
#include "io/bytes/output.h"
#include "io/formats/result_rows.h"
#include "query/points.h"
#include "theory/plan_check.h"

namespace nearkin {
namespace {

void ask_all(const Tables& tables, const LoadedPoints& asked, const Ask& ask, unsigned threads, std::vector<Answer>& answers,
             Advance& advance) {
  std::vector<std::unique_ptr<Searcher>> searchers(threads);
  advance.expect(answers.size());
  parallel_for(answers.size(), 16, threads, [&](std::size_t begin, std::size_t end, unsigned worker) {
    if (!searchers[worker]) searchers[worker] = std::make_unique<Searcher>(tables);
    for (std::size_t i = begin; i < end; ++i) answers[i] = searchers[worker]->find(asked.points, static_cast<Row>(i), ask);
    advance.add(worker, end - begin);
  });
}

void require_named(const QueryResult& result, const Match& hit) {
  if (hit.b < result.ids.size() && hit.a < std::min(result.query_ids.size(), result.stopped_early.size())) return;
  throw Error(ErrorCode::plan, "hits",
              "query " + std::to_string(hit.a) + " and item " + std::to_string(hit.b) + " are not among " +
                  std::to_string(result.query_ids.size()) + " queries and " + std::to_string(result.ids.size()) + " items");
}

}  // namespace

QueryResult query(const Input& collection, const Input& queries, const Plan& plan, const Ask& ask, const RunOptions& run) {
  if (plan.measure == Measure::exact)
    throw Error(ErrorCode::plan, "measure", "exact finds equal texts, not neighbours; use 'pairs' with against");
  require_plan(plan);
  const unsigned threads = thread_count(run.threads);
  QueryResult result{.ids = {},
                     .query_ids = {},
                     .hits = {},
                     .stopped_early = {},
                     .looked_at = {},
                     .measure = plan.measure,
                     .verify = plan.verify,
                     .stats = {},
                     .query_stats = {}};
  LoadedPoints loaded = load_points(collection, plan, run);
  LoadedPoints asked = load_points(queries, plan, run, &loaded);
  StageClock clock;
  if (run.progress) run.progress("build tables", 0, 0);
  const Tables tables(std::move(loaded.points), plan, threads);
  result.stats = std::move(loaded.stats);
  result.stats.seconds.emplace_back("build tables", clock.lap());
  if (run.progress) run.progress("query", 0, 0);
  std::vector<Answer> answers(asked.ids.size());
  Advance advance([&run](std::uint64_t done, std::uint64_t total) {
    if (run.progress) run.progress("query", done, total);
  });
  ask_all(tables, asked, ask, threads, answers, advance);
  for (const Answer& answer : answers) {
    result.hits.insert(result.hits.end(), answer.hits.begin(), answer.hits.end());
    result.stopped_early.push_back(answer.stopped_early);
    result.looked_at.push_back(answer.looked_at);
    result.stats.candidates += answer.looked_at;
  }
  result.stats.pairs = result.hits.size();
  result.stats.seconds.emplace_back("query", clock.lap());
  result.stats.peak_bytes = peak_memory();
  result.ids = std::move(loaded.ids);
  result.query_ids = std::move(asked.ids);
  result.query_stats = std::move(asked.stats);
  return result;
}

void write_hits(const QueryResult& result, const std::string& path, RowStyle style) {
  OutputFile file(path);
  std::string text;
  const Shown shown{result.verify, result.measure};
  for (const Match& hit : result.hits) {
    require_named(result, hit);
    append_hit(text, {result.query_ids[hit.a], result.ids[hit.b], {}, result.stopped_early[hit.a] != 0}, hit, shown, style);
    if (text.size() < (1 << 16)) continue;
    file.write(text);
    text.clear();
  }
  file.write(text);
  file.commit();
}

}  // namespace nearkin

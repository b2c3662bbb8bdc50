// Runs that ask an index with every record of an input.
#include <algorithm>

#include <nearkin/error.h>
#include <nearkin/index.h>
#include <nearkin/tools/lists.h>

#include "base/parallel.h"
#include "collect/id_table.h"
#include "collect/prepare_vectors.h"
#include "index/meta.h"
#include "index/reading.h"
#include "index/state.h"
#include "io/bytes/output.h"
#include "io/formats/result_rows.h"
#include "query/points.h"

namespace nearkin {
namespace {

// The rows of some queries, and what there is to say about them.
struct Asked {
  std::string rows;
  HitsListed counts;
  void take(std::string_view query, const IndexAnswer& answer, const Plan& plan, RowStyle style) {
    const Shown shown{plan.verify, plan.measure};
    for (const Hit& hit : answer.hits) append_hit(rows, {query, hit.id, hit.metadata, answer.stopped_early}, hit.match, shown, style);
    ++counts.queries;
    counts.with_hits += !answer.hits.empty();
    counts.hits += answer.hits.size();
    counts.looked_at += answer.looked_at;
    counts.stopped_early += answer.stopped_early;
  }
  void add_to(HitsListed& all) const {
    all.queries += counts.queries;
    all.with_hits += counts.with_hits;
    all.hits += counts.hits;
    all.looked_at += counts.looked_at;
    all.stopped_early += counts.stopped_early;
  }
};

// The ids of the queries so far: as in every run, a record whose id was used before is refused or gets another.
class QueryIds {
 public:
  QueryIds(const Input& queries, const Sources& sources) : queries_(queries), sources_(sources) {}

  /// What the next query is called; empty if it is refused, which `stats` then tell. Throws Error(data) instead if the input is strict.
  std::string name(std::string_view id, const Location& location, RunStats& stats) {
    const Row row = static_cast<Row>(ids_.size());
    const auto id_of = [this](Row other) { return ids_[other]; };
    const std::optional<Row> earlier = table_.insert(id, IdTable::hash(id), row, id_of);
    std::string name(id);
    if (earlier && !queries_.rename_same_ids) {
      refuse(id, location, locations_[*earlier], stats);
      return {};
    }
    if (earlier) {
      std::uint64_t number = row;
      do name = std::string(id) + "@" + std::to_string(number++);
      while (table_.insert(name, IdTable::hash(name), row, id_of));
    }
    ids_.add(name);
    locations_.push_back(location);
    return name;
  }

 private:
  void refuse(std::string_view id, const Location& location, const Location& earlier, RunStats& stats) const {
    const auto place = [this](const Location& at) { return sources_.name(at.source) + ":" + std::to_string(at.line); };
    const std::string message = "id \"" + std::string(id) + "\" was used before, at " + place(earlier);
    if (queries_.strict || queries_.memory) throw Error(ErrorCode::data, place(location), message);
    merge_faults(stats.faults, {.first = {{place(location), message + "; record skipped"}}, .count = 1});
  }

  const Input& queries_;
  const Sources& sources_;
  IdTable table_;
  Strings ids_;
  std::vector<Location> locations_;
};

// A view of the index is held for some queries that were read, and given up before their answers are written: while a reader holds one,
// no page that was in use then can be used again, and the file grows with every write.

// Each takes a reader's place in the index, of which there are about a thousand for all processes.
unsigned asking_threads(const RunOptions& run) { return std::min(thread_count(run.threads), 128u); }

void ask_with_sets(const Index::State& state, const Input& queries, const Ask& ask, const RunOptions& run, RowStyle style, OutputFile& file,
                   HitsListed& result) {
  require_counting(queries, state.plan);
  Input reading = in_direction_of(state, queries);
  reading.all_answers = state.plan.measure == Measure::hamming;
  Sources sources(reading, false);
  struct AskedBatch : ReadBatch {
    std::vector<Asked> asked;  // of each query
  };
  Questions questions = questions_of(state);
  Reading reading_all = reading_for(sources, state.plan, run, result.stats, questions);
  reading_all.threads = asking_threads(run);
  reading_all.stage = "query";
  QueryIds ids(queries, sources);
  const auto answer = [&](Lease& lease, std::string_view text) {
    Finder& finder = lease.finder();
    return finder.find(lease.transaction(), finder.preparer().points_of(text), ask);
  };
  for_each_batch(
      sources, reading_all, [](unsigned) { return AskedBatch(); },
      [&](AskedBatch& batch) {
        const Items& items = batch.batch.items;
        Lease lease(state);
        batch.asked.assign(items.size(), {});
        for (Row i = 0; i < items.size(); ++i) batch.asked[i].take(items.id(i), answer(lease, items.text(i)), state.plan, style);
      },
      [&](const AskedBatch& batch) {
        const Items& items = batch.batch.items;
        for (Row i = 0; i < items.size(); ++i) {
          const std::string name = ids.name(items.id(i), batch.batch.locations[i], result.stats);
          if (name.empty() && !items.id(i).empty()) continue;
          Asked renamed;
          if (name != items.id(i)) {
            Lease lease(state);
            renamed.take(name, answer(lease, items.text(i)), state.plan, style);
          }
          const Asked& asked = name != items.id(i) ? renamed : batch.asked[i];
          file.write(asked.rows);
          asked.add_to(result);
        }
      });
}

void ask_with_vectors(const Index::State& state, const Input& queries, const Ask& ask, const RunOptions& run, RowStyle style,
                      OutputFile& file, HitsListed& result) {
  LoadedPoints loaded = load_points(queries, state.plan, run);
  result.stats = std::move(loaded.stats);
  const Vectors& vectors = std::get<Vectors>(loaded.points);
  std::vector<Asked> asked(vectors.size());
  parallel_for(vectors.size(), 16, asking_threads(run), [&](std::size_t begin, std::size_t end, unsigned) {
    Lease lease(state);
    require_vectors_like(lease.transaction(), vectors);
    for (std::size_t i = begin; i < end; ++i) {
      asked[i].take(loaded.ids[i], lease.finder().find(lease.transaction(), one_of(vectors, i), ask), state.plan, style);
    }
  });
  for (const Asked& one : asked) {
    file.write(one.rows);
    one.add_to(result);
  }
}

void note_run(StageClock& clock, HitsListed& result) {
  result.stats.candidates = result.looked_at;
  result.stats.pairs = result.hits;
  result.stats.seconds.emplace_back("query", clock.lap());
  result.stats.peak_bytes = peak_memory();
}

}  // namespace

HitsListed query_index(const Index& index, const Input& queries, const std::string& path, RowStyle style, const Ask& ask,
                       const RunOptions& run) {
  const Index::State& state = IndexRuns::state(index);
  StageClock clock;
  HitsListed result;
  OutputFile file(path);
  if (state.plan.kind == Kind::shingles) {
    ask_with_sets(state, queries, ask, run, style, file, result);
  } else {
    ask_with_vectors(state, queries, ask, run, style, file, result);
  }
  note_run(clock, result);
  if (run.before_output) run.before_output();
  file.commit();
  return result;
}

HitsListed query_index_like(const Index& index, std::span<const std::string> ids, const std::string& path, RowStyle style, const Ask& ask) {
  StageClock clock;
  HitsListed result;
  OutputFile file(path);
  for (const std::string& id : ids) {
    const std::optional<IndexAnswer> answer = index.neighbours(id, ask);
    if (!answer) throw Error(ErrorCode::plan, "like", "there is no item \"" + id + "\" in " + index.folder());
    Asked asked;
    asked.take(id, *answer, index.plan(), style);
    file.write(asked.rows);
    asked.add_to(result);
  }
  note_run(clock, result);
  file.commit();
  return result;
}

}  // namespace nearkin

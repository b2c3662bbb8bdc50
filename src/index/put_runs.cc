// Whole runs over an index: from the records of an input to what becomes of them.

#include <nearkin/error.h>
#include <nearkin/index.h>
#include <nearkin/tools/front_end.h>
#include <nearkin/tools/names.h>

#include "index/meta.h"
#include "index/new_index.h"
#include "index/reading.h"
#include "index/state.h"

namespace nearkin {
namespace {

constexpr std::uint64_t kItemsAStep = 65'536;                   // on the disk together
constexpr std::uint64_t kBytesAStep = std::uint64_t{64} << 20;  // of records, about

// What becomes of the records of a chunk.
struct Part : ReadBatch {
  explicit Part(const Plan& plan) : preparer(plan) {}
  Preparer preparer;
  Prepared items;
};

void prepare_part(Part& part, bool keep_texts, bool in_units) {
  part.items.clear();
  const std::vector<Location>& places = part.batch.locations;
  for (Row i = 0; i < part.batch.items.size(); ++i) {
    const std::string_view metadata = part.batch.metadata.size() == 0 ? std::string_view() : part.batch.metadata[i];
    part.preparer.add(part.items, part.batch.items.id(i), part.batch.items.text(i), metadata, keep_texts);
    if (in_units && (i + 1 == part.batch.items.size() || !of_one_record(places[i], places[i + 1])))
      part.items.record_ends.push_back(part.items.size());
  }
}

// Puts parts, one transaction after the other. A transaction begins and ends within one call, because it belongs to one thread.
class Steps {
 public:
  Steps(const Store& store, const Plan& plan, const Questions& questions)
      : store_(store), plan_(plan), questions_(questions), preparer_(plan) {}

  void put(const Prepared& items, const Vectors* vectors = nullptr) {
    pending_.append(items);
    if (pending_.size() < kItemsAStep && pending_.records.bytes() + pending_.texts.bytes() < kBytesAStep) return;
    write(vectors);
  }

  IndexPut finish(const Vectors* vectors = nullptr) {
    write(vectors);
    return put_;
  }

  /// On the disk.
  const IndexPut& done() const { return put_; }

 private:
  void write(const Vectors* vectors) {
    Transaction transaction = store_.write();
    set_questions(transaction, questions_.names);
    const IndexPut done = put_in_one_step(std::move(transaction), plan_, preparer_, pending_, vectors);
    pending_.clear();
    put_.added += done.added;
    put_.replaced += done.replaced;
    put_.outdated += done.outdated;
  }

  const Store& store_;
  const Plan& plan_;
  const Questions& questions_;  // of tables; known before the first row is put
  Preparer preparer_;
  Prepared pending_;
  IndexPut put_;
};

// Vectors are read whole: they are few bytes beside what is made of them.
template <typename Writer>
IndexAdded add_vectors(Writer& writer, const Input& input, const Plan& plan, const RunOptions& run) {
  Rows rows = collect_vectors(input, plan, run);
  const std::vector<std::size_t> usable = usable_vectors(rows, plan, input);
  const Vectors& vectors = rows.arrays.vectors;
  Preparer preparer(plan);
  Prepared items;
  for (const std::size_t i : usable) {
    preparer.add(items, rows.arrays.ids[i], vectors, i, {});
    if (items.size() < 1024 && i != usable.back()) continue;
    writer.put(items, &vectors);
    items.clear();
  }
  return {.put = writer.finish(usable.empty() ? nullptr : &vectors), .stats = std::move(rows.stats)};
}

// `Writer`: Steps or BulkWriter.
template <typename Writer>
IndexAdded add_all(Writer& writer, const Input& input, const Plan& plan, bool keep_texts, const RunOptions& run, Questions& questions) {
  StageClock clock;
  IndexAdded result;
  if (plan.kind == Kind::shingles) {
    Sources sources = sources_for(input, plan);
    for_each_batch(
        sources, reading_for(sources, plan, run, result.stats, questions), [&](unsigned) { return Part(plan); },
        [&](Part& part) {
          drop_bad_ids(sources, input, part);
          prepare_part(part, keep_texts, input.unit.divides());
        },
        [&](const Part& part) {
          for (const std::uint8_t empty : part.items.empty) result.stats.empty += empty;
          writer.put(part.items);
        });
    result.put = writer.finish();
  } else {
    result = add_vectors(writer, input, plan, run);
  }
  result.stats.seconds.emplace_back("put", clock.lap());
  result.stats.peak_bytes = peak_memory();
  return result;
}

// What was done before the error stays done.
[[noreturn]] void fail_behind(const Error& error, std::uint64_t records, const char* what) {
  if (records == 0) throw error;
  throw Error(error.code(), error.subject(),
              error.message() + "; before that " + std::to_string(records) + (records == 1 ? " record was " : " records were ") + what);
}

}  // namespace

IndexAdded create_index(const std::string& folder, const Input& input, const Plan& plan, const IndexOptions& options,
                        const RunOptions& run) {
  require_indexable(plan);
  if (options.texts && plan.kind != Kind::shingles) throw Error(ErrorCode::plan, "texts", "vectors have no texts to keep; leave it out");
  Store store = Store::create(folder);
  {
    Transaction transaction = store.write();
    IndexOptions settled = options;
    if (input.unit.divides()) settled.unit = input.unit;
    if (input.directed != Directed::no) settled.directed = input.directed;
    write_first_tables(transaction, plan, settled, true);
    transaction.commit();
  }
  BulkWriter writer(store, plan);
  Questions questions;
  IndexAdded result = add_all(writer, input, plan, options.texts, run, questions);
  require_usable(result.stats.items, result.stats.faults);
  if (!questions.names.empty()) {
    Transaction transaction = store.write();
    set_questions(transaction, questions.names);
    transaction.commit();
  }
  store.publish();
  return result;
}

IndexAdded add_to_index(Index& index, const Input& input, const RunOptions& run) {
  const Index::State& state = IndexRuns::state(index);
  if (state.access != Index::Access::write) state.write();
  Questions questions = questions_of(state);
  Steps steps(state.store, state.plan, questions);
  try {
    return add_all(steps, as_indexed(state, input), state.plan, state.texts, run, questions);
  } catch (const Error& error) {
    fail_behind(error, steps.done().added + steps.done().replaced, "put into the index, and stay there");
  }
}

static void note_removed(const std::vector<std::string>& ids, const std::vector<bool>& there, IndexRemoved& result) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    (there[i] ? result.removed : result.absent) += 1;
    if (!there[i] && result.first_absent.size() < IndexRemoved::kNamed) result.first_absent.push_back(ids[i]);
  }
}

// Erases the items of these ids in steps, each on the disk when it is done.
static void remove_all(Index& index, Sources& sources, const RunOptions& run, IndexRemoved& result) {
  std::vector<std::string> ids;
  const auto erase = [&] {
    const Index::State& state = IndexRuns::state(index);
    note_removed(ids, erase_in_one_step(state.write(), state.plan, state.unit, ids), result);
    ids.clear();
  };
  Reading reading = reading_of(run, &result.stats);
  reading.threads = 1;
  for_each_batch(sources, reading, [&](const ReadBatch& part) {
    const bool lines = sources.format(part.chunk.source) == Format::lines;
    for (Row i = 0; i < part.batch.items.size(); ++i) ids.emplace_back(lines ? part.batch.items.text(i) : part.batch.items.id(i));
    if (ids.size() >= kItemsAStep) erase();
  });
  erase();
}

IndexRemoved remove_from_index(Index& index, const Input& input, const RunOptions& run) {
  StageClock clock;
  Input reading = input;
  if (!reading.format && format_of(input) == Format::files) reading.format = Format::lines;  // a list of ids, not a text
  Sources sources(reading, false);
  IndexRemoved result;
  try {
    remove_all(index, sources, run, result);
  } catch (const Error& error) {
    fail_behind(error, result.removed, "removed");
  }
  result.stats.seconds.emplace_back("remove", clock.lap());
  result.stats.peak_bytes = peak_memory();
  return result;
}

}  // namespace nearkin

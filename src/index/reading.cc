#include "index/reading.h"

#include <nearkin/error.h>
#include <nearkin/tools/names.h>

#include "collect/collect.h"
#include "index/meta.h"
#include "index/record.h"
#include "index/state.h"
#include "io/formats/records.h"

namespace nearkin {

Input in_direction_of(const Index::State& state, const Input& input) {
  if (state.directed == Directed::no) return input;
  if (input.directed != Directed::no && input.directed != state.directed) {
    throw Error(ErrorCode::plan, "directed",
                std::string(name(input.directed)) + " is not how the index was made, which is " + std::string(name(state.directed)) +
                    "; give the same, or leave it out");
  }
  Input reading = input;
  reading.directed = state.directed;
  return reading;
}

Input as_indexed(const Index::State& state, const Input& input) {
  const Unit& unit = state.unit;
  Unit alike = input.unit;
  alike.least = unit.least;
  if (input.unit.divides() && (alike != unit || (input.unit.least != 0 && input.unit.least != unit.least))) {
    throw Error(ErrorCode::plan, "unit",
                "the items of the index are of unit " + to_string(unit) + "; leave out what differs, or give the same");
  }
  Input reading = in_direction_of(state, input);
  reading.unit = unit;
  return reading;
}

Row end_of_record(const Batch& batch, Row first) {
  Row end = first + 1;
  while (end < batch.items.size() && of_one_record(batch.locations[first], batch.locations[end])) ++end;
  return end;
}

namespace {

RecordSink::Options sink_options(const Sources& sources, std::size_t source, const Input& input) {
  return {.strict = input.strict, .metadata = !input.metadata.empty(), .whole_file = sources.format(source) == Format::files};
}

// The first fault of the ids from `first` to `end`.
std::optional<std::string> fault_of_ids(const Batch& batch, Row first, Row end) {
  std::optional<std::string> wrong;
  for (Row i = first; i < end && !wrong; ++i) wrong = fault_of_id(batch.items.id(i));
  return wrong;
}

// The batch without the records whose ids cannot be put, and with what is wrong with these. If a part of a record cannot, none is.
Batch without_bad_ids(const Sources& sources, std::size_t source, const Input& input, Batch&& batch) {
  Batch usable;
  usable.faults = std::move(batch.faults);
  usable.fault_locations = std::move(batch.fault_locations);
  RecordSink sink(usable, sources.name(source), sink_options(sources, source, input));
  for (Row first = 0, end = 0; first < batch.items.size(); first = end) {
    end = end_of_record(batch, first);
    if (const std::optional<std::string> wrong = fault_of_ids(batch, first, end)) {
      sink.fault(batch.locations[first], "the id " + *wrong);
      continue;
    }
    for (Row i = first; i < end; ++i) {
      sink.item(batch.items.id(i), batch.items.text(i), batch.locations[i], kNoNumber,
                batch.metadata.size() == 0 ? std::string_view() : batch.metadata[i]);
    }
  }
  return usable;
}

}  // namespace

Sources sources_for(const Input& input, const Plan& plan) {
  require_no_scope(input, "an index", "use pairs, cluster or dedup without an index");
  require_counting(input, plan);
  Input reading = input;
  reading.all_answers = plan.measure == Measure::hamming;
  Sources sources(reading, false);
  for (std::size_t i = 0; i < sources.size(); ++i) require_format(plan, sources.format(i), sources.name(i));
  return sources;
}

// Rows of a table are compared answer by answer.
static void require_columns(const Sources& sources, std::size_t source, Questions& known) {
  if (sources.format(source) != Format::table || sources.header(source).empty()) return;
  const std::uint32_t has = sources.columns(source);
  if (known.columns != 0 && has != known.columns) {
    throw Error(ErrorCode::data, sources.name(source),
                "has " + std::to_string(has) + " columns to compare, the rows before have " + std::to_string(known.columns) +
                    "; hamming needs the same columns");
  }
  known.columns = has;
  const std::string names = sources.questions(source);
  if (known.names.empty()) known.names = names;
  require_same_questions(sources.name(source), names, "the table before", known.names);
}

Reading reading_for(const Sources& sources, const Plan& plan, const RunOptions& run, RunStats& stats, Questions& known) {
  Reading reading = reading_of(run, &stats);
  reading.on_source = [&](std::size_t source) {
    require_format(plan, sources.format(source), sources.name(source));
    if (plan.measure == Measure::hamming) require_columns(sources, source, known);
  };
  return reading;
}

Questions questions_of(const Index::State& state) {
  if (state.plan.kind != Kind::shingles || state.plan.measure != Measure::hamming) return {};
  const Transaction transaction = state.store.read();
  std::uint64_t columns = 0;
  for_each_id(transaction, {}, [&](std::string_view, Row row) {
    columns = size_of(record_of(transaction, row)).value_or(0);  // one shingle for each column
    return false;
  });
  return {.columns = static_cast<std::uint32_t>(columns), .names = questions_in(transaction)};
}

void drop_bad_ids(const Sources& sources, const Input& input, ReadBatch& read) {
  for (Row i = 0; i < read.batch.items.size(); ++i) {
    if (!fault_of_id(read.batch.items.id(i))) continue;
    read.batch = without_bad_ids(sources, read.chunk.source, input, std::move(read.batch));
    return;
  }
}

Rows collect_vectors(const Input& input, const Plan& plan, const RunOptions& run) {
  Plan reading = plan;
  reading.sketch.hashes = 0;  // nothing is hashed then
  reading.band = {};
  return collect(input, nullptr, reading, run);
}

std::vector<std::size_t> usable_vectors(Rows& rows, const Plan& plan, const Input& input) {
  const Sources& sources = rows.inputs.front();
  Batch bad;
  std::vector<std::size_t> usable;
  for (std::size_t i = 0; i < rows.arrays.vectors.size(); ++i) {
    const std::optional<std::string> wrong = fault_of_id(rows.arrays.ids[i]);
    if (!wrong) {
      usable.push_back(i);
      continue;
    }
    const Location& location = rows.arrays.locations[i];
    RecordSink(bad, sources.name(location.source), sink_options(sources, location.source, input)).fault(location, "the id " + *wrong);
    --rows.stats.items;
    rows.stats.empty -= is_empty(rows.arrays.vectors, i, plan.measure);
  }
  merge_faults(rows.stats.faults, bad.faults);
  std::vector<Location>& faulty = rows.arrays.fault_locations[0];
  faulty.insert(faulty.end(), bad.fault_locations.begin(), bad.fault_locations.end());
  return usable;
}

}  // namespace nearkin

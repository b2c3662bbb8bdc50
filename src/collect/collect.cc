#include "collect/collect.h"

#include <cmath>
#include <filesystem>
#include <functional>
#include <string>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <fmt/format.h>
#include <nearkin/error.h>
#include <nearkin/tools/forecast.h>
#include <nearkin/tools/names.h>

#include "base/in_quotes.h"
#include "base/parallel.h"
#include "collect/collector.h"
#include "collect/id_table.h"
#include "collect/memory_bound.h"
#include "collect/row_vectors.h"
#include "collect/segment.h"
#include "io/formats/records.h"
#include "theory/plan_check.h"

namespace nearkin {
namespace {

constexpr std::uint64_t kBytesACandidate = 64;  // as a pair, while it is sorted, and as a match

// Rows of a table are compared answer by answer: all tables must ask the same number of questions.
void note_columns(Rows& rows, const Sources& sources, std::size_t source, const Plan& plan) {
  if (sources.format(source) != Format::table || sources.header(source).empty()) return;
  const std::uint32_t columns = sources.columns(source);
  const std::uint32_t planned = plan.sketch.dimensions == SketchPlan::kAnyDimensions ? 0 : plan.sketch.dimensions;
  const std::uint32_t wanted = rows.columns != 0 ? rows.columns : planned;
  if (plan.measure == Measure::hamming && wanted != 0 && columns != wanted) {
    throw Error(ErrorCode::data, sources.name(source),
                fmt::format("has {} columns to compare, {} has {}; hamming needs the same columns", columns,
                            rows.columns != 0 ? "another table" : "the plan", wanted));
  }
  rows.columns = columns;
  const std::string header = sources.header_text(source);
  const std::string names = header.substr(0, header.find_last_not_of("\r\n") + 1);
  if (plan.measure == Measure::hamming && !rows.column_names.empty() && names != rows.column_names) {
    throw Error(
        ErrorCode::data, sources.name(source),
        fmt::format("asks \"{}\", another table asks \"{}\"; hamming needs the same columns in the same order", names, rows.column_names));
  }
  rows.column_names = names;
  rows.questions = sources.questions(source);
}

// A plan may be changed in what sketches do not depend on.
bool shares_sketches(Plan a, const Plan& b) {
  a.band.large_bucket = b.band.large_bucket;
  return a == b;
}

void sketch_segment(const Chunk& chunk, const Plan& plan, bool units, Sketched& out) {
  const std::string& made = chunk.sketch->info().plan;
  if (!shares_sketches(parse_plan(made), plan)) {
    throw Error(ErrorCode::plan, chunk.sketch->path(),
                "was made with the plan " + made + ", the run has " + to_string(plan) + "; use one plan for both");
  }
  read_segment(*chunk.sketch, chunk.segment, plan, chunk.source, units, out);
  out.end = Position{.source = chunk.source, .segments = chunk.segment + 1};
}

// Rows that cannot go to files.
void require_within(const Rows& rows, const Plan& plan, const RunOptions& options, const Sources& sources) {
  const std::uint64_t held = resident_memory(), read = sources.bytes_read(), total = sources.total_bytes();
  // What the rest will take, by what was read.
  const double share = total > 0 && read > 0 ? std::max(1.0, static_cast<double>(total) / static_cast<double>(read)) : 1;
  const auto more = static_cast<std::uint64_t>((share - 1) * static_cast<double>(bytes_of_rows(rows, plan)));
  if (held + more <= options.memory) return;
  refuse_memory(held + more, options.memory);
}

// A worker's tools.
struct ChunkTools {
  Sketcher sketcher;
  unsigned worker;
};

void read_on(Rows& rows, Collector& collector, Sources& sources, const Plan& plan, const RunOptions& options, const SpillRule& rule,
             TextVisitor* visitor = nullptr) {
  Reading reading = reading_of(options);
  reading.enough = [&] { return collector.has_stopped(); };
  reading.on_source = [&](std::size_t source) {
    if (visitor != nullptr) visitor->begin_source(sources.format(source), sources.name(source));
    require_format(plan, sources.format(source), sources.name(source));
  };
  const bool held = options.memory > 0 && !rule.allows();
  for_each_chunk(
      sources, reading,
      [&](unsigned worker) {
        return ChunkTools{Sketcher(plan), worker};
      },
      [&](Chunk&& chunk, ChunkTools& tools) {
        if (chunk.sketch && visitor == nullptr) {
          sketch_segment(chunk, plan, sources.unit().divides(), tools.sketcher.result());
        } else {
          tools.sketcher.sketch(sources, chunk);
        }
        if (visitor != nullptr) visitor->read(tools.worker, tools.sketcher.result().batch.items);
      },
      [&](ChunkTools& tools) {
        const auto keep = [&](Row item, Row row) { visitor->keep(tools.worker, item, row); };
        collector.add(tools.sketcher.result(), sources, visitor != nullptr ? KeepItem(keep) : KeepItem());
        if (held) require_within(rows, plan, options, sources);
      });
  collector.finish(sources);
  if (rows.in_files()) rows.scratch->note_size();
}

// Those of the second input, where `before` are of the first.
Faults faults_behind(const Faults& faults, std::uint64_t before) {
  Faults behind{.first = {}, .count = faults.count - before};
  const std::size_t told = static_cast<std::size_t>(std::min<std::uint64_t>(before, faults.first.size()));
  behind.first.assign(faults.first.begin() + static_cast<std::ptrdiff_t>(told), faults.first.end());
  return behind;
}

void collect_one(Rows& rows, Input input, const Plan& plan, const RunOptions& options, const SpillRule& rule, TextVisitor* visitor) {
  input.all_answers = plan.measure == Measure::hamming;
  const auto number = static_cast<std::uint32_t>(rows.inputs.size());
  const std::size_t first = rows.size();
  const std::uint64_t before = rows.stats.faults.count;
  Sources& sources = rows.inputs.emplace_back(input, true);
  if (visitor != nullptr) visitor->begin_input();
  Collector collector(rows, plan, input, number, rule);
  const EarlierWork taken = collector.resume(sources);
  if (taken.complete) {
    sources.go_to({.source = static_cast<std::uint32_t>(sources.size())}, taken.records);
  } else {
    if (taken.any) sources.go_to(taken.position, taken.records);
    read_on(rows, collector, sources, plan, options, rule, visitor);
  }
  for (std::size_t i = 0; i < sources.size(); ++i) note_columns(rows, sources, i, plan);
  require_usable(rows.size() - first, faults_behind(rows.stats.faults, before));
}

// Everything that decides what a run's units of work hold.
std::string input_identity(const Input& input) {
  std::string text;
  const auto add = [&](std::string_view value) { text.append(std::to_string(value.size())).append(":").append(value); };
  for (const std::string& path : input.paths) add(path == "-" ? path : std::filesystem::absolute(path).string());
  add(input.files_from ? std::filesystem::absolute(*input.files_from).string() : "");
  add(input.format ? name(*input.format) : "");
  for (const std::string& field : {input.id, input.text, input.number.value_or(""), input.encoding, to_string(input.unit),
                                   to_string(input.scope), std::string(input.html ? name(*input.html) : ""), to_string(input.extraction)})
    add(field);
  add(std::string(1, input.separator) + (input.header ? "h" : "-") + (input.strict ? "s" : "-") + (input.rename_same_ids ? "r" : "") +
      std::to_string(static_cast<int>(input.directed)));
  return text;
}

SpillRule spill_rule(const Input& input, const Input* against, const Plan& plan, const RunOptions& options, const Spill* spill) {
  SpillRule rule;
  if (spill == nullptr) return rule;
  rule.keeps_ids = spill->keeps_ids;
  const std::string line = to_string(plan);
  const bool memory = input.memory || (against != nullptr && against->memory);
  const std::string identity =
      line + "\n" + spill->identity + "\n" + input_identity(input) + "\n" + (against ? input_identity(*against) : "");
  const XXH128_hash_t hash = XXH3_128bits(identity.data(), identity.size());
  rule.scratch = {.folder = options.scratch, .run = {hash.low64, hash.high64}, .plan = line, .resume = options.resume};
  if (!spill->resumable) rule.scratch = OwnScratch::of_this_process(rule.scratch);
  if (memory || !can_use_files(plan)) return rule;
  rule.memory = memory_bound(options);
  rule.threads = thread_count(options.threads);
  rule.segment_bytes = std::clamp<std::uint64_t>(rule.memory / 16, std::uint64_t{1} << 20, std::uint64_t{64} << 20);
  rule.from_the_start = options.scratch.has_value() || options.resume;
  return rule;
}

}  // namespace

void refuse_memory(std::uint64_t needed, std::uint64_t bound, Needed how) {
  throw Error(ErrorCode::plan, "memory",
              "this run must be held in memory (so must all runs over items in memory, with tfidf, or with binarise median, mean or unary) "
              "and needs " +
                  std::string(how == Needed::about ? "about " : "more than ") + bytes_text(needed) + ", the limit is " + bytes_text(bound) +
                  "; raise it, or leave it out");
}

std::uint64_t bytes_of_rows(const Rows& rows, const Plan& plan) {
  return rows.size() * bytes_per_item(plan) + rows.arrays.ids.bytes() + bytes_of(rows.arrays.vectors);
}

void require_records(const Input& input, const char* run) {
  if (!input.memory) return;
  throw Error(ErrorCode::plan, "input", "items in memory have no records to write; " + std::string(run) + " needs files (see dedup_rows)");
}

void require_no_scope(const Input& input, const char* run, const char* instead) {
  if (input.scope.rule == Scope::Rule::none) return;
  throw Error(ErrorCode::plan, input.scope.rule == Scope::Rule::within ? "within" : "across",
              std::string(run) + " does not compare within or across a field; leave it out, or " + instead);
}

void require_border(const Plan& plan) {
  require_searchable(plan);
  if (plan.nearest == 0) return;
  throw Error(ErrorCode::plan, "plan",
              "it is for queries of the " + std::to_string(plan.nearest) +
                  " nearest and has no threshold or radius for pairs; use it with 'query', or tune another");
}

// A run keeps one byte per slot of a sketch; five if sketches themselves are compared, as the slots (four bytes each) stay, too; none if
// vectors are compared.
static std::uint64_t sketch_bytes(const Plan& plan) {
  if (compares_vectors(plan)) return 0;
  const bool whole = plan.verify == Verify::estimate;
  return (whole ? 5 : 1) * std::uint64_t{plan.sketch.hashes};
}

std::uint64_t bytes_per_item(const Plan& plan) {
  constexpr std::uint64_t kSearch = 3 * sizeof(Row);  // order, representative, place of the features
  constexpr std::uint64_t kId = sizeof(std::uint64_t), kSize = sizeof(std::uint64_t), kEmpty = 1;
  return kId + IdTable::kBytes + sizeof(Location) + sizeof(Hash128) + kSize + kEmpty + kSearch + std::uint64_t{4} * plan.band.bands +
         sketch_bytes(plan);
}

std::uint64_t bytes_in_files(const Plan& plan) {
  constexpr std::uint64_t kIdEnd = sizeof(std::uint64_t), kSize = sizeof(std::uint64_t), kEmpty = 1;
  return sizeof(Location) + sizeof(Hash128) + kIdEnd + kSize + kEmpty + 4 * std::uint64_t{plan.band.bands} + sketch_bytes(plan);
}

bool can_use_files(const Plan& plan) { return !compares_vectors(plan) || prepares_one_by_one(plan); }

std::uint64_t memory_bound(const RunOptions& options) {
  const unsigned threads = thread_count(options.threads);
  const std::uint64_t least = least_memory(threads);
  if (options.memory == 0) return std::max(default_memory(), least);
  if (options.memory >= least) return options.memory;
  const std::string with = threads == 1 ? "one thread" : std::to_string(threads) + " threads, " + bytes_text(least_memory(1)) + " with one";
  throw Error(ErrorCode::plan, "memory",
              bytes_text(options.memory) + " is too little; the least is " + bytes_text(least) + " with " + with);
}

static void require_scope(const Input& input, const Input* against, const Plan& plan) {
  const bool none = input.scope.rule == Scope::Rule::none;
  const char* const subject = input.scope.rule == Scope::Rule::across ? "across" : "within";
  if (against != nullptr && against->scope != input.scope) throw Error(ErrorCode::plan, subject, "is not the same in both inputs");
  if (!none && input.scope.field.empty()) throw Error(ErrorCode::plan, subject, "an empty name; name a field, or file or folder");
  if (!none && compares_vectors(plan)) {
    throw Error(ErrorCode::plan, subject, "works for texts, sets and tables, but the plan compares vectors; leave it out, or use jaccard");
  }
  if (!none && input.scope.field != kEachRecord && input.memory && input.memory->scopes.size() != input.memory->texts.size()) {
    throw Error(ErrorCode::plan, subject,
                std::to_string(input.memory->scopes.size()) + " scopes of " + std::to_string(input.memory->texts.size()) +
                    " items; give one for each item");
  }
}

void require_counting(const Input& input, const Plan& plan) {
  if (input.memory || plan.shingle.bag || plan.kind == Kind::tfidf || !has_weights(fields_of(input))) return;
  throw Error(ErrorCode::plan, "text",
              in_quotes(input.text) + " gives a field a weight, but " + std::string(name(plan.measure)) +
                  " counts every shingle once; use measure weighted-jaccard or features tfidf, or leave the weight out");
}

void require_unweighted(const Input& input, const char* run) {
  if (input.memory || !has_weights(fields_of(input))) return;
  throw Error(ErrorCode::plan, "text",
              in_quotes(input.text) + " gives a field a weight, but " + run + " counts nothing; leave the weight out");
}

Rows collect(const Input& input, const Input* against, const Plan& plan, const RunOptions& options, const Preparation* like,
             const Spill* spill, TextVisitor* visitor) {
  require_scope(input, against, plan);
  require_counting(input, plan);
  if (against != nullptr) require_counting(*against, plan);
  Rows rows;
  rows.inputs.reserve(2);
  if (options.planned_seconds > 0) rows.stats.seconds.emplace_back("plan", options.planned_seconds);
  StageClock clock;
  const SpillRule rule = spill_rule(input, against, plan, options, spill);
  rows.scratch_options = rule.scratch;
  if (rule.from_the_start) rows.scratch = std::make_unique<Scratch>(rule.scratch);
  noting_failure(rows.scratch, [&] {
    collect_one(rows, input, plan, options, rule, visitor);
    if (against == nullptr) return;
    rows.split = static_cast<Row>(rows.size());
    collect_one(rows, *against, plan, options, rule, visitor);
  });
  if (rule.memory > 0 && !rows.in_files()) {
    const std::uint64_t taken = bytes_in_memory(plan, sums_of(rows), rule.threads);
    rows.move_to_files = [rule, input, other = against != nullptr ? std::optional(*against) : std::nullopt, &plan](Rows& held) {
      Collector collector(held, plan, other ? *other : input, other ? 1 : 0, rule);
      collector.move_to_files(held.inputs.back());
    };
    rows.most_candidates = std::max(rule.memory / 8, rule.memory - std::min(rule.memory, taken)) / kBytesACandidate;
  }
  rows.stats.seconds.emplace_back("read", clock.lap());
  if (compares_vectors(plan) && !rows.in_files()) {
    finish_vectors(rows, plan, thread_count(options.threads), like);
    rows.stats.seconds.emplace_back("hash", clock.lap());
  }
  if (!rows.in_files()) rows.held_bytes = resident_memory();
  return rows;
}

CollectedBeginning collect_beginning(const Input& input, const Plan& plan, const Beginning& beginning) {
  CollectedBeginning out;
  Input reading = input;
  reading.all_answers = plan.measure == Measure::hamming;
  Sources& sources = out.rows.inputs.emplace_back(reading, false, true);
  const SpillRule in_memory;
  const RunOptions alone{.threads = 1};
  Collector collector(out.rows, plan, reading, 0, in_memory);
  collector.stop_behind(beginning);
  read_on(out.rows, collector, sources, plan, alone, in_memory);
  for (std::size_t i = 0; i < sources.size(); ++i) note_columns(out.rows, sources, i, plan);
  if (compares_vectors(plan)) finish_vectors(out.rows, plan, 1, nullptr);
  out.all = !collector.has_stopped();
  return out;
}

std::uint64_t least_memory(unsigned threads) { return (std::uint64_t{48} << 20) + thread_count(threads) * (std::uint64_t{16} << 20); }

}  // namespace nearkin

// Sketch files: the segments of an input in one file that later runs read in place of the input.
#include <algorithm>

#include <nearkin/error.h>
#include <nearkin/run.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/sketch_file.h>

#include "base/units.h"
#include "collect/collect.h"
#include "collect/segment.h"
#include "io/run_file/run_file.h"
#include "io/source/inputs.h"
#include "io/source/kept_bytes.h"
#include "runs/find_matches.h"
#include "theory/plan_check.h"

namespace nearkin {
namespace {

constexpr std::size_t kRowsInSegment = std::size_t{1} << 16;

void require_sketches(const Plan& plan) {
  if (!compares_vectors(plan) && plan.measure != Measure::containment && plan.band.bands > 0) return;
  throw Error(
      ErrorCode::plan, "plan",
      "it has no sketches of sets to keep (vectors, exact joins and containment have none); use another measure, or a recall below 1");
}

// A list that can be read only once is left for the run.
std::vector<InputPath> paths_known(const Input& input) {
  Input named = input;
  if (!can_be_read_again(Input{.paths = {}, .files_from = input.files_from})) named.files_from.reset();
  return expand(named);
}

// Sketch files may be joined, but for the records that they hold of streams and compressed files.
void require_joinable(const Input& input) {
  std::string last;
  for (const InputPath& path : paths_known(input)) {
    if (path.sketch.empty() || path.sketch == last) continue;
    last = path.sketch;
    const RunFile file(path.sketch);
    const auto kept =
        std::find_if(file.sections().begin(), file.sections().end(), [](const Section& section) { return section.kind == kKeptFrames; });
    if (kept == file.sections().end()) continue;
    throw Error(
        ErrorCode::plan, path.sketch,
        "holds the records of standard input or of a compressed file, and cannot become part of another; sketch these inputs together");
  }
}

// All rows are in memory: segments of a size that is read at a time later.
void write_from_memory(const Rows& rows, const Plan& plan, RunFileWriter& writer) {
  const std::size_t items = rows.arrays.ids.size();
  std::uint32_t number = 0;
  for (std::size_t begin = 0; begin < items || number == 0; begin += kRowsInSegment) {
    const std::size_t end = std::min(items, begin + kRowsInSegment);
    // Faults and shingles are of the whole input: they are told once.
    const bool first = number == 0;
    write_segment(writer, number++, rows.arrays, begin, end, plan,
                  {.items = end - begin, .shingles = first ? rows.shingles : 0, .faults = first ? rows.stats.faults : Faults{}});
  }
  write_frames(writer, 0, rows.inputs.front().held_kept(rows.inputs.front().size(), 0));
}

// Bytes that were kept of streams go with the segments that they came with.
void write_from_files(const Rows& rows, RunFileWriter& writer) {
  for (std::uint32_t number = 0; number < rows.segments.size(); ++number) copy_segment(*rows.segments[number].file, 0, writer, number);
}

}  // namespace

RunStats write_sketches(const Input& input, const std::string& output, const Plan& plan, const RunOptions& options) {
  require_searchable(plan);
  require_sketches(plan);
  require_records(input, "write_sketches");
  require_joinable(input);
  if (may_overlap(input.unit)) {
    throw Error(ErrorCode::plan, "unit",
                "windows that overlap (" + to_string(input.unit) + ") have no sketch files; make the step as long as the window");
  }
  Input reading = input;
  reading.all_answers = plan.measure == Measure::hamming;
  const Stage stage(plan, options);
  Rows rows = collect_for_run(reading, nullptr, stage, {}, true);
  const Sources& sources = rows.inputs.front();
  StageClock clock;
  RunFileWriter writer(output, {.kind = "sketch", .run = {}, .plan = to_string(plan)});
  std::vector<SourceRecord> records;
  for (std::size_t i = 0; i < sources.size(); ++i) records.push_back(sources.record(i));
  add_contents(records);
  write_source_records(writer, records, reading);
  if (rows.in_files()) {
    write_from_files(rows, writer);
  } else {
    write_from_memory(rows, plan, writer);
  }
  if (options.before_output) options.before_output();
  writer.finish();
  RunStats stats = std::move(rows.stats);
  stats.seconds.emplace_back("write", clock.lap());
  note_resources(rows, stats);
  remove_files(rows);
  return stats;
}

std::optional<Plan> plan_of_sketches(const Input& input) {
  std::optional<Plan> plan;
  std::string first;
  for (const InputPath& path : paths_known(input)) {
    if (path.sketch.empty() || path.sketch == first) continue;
    const Plan made = parse_plan(RunFile(path.sketch).info().plan);
    if (plan && made != *plan) {
      throw Error(ErrorCode::plan, path.sketch,
                  "was made with the plan " + to_string(made) + ", " + first + " with " + to_string(*plan) + "; sketch both with one plan");
    }
    plan = made;
    first = path.sketch;
  }
  return plan;
}

}  // namespace nearkin

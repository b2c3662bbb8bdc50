// The records of a collection without their extra copies.
#include <algorithm>

#include <nearkin/error.h>
#include <nearkin/run.h>
#include <nearkin/tools/lists.h>

#include "analysis/audit_report.h"
#include "analysis/run_recall.h"
#include "collect/collect.h"
#include "group/group.h"
#include "runs/cut_records.h"
#include "runs/decided.h"
#include "runs/dedup_bloom.h"
#include "runs/dedup_outputs.h"
#include "runs/run_search.h"
#include "runs/write_records.h"
#include "runs/write_results.h"
#include "theory/score.h"

namespace nearkin {
namespace {

void check_options(const Input& input, const Plan& plan, const DedupOptions& options) {
  if (options.bloom && plan.measure != Measure::exact) {
    throw Error(ErrorCode::plan, "bloom", "a Bloom filter finds exact duplicates only; use it with measure exact");
  }
  if (options.annotate && options.against && !input.unit.divides()) {
    throw Error(ErrorCode::plan, "annotate",
                "cannot be combined with against, which makes no clusters; use removed to list what was found");
  }
  if (options.keep_at_most == 0)
    throw Error(ErrorCode::plan, "keep_at_most", "is 0, but at least 1 item of each group is kept; use 1 or more, or drop_repeated");
  if (options.drop_repeated && options.keep_at_most > 1) {
    throw Error(ErrorCode::plan, "drop_repeated", "keeps nothing of a group, but keep_at_most keeps some of it; leave one of them out");
  }
  if (options.drop_repeated && plan.measure == Measure::containment) {
    throw Error(ErrorCode::plan, "drop_repeated",
                "drops all of a group, but under containment the item that contains the others is not repeated; leave one of them out");
  }
  const bool by_group = options.drop_repeated || options.keep_at_most > 1 || options.size_field;
  if (by_group && options.against) {
    throw Error(ErrorCode::plan,
                options.size_field      ? "size_field"
                : options.drop_repeated ? "drop_repeated"
                                        : "keep_at_most",
                "is about groups, and against makes none; leave one of them out");
  }
  if (options.annotate && (options.size_field == "cluster" || options.size_field == "keeper" ||
                           options.size_field == measured_name({plan.verify, plan.measure}))) {
    throw Error(ErrorCode::plan, "size_field", "\"" + *options.size_field + "\" is a field that annotate adds; give it another name");
  }
  if (options.annotate && (options.drop_repeated || options.keep_at_most > 1)) {
    throw Error(ErrorCode::plan, "annotate", "writes all records; leave drop_repeated and keep_at_most out");
  }
  if (!(options.most_cut >= 0 && options.most_cut <= 1)) {
    throw Error(ErrorCode::plan, "most_cut", std::to_string(options.most_cut) + " is not a share from 0 to 1");
  }
}

// What is to become of each row of the input.
struct Decision {
  std::vector<bool> stays;
  std::vector<Row> keepers;   // a row that stays is its own
  NumberedClusters numbered;  // empty with `against`
  std::uint64_t groups = 0;   // of two or more
  std::uint64_t kept = 0;
};

// The first of each group in the order of keeping, so many of them, or those that are alone.
std::vector<bool> rows_that_stay(const SearchResult& found, const Decision& decision, const DedupOptions& options) {
  std::vector<bool> stays(decision.keepers.size());
  std::vector<std::uint32_t> met(decision.numbered.sizes.size());
  for (Row place = 0; place < stays.size(); ++place) {
    const Row row = found.at_place(place);
    const std::uint32_t group = decision.numbered.number[decision.keepers[row]];
    stays[row] = options.drop_repeated ? decision.numbered.sizes[group] == 1 : met[group]++ < options.keep_at_most;
  }
  return stays;
}

Decision decide_rows(const Rows& rows, const Stage& stage, const SearchResult& found, const DedupOptions& options) {
  stage.progress("cluster");
  Decision decision;
  decision.keepers = keepers_for(rows, stage, found, options.linkage);
  if (!rows.across()) decision.numbered = number_clusters(decision.keepers);
  decision.groups = rows.across() ? groups_across(decision.keepers) : decision.numbered.repeated;
  decision.stays.resize(decision.keepers.size());
  for (Row row = 0; row < decision.keepers.size(); ++row) decision.stays[row] = decision.keepers[row] == row;
  if (!rows.across() && (options.drop_repeated || options.keep_at_most > 1)) decision.stays = rows_that_stay(found, decision, options);
  decision.kept = static_cast<std::uint64_t>(std::count(decision.stays.begin(), decision.stays.end(), true));
  return decision;
}

Removal removal_of(const DedupOptions& options) {
  return {.linkage = options.linkage, .stay = options.drop_repeated ? 0 : options.keep_at_most};
}

Use use_of(const DedupOptions& options) { return options.decisions.empty() ? Use::removals : Use::decided_removals; }

// All but the decisions is told of the search itself. They are followed last, and change what is found and what a report shows of it.
std::optional<DecisionNotes> follow(const Rows& rows, const Stage& stage, const DedupOptions& options, SearchResult& found,
                                    Decision& decision) {
  if (options.decisions.empty()) return std::nullopt;
  ResolvedDecisions resolved = resolve(options.decisions, rows);
  if (!rows.nothing_to_pair()) {
    follow_decisions(rows, stage, resolved.pairs, options.linkage, found);
    decision = decide_rows(rows, stage, found, options);
  }
  show_found(rows, stage, found, decision.keepers, true);
  show_decisions(options.decisions, resolved.notes, stage.options.report);
  return std::move(resolved.notes);
}

void check_units(const Input& input, const DedupOptions& options) {
  const DedupOptions usual;
  const bool asked = options.least_left != usual.least_left || options.most_cut != usual.most_cut || options.share_field;
  if (!input.unit.divides()) {
    if (asked)
      throw Error(
          ErrorCode::plan, "unit",
          "document has no parts that could be cut, which least_left, most_cut and share_field are about; name another, such as paragraph");
    return;
  }
  require_named_texts(input, "units are cut out of them");
  if (options.size_field) throw Error(ErrorCode::plan, "size_field", "is about whole records; use 'cluster' to list the groups of units");
  if (options.against && options.against->unit != input.unit) throw Error(ErrorCode::plan, "unit", "is not the same in both inputs");
  if (options.annotate && options.least_left > 0) throw Error(ErrorCode::plan, "annotate", "writes all records; leave least_left out");
  if (options.annotate && (options.share_field == "cut" || options.share_field == "cut_share"))
    throw Error(ErrorCode::plan, "share_field", "\"" + *options.share_field + "\" is a field that annotate adds; give it another name");
  if (options.bloom) throw Error(ErrorCode::plan, "bloom", "works on whole records; leave it out, measure exact is exact without it");
}

void check(const Plan& plan, const Input& input, const DedupOptions& options) {
  check_options(input, plan, options);
  check_units(input, options);
  require_whole_records(options.decisions, input);
  if (!options.decisions.empty() && options.bloom)
    throw Error(ErrorCode::plan, "decisions", "are about pairs, but a Bloom filter does not remember its items; leave out bloom");
}

CutRecords cut_records(const Rows& rows, const Stage& stage, Decision& decision, const Unit& unit, const DedupOptions& options) {
  std::vector<bool> repeated = decision.stays;
  repeated.flip();
  CutRecords cuts = decide_cuts(rows, stage, std::move(repeated), decision.keepers, may_overlap(unit), options);
  // The units of records that are left alone are kept, those of records that are removed are not.
  decision.stays = cuts.is_cut;
  decision.stays.flip();
  for (std::size_t i = 0; i < cuts.fate.size(); ++i) {
    if (cuts.fate[i] != CutRecords::Fate::removed) continue;
    for (Row row = cuts.first[i]; row < cuts.first[i + 1]; ++row) decision.stays[row] = false;
  }
  decision.kept = static_cast<std::uint64_t>(std::count(decision.stays.begin(), decision.stays.end(), true));
  return cuts;
}

// Units of which there is another: in their group, or in the other input.
std::vector<bool> units_elsewhere(const Decision& decision) {
  std::vector<bool> elsewhere(decision.keepers.size());
  for (Row row = 0; row < elsewhere.size(); ++row) {
    const Row keeper = decision.keepers[row];
    elsewhere[row] = keeper != row || (!decision.numbered.sizes.empty() && decision.numbered.sizes[decision.numbered.number[keeper]] > 1);
  }
  return elsewhere;
}

// For each row that goes, the one to name beside it: its keeper, or, where that is itself, the first that it is the keeper of. A unit that
// goes with the rest of its record has none.
std::vector<Row> named_beside(const Decision& decision, const std::optional<CutRecords>& cuts) {
  std::vector<Row> beside(decision.keepers.size(), kNoRow);
  const auto goes = [&](Row row) { return cuts ? cuts->is_cut[row] : !decision.stays[row]; };
  for (Row row = 0; row < beside.size(); ++row) {
    const Row keeper = decision.keepers[row];
    if (keeper == row) continue;
    if (goes(row)) beside[row] = keeper;
    if (keeper < beside.size() && goes(keeper) && beside[keeper] == kNoRow) beside[keeper] = row;
  }
  return beside;
}

// Connected groups have no match with a keeper that a chance could be told of.
void note_item_recall(Rows& rows, const RunSearch& search, const SearchResult& found, const Decision& decision, Linkage linkage) {
  if (rows.nothing_to_pair() || (linkage == Linkage::connected && !rows.across()) || !search.is_by_plan()) return;
  rows.stats.item_recall = item_recall_of(rows, search.stage(), found, decision.keepers);
}

// Items, EMPTY items and copies of the input alone, where `against` was read as well.
RunStats stats_of_input(const Rows& rows, const Stage& stage, const SearchResult& found) {
  RunStats stats = rows.stats;
  stats.items = rows.input_rows();
  stats.empty = stats.copies = 0;
  for (Row row = 0; row < rows.input_rows(); ++row) {
    stats.empty += found.empty[row];
    stats.copies += found.representative[row] != row;
  }
  note_pairs(count_pairs(found, rows.across(), stage.plan.measure), stats);
  return stats;
}

void write_kept(const Rows& rows, const Stage& stage, const Decision& decision, std::span<const Location> faults, OutputFile& output) {
  KeptRecords records(rows.inputs.front(), decision.kept + faults.size(), stage.threads, output);
  RowReader reader(rows);
  FaultCursor cursor(faults);
  std::vector<Location> locations;
  const std::uint64_t fit = share_of(rows, stage, 25) / 4 / sizeof(Location);
  const std::size_t many = static_cast<std::size_t>(std::min<std::uint64_t>(KeptRecords::kMany, fit));
  for (Row row = 0; row < decision.keepers.size(); ++row) {
    if (!decision.stays[row]) continue;
    const Location location = reader.location(row);
    cursor.before(location, [&](const Location& fault) { locations.push_back(fault); });
    locations.push_back(location);
    if (locations.size() < many) continue;
    records.write(locations);
    locations.clear();
  }
  cursor.rest([&](const Location& fault) { locations.push_back(fault); });
  records.write(locations);
}

// How near a record is to its keeper: a number of JSON, or a cell.
std::string annotated_number(const Match& match, const Shown& shown, bool json) {
  if (!is_known(match, shown)) return json ? "null" : "";
  return json ? number_text(match, shown.measure) : measured_text(match, shown.measure);
}

// All of them, or those that stay with the sizes of their groups.
void write_annotated(const Rows& rows, const Decision& decision, const KeeperMatches* similarity, const Shown& shown,
                     const DedupOptions& options, std::span<const Location> faults, OutputFile& output) {
  std::vector<std::string> fields;
  if (options.annotate) fields = {"cluster", "keeper", measured_name(shown)};
  if (options.size_field) fields.push_back(*options.size_field);
  AnnotatedRecords records(rows.inputs.front(), fields, output);
  RowReader reader(rows), keeper_ids(rows);
  FaultCursor cursor(faults);
  const auto write_fault = [&](const Location& fault) { records.write_fault(fault); };
  for (Row row = 0; row < decision.keepers.size(); ++row) {
    if (!options.annotate && !decision.stays[row]) continue;
    const Row keeper = decision.keepers[row];
    const std::uint32_t group = decision.numbered.number[keeper];
    const Location location = reader.location(row);
    const bool json = rows.inputs.front().format(location.source) == Format::jsonl;
    const std::string measured = options.annotate ? annotated_number(similarity->operator()(row), shown, json) : "";
    std::vector<AddedValue> values;
    if (options.annotate) values = {std::uint64_t{group}, keeper_ids.id(keeper), SpelledNumber{measured}};
    if (options.size_field) values.emplace_back(std::uint64_t{decision.numbered.sizes[group]});
    cursor.before(location, write_fault);
    records.write(location, values);
  }
  cursor.rest(write_fault);
}

void write_outputs(const Rows& rows, const Stage& stage, const SearchResult& found, const Decision& decision, const DedupOptions& options,
                   const std::optional<CutRecords>& cuts, std::span<const Location> faults, DedupOutputs& outputs) {
  stage.progress("write");
  outputs.kept.use_threads(stage.threads);
  const Shown shown{stage.plan.verify, stage.plan.measure};
  std::optional<KeeperMatches> similarity;
  if (outputs.removed || (options.annotate && !cuts)) similarity.emplace(rows, stage, found, decision.keepers);
  if (cuts) {
    write_cut(rows, stage, *cuts, options, faults, outputs.kept);
  } else if (options.annotate || options.size_field) {
    write_annotated(rows, decision, similarity ? &*similarity : nullptr, shown, options, faults, outputs.kept);
  } else {
    write_kept(rows, stage, decision, faults, outputs.kept);
  }
  if (outputs.removed) {
    const RowStyle style = options.removed_as_json ? RowStyle::json : RowStyle::tsv;
    write_removed(rows, decision.keepers, named_beside(decision, cuts), *similarity, shown, style, *outputs.removed,
                  [&, i = std::size_t{0}](Row row, std::string& lines) mutable {
                    if (!cuts || row + 1 != cuts->first[i + 1]) return;
                    if (cuts->fate[i++] != CutRecords::Fate::removed) return;
                    for (const std::string& id : rest_of_record(rows, *cuts, i - 1)) append_rest(lines, id, shown, style, {"id", "keeper"});
                  });
  }
  if (outputs.skipped) write_locations(rows.inputs.front(), fault_locations(rows), *outputs.skipped);
}

}  // namespace

static DedupRows dedup_rows_by(RunSearch& search, const Input& input, const DedupOptions& options, const RunOptions& run) {
  const Plan& plan = search.plan();
  check(plan, input, options);
  const bool plain = options.keep_at_most == 1 && !options.drop_repeated && !options.size_field && !input.unit.divides();
  if (!plain) throw Error(ErrorCode::plan, "dedup", "keep_at_most, drop_repeated, size_field and units need records that are written");
  const Stage& stage = search.stage();
  const Input* const against = options.against ? &*options.against : nullptr;
  Rows rows = search.collect(input, against, options.keep);
  SearchResult found = search.find(rows, options.keep, options.linkage, use_of(options), removal_of(options));
  StageClock clock;
  Decision decision = decide_rows(rows, stage, found, options);
  note_item_recall(rows, search, found, decision, options.linkage);
  RunStats stats = stats_of_input(rows, stage, found);
  stats.decisions = follow(rows, stage, options, found, decision);
  DedupRows result{.keeper = {},
                   .to_keeper = {},
                   .cluster = {},
                   .kept = decision.kept,
                   .clusters = decision.groups,
                   .verify = plan.verify,
                   .measure = plan.measure,
                   .stats = std::move(stats)};
  const KeeperMatches similarity(rows, stage, found, decision.keepers);
  for (Row row = 0; row < decision.keepers.size(); ++row) {
    result.to_keeper.push_back(similarity(row));
    if (against == nullptr) result.cluster.push_back(decision.numbered.number[decision.keepers[row]]);
  }
  result.keeper = std::move(decision.keepers);
  result.stats.seconds.emplace_back("cluster", clock.lap());
  note_resources(rows, result.stats);
  finish_report("dedup", input, against, result.stats, run);
  remove_files(rows);
  return result;
}

// With options that were checked.
static DedupResult dedup_by(RunSearch& search, const Input& input, const std::string& output, const DedupOptions& options,
                            const RunOptions& run) {
  DedupOutputs outputs(output, options);
  const Stage& stage = search.stage();
  const Input* const against = options.against ? &*options.against : nullptr;
  Rows rows = search.collect(input, against, options.keep);
  std::uint64_t lost = 0;
  const std::vector<Location> kept_faults = faults_to_keep(rows.inputs.front(), fault_locations(rows), options.keep_faults, lost);
  note_kept(rows.stats.faults, kept_faults.size(), lost, 0, fault_locations(rows, 1).size());
  noting_failure(rows.scratch, [&] {
    check_one_output(rows.inputs.front(), output,
                     options.annotate      ? "annotate"
                     : options.size_field  ? "size_field"
                     : options.share_field ? "share_field"
                                           : nullptr);
    if (against != nullptr && !input.memory && !against->memory)
      refuse_common_files(rows.inputs.front(), rows.inputs.back(), "each of its records would go as a copy of itself");
    if (input.unit.divides()) require_cuttable(rows.inputs.front(), "unit");
    outputs.note_faults(rows.inputs.front(), fault_locations(rows), options.keep_faults);
    outputs.require_nothing_lost(rows.stats.faults);
  });
  SearchResult found = search.find(rows, options.keep, options.linkage, use_of(options), removal_of(options));
  StageClock clock;
  Decision decision = decide_rows(rows, stage, found, options);
  note_item_recall(rows, search, found, decision, options.linkage);
  RunStats stats = stats_of_input(rows, stage, found);
  stats.decisions = follow(rows, stage, options, found, decision);
  std::optional<CutRecords> cuts;
  if (input.unit.divides()) {
    const std::vector<bool> elsewhere = options.share_field ? units_elsewhere(decision) : std::vector<bool>();
    cuts = cut_records(rows, stage, decision, input.unit, options);
    if (options.share_field) cuts->repeated = shares_of(rows, stage, *cuts, elsewhere);
    if (options.annotate) cuts->cut = shares_cut(rows, stage, *cuts);
  }
  DedupResult result{.kept = decision.kept,
                     .removed = decision.keepers.size() - decision.kept,
                     .clusters = decision.groups,
                     .records = cuts ? cuts->counts() : DedupResult::Records{},
                     .stats = std::move(stats)};
  if (cuts) result.stats.records = result.records.read;
  result.stats.seconds.emplace_back("cluster", clock.lap());
  noting_failure(rows.scratch, [&] { write_outputs(rows, stage, found, decision, options, cuts, kept_faults, outputs); });
  result.stats.seconds.emplace_back("write", clock.lap());
  note_resources(rows, result.stats);
  finish_report("dedup", input, against, result.stats, run);
  if (run.report != nullptr) {
    // What stays is then more or less than the keepers, which are all that the list knows of.
    if (cuts || options.drop_repeated || options.keep_at_most > 1) forget_what_was_kept(*run.report);
    run.report->kept = result.kept;
    run.report->removed = result.removed;
    run.report->annotated = options.annotate;
    if (cuts && !options.annotate) {
      run.report->records_cut = result.records.cut;
      run.report->records_removed = result.records.removed;
      run.report->records_left_alone = result.records.left_alone;
    }
  }
  if (run.before_output) run.before_output();
  if (options.on_result) options.on_result(result);
  outputs.commit(result.stats.faults);
  result.stats.seconds.back().second += clock.lap();
  remove_files(rows);
  return result;
}

DedupRows dedup_rows(const Input& input, const Plan& plan, const DedupOptions& options, const RunOptions& run) {
  require_border(plan);
  RunSearch search(plan, run);
  return dedup_rows_by(search, input, options, run);
}

ScoreDedupRows dedup_rows_by_score(const Input& input, const Score& score, const ScoreOptions& by, const DedupOptions& options,
                                   const RunOptions& run) {
  require_no_partners(by);
  RunSearch search(score, by, run);
  DedupRows rows = dedup_rows_by(search, input, options, run);
  return {std::move(rows), search.score()->searched()};
}

DedupResult dedup(const Input& input, const std::string& output, const Plan& plan, const DedupOptions& options, const RunOptions& run) {
  require_border(plan);
  require_records(input, "dedup");
  check(plan, input, options);
  if (options.linkage == Linkage::connected && plan.measure == Measure::containment && !options.annotate) {
    throw Error(ErrorCode::plan, "linkage",
                "connected would remove items that no kept item contains; use star, or cluster to see the connected groups");
  }
  if (options.bloom) return dedup_by_bloom(input, output, plan, options, run);
  RunSearch search(plan, run);
  return dedup_by(search, input, output, options, run);
}

ScoreDedup dedup_by_score(const Input& input, const std::string& output, const Score& score, const ScoreOptions& by,
                          const DedupOptions& options, const RunOptions& run) {
  require_no_partners(by);
  require_records(input, "dedup");
  RunSearch search(score, by, run);
  check(search.plan(), input, options);
  DedupOptions told = options;
  told.on_result = [&](const DedupResult& result) {
    if (by.on_searched) by.on_searched(search.score()->searched());
    if (options.on_result) options.on_result(result);
  };
  DedupResult result = dedup_by(search, input, output, told, run);
  return {std::move(result), search.score()->searched()};
}

}  // namespace nearkin

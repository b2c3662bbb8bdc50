#include <malloc.h>

#include <algorithm>
#include <optional>
#include <string>

#include <nearkin/error.h>

#include "base/parallel.h"
#include "base/radix_sort.h"
#include "collect/segment.h"
#include "collect/spilled.h"
#include "group/group.h"
#include "group/spill_group.h"
#include "io/formats/result_rows.h"
#include "runs/runs.h"
#include "runs/write_records.h"
#include "search/spill_search.h"
#include "search/spilled_sets.h"

namespace nearkin {
namespace {

constexpr std::size_t kFlush = std::size_t{1} << 16;  // rows of text are gathered up to so many bytes

SpillSearch start(Collection& collection, const Plan& plan, const RunOptions& options) {
  return {.collection = collection,
          .plan = plan,
          .options = options,
          .threads = thread_count(options.threads),
          .memory = memory_bound(options)};
}

// The run is done but for putting its outputs in place.
void finish_stats(SpillSearch& search, RunStats& stats) {
  search.scratch().note_size();
  stats.scratch_bytes = search.scratch().most_bytes();
  stats.resumed = search.scratch().taken_over();
  stats.peak_bytes = peak_memory();
}

// Lines gathered before they are written.
class Lines {
 public:
  explicit Lines(OutputFile& file) : file_(file) {}
  std::string& text() {
    if (text_.size() >= kFlush) flush();
    return text_;
  }
  void flush() {
    file_.write(text_);
    text_.clear();
  }

 private:
  OutputFile& file_;
  std::string text_;
};

// Rows of each representative, ascending.
struct Copies {
  explicit Copies(std::span<const Row> representative) : starts(representative.size() + 1), rows(representative.size()) {
    for (const Row row : representative) ++starts[row + 1];
    for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
    for (Row row = static_cast<Row>(representative.size()); row-- > 0;) rows[--starts[representative[row] + 1]] = row;
    // Every start has moved to where its own rows begin, one place late.
    for (std::size_t i = 0; i + 1 < starts.size(); ++i) starts[i] = starts[i + 1];
    starts.back() = static_cast<Row>(rows.size());
  }
  std::span<const Row> operator[](Row row) const { return {rows.data() + starts[row], rows.data() + starts[row + 1]}; }
  std::vector<Row> starts, rows;
};

// One pair of items, to be listed.
struct Listed {
  std::uint64_t pair;
  std::uint32_t shared, total;
};

class PairLister {
 public:
  PairLister(const SpillSearch& search, bool across)
      : search_(search), across_(across), copies_(search.representative), ids_(search.collection.segments) {}

  /// In parts, by their first rows: each is as large as memory allows.
  void write(OutputFile& file, RowStyle style, std::uint64_t count) {
    Lines lines(file);
    const std::vector<Row> cuts = cuts_of(count);
    std::vector<Listed> part;
    std::string first, second;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      part.clear();
      for_each_pair([&](Row a, Row b, const Match& match) {
        if (a >= cuts[i] && a < cuts[i + 1]) part.push_back({std::uint64_t{a} << 32 | b, match.shared, match.total});
      });
      std::sort(part.begin(), part.end(), [](const Listed& x, const Listed& y) { return x.pair < y.pair; });
      for (const Listed& listed : part) {
        const Row a = static_cast<Row>(listed.pair >> 32), b = static_cast<Row>(listed.pair);
        first = ids_.id(a);
        second = ids_.id(b);
        append_row(lines.text(), first, second, {a, b, listed.shared, listed.total}, {search_.plan.verify, search_.plan.measure}, style,
                   {"a", "b"});
      }
    }
    lines.flush();
  }

 private:
  template <typename Use>
  void for_each_pair(Use&& use) const {
    for (Row row = 0; !across_ && row < search_.items(); ++row) {
      const std::span<const Row> copies = copies_[row];
      for (std::size_t i = 0; i < copies.size(); ++i) {
        for (std::size_t j = i + 1; j < copies.size(); ++j) use(copies[i], copies[j], {0, 0, 1, 1});
      }
    }
    for_each_match(search_, [&](const Match& match) {
      for (const Row a : copies_[match.a]) {
        for (const Row b : copies_[match.b]) use(std::min(a, b), std::max(a, b), match);
      }
    });
  }

  std::vector<Row> cuts_of(std::uint64_t count) const {
    const std::uint64_t most = std::max<std::uint64_t>(1024, search_.share(25) / (2 * sizeof(Listed)));
    if (count <= most) return {0, UINT32_MAX};
    const std::uint64_t width = search_.items() / 65536 + 1;
    std::vector<std::uint64_t> counts(65536);
    for_each_pair([&](Row a, Row, const Match&) { ++counts[a / width]; });
    return cut_rows(counts, width, most);
  }

  const SpillSearch& search_;
  bool across_;
  Copies copies_;
  SpilledRows ids_;
};

// Clusters in order of their first members, and their sizes.
struct Numbered {
  std::vector<std::uint32_t> cluster;  // of each keeper
  std::vector<std::uint32_t> sizes;    // of each cluster
  std::uint64_t repeated = 0;          // of two or more
};

Numbered number_clusters(const std::vector<Row>& keepers) {
  constexpr std::uint32_t kNone = UINT32_MAX;
  Numbered out{.cluster = std::vector<std::uint32_t>(keepers.size(), kNone), .sizes = {}};
  for (const Row keeper : keepers) {
    std::uint32_t& number = out.cluster[keeper];
    if (number == kNone) {
      number = static_cast<std::uint32_t>(out.sizes.size());
      out.sizes.push_back(0);
    }
    out.repeated += ++out.sizes[number] == 2;
  }
  return out;
}

// The same lines as write_clusters (rows.cc).
void write_cluster_rows(const SpillSearch& search, const std::vector<Row>& keepers, const Numbered& numbered,
                        const KeeperMatches& similarity, const ClustersOutput& output, OutputFile& file) {
  Lines lines(file);
  SpilledRows ids(search.collection.segments), keeper_ids(search.collection.segments);
  for (Row row = 0; row < keepers.size(); ++row) {
    const std::uint32_t cluster = numbered.cluster[keepers[row]];
    if (numbered.sizes[cluster] < output.least) continue;
    const bool json = output.style == RowStyle::json;
    append_cluster_row(lines.text(), ids.id(row), cluster, json ? keeper_ids.id(keepers[row]) : std::string_view(),
                       json ? similarity.match(search, row, keepers[row]) : Match{row, row, 1, 1},
                       {search.plan.verify, search.plan.measure}, output.style);
  }
  lines.flush();
}

// The same lines as write_cluster_summary (rows.cc).
void write_summary_rows(const SpillSearch& search, const std::vector<Row>& keepers, const Numbered& numbered,
                        const KeeperMatches& similarity, const ClustersOutput& output, OutputFile& file) {
  const Shown shown{search.plan.verify, search.plan.measure};
  std::vector<Match> smallest(numbered.sizes.size(), Match{0, 0, 1, 1});
  std::vector<Row> keeper_of(numbered.sizes.size());
  for (Row row = 0; row < keepers.size(); ++row) {
    const std::uint32_t cluster = numbered.cluster[keepers[row]];
    keeper_of[cluster] = keepers[row];
    note_smallest(smallest[cluster], similarity.match(search, row, keepers[row]), shown);
  }
  Lines lines(file);
  SpilledRows ids(search.collection.segments);
  for (std::uint32_t cluster = 0; cluster < numbered.sizes.size(); ++cluster) {
    if (numbered.sizes[cluster] < std::max(output.least, 2u)) continue;
    append_summary_row(lines.text(), cluster, numbered.sizes[cluster], ids.id(keeper_of[cluster]), smallest[cluster], shown, output.style);
  }
  lines.flush();
}

void write_kept(const SpillSearch& search, const std::vector<Row>& keepers, std::uint64_t kept, OutputFile& output) {
  KeptRecords records(search.collection.inputs.front(), kept, search.threads, output);
  SpilledRows rows(search.collection.segments);
  std::vector<Location> locations;
  const std::size_t many = std::min<std::size_t>(KeptRecords::kMany, static_cast<std::size_t>(search.share(25) / 4 / sizeof(Location)));
  for (Row row = 0; row < keepers.size(); ++row) {
    if (keepers[row] != row) continue;
    locations.push_back(rows.location(row));
    if (locations.size() < many) continue;
    records.write(locations);
    locations.clear();
  }
  records.write(locations);
}

void write_all_annotated(const SpillSearch& search, const std::vector<Row>& keepers, const Numbered& numbered, OutputFile& output) {
  AnnotatedRecords records(search.collection.inputs.front(), output);
  SpilledRows rows(search.collection.segments), keeper_ids(search.collection.segments);
  for (Row row = 0; row < keepers.size(); ++row)
    records.write(rows.location(row), numbered.cluster[keepers[row]], keeper_ids.id(keepers[row]));
}

void write_removed(const SpillSearch& search, const std::vector<Row>& keepers, const KeeperMatches& similarity, bool as_json,
                   OutputFile& file) {
  Lines lines(file);
  SpilledRows ids(search.collection.segments), keeper_ids(search.collection.segments);
  for (Row row = 0; row < keepers.size(); ++row) {
    if (keepers[row] == row) continue;
    append_row(lines.text(), ids.id(row), keeper_ids.id(keepers[row]), similarity.match(search, row, keepers[row]),
               {search.plan.verify, search.plan.measure}, as_json ? RowStyle::json : RowStyle::tsv, {"id", "keeper"});
  }
  lines.flush();
}

void write_skipped(const SpillSearch& search, OutputFile& file) {
  std::vector<Location> locations;
  for (const Segment& segment : search.collection.segments) {
    if (read_notes(*segment.file, 0).input != 0) continue;
    const std::vector<Location> part = segment.file->read_all<Location>(segment.file->at(kFaultPlaces));
    locations.insert(locations.end(), part.begin(), part.end());
  }
  write_locations(search.collection.inputs.front(), std::move(locations), file);
}

// The figures of the input alone, where `against` was read as well.
void count_input_only(const SpillSearch& search, std::size_t items, RunStats& stats) {
  stats.items = items;
  stats.empty = stats.copies = 0;
  for (Row row = 0; row < items; ++row) {
    stats.empty += search.empty[row];
    stats.copies += search.representative[row] != row;
  }
}

// What was freed goes back to the system: the next stage takes its share in pieces of other sizes.
void give_back_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

// What grows with the items at the search's widest place: sorting or splitting one band's buckets beside what is held throughout.
void require_enough(const SpillSearch& search, const Keep& keep) {
  const std::uint64_t held = sizeof(Row) + 1 + (keep.rule == Keep::Rule::first ? 0 : 2 * sizeof(Row));
  const std::uint64_t one_band =
      search.plan.band.bands == 0 ? 2 * sizeof(Row) : 9 * sizeof(Row);  // members, a column that stays, 28 bytes to work
  const std::uint64_t items = search.collection.size();
  constexpr std::uint64_t kWithinLeast = std::uint64_t{16} << 20;  // the least bound is enough for a small input, whatever it is
  const std::uint64_t needed = least_memory(search.threads) + std::max(items * (held + one_band), kWithinLeast) - kWithinLeast;
  if (needed <= search.memory) return;
  throw Error(ErrorCode::plan, "memory",
              std::to_string(items) + " items need at least " + bytes_text(needed) + ", the bound is " + bytes_text(search.memory) +
                  "; raise it and go on with resume");
}

}  // namespace

void search_spilled(SpillSearch& search, const Keep& keep, SpilledSets& sets) {
  Collection& collection = search.collection;
  StageClock clock;
  if (search.options.progress) search.options.progress("search", 0, 0);
  require_enough(search, keep);
  give_back_memory();
  fold_spilled(search, keep);
  std::vector<Row> members;
  for (Row place = 0; place < search.items(); ++place) {
    const Row row = search.order.empty() ? place : search.order[place];
    if (search.empty[row] == 0 && search.representative[row] == row) members.push_back(row);
  }
  collection.stats.copies = search.items() - collection.stats.empty - members.size();
  // An empty input has no pairs with `against`.
  const bool nothing = collection.inputs.size() > 1 && collection.split == 0;
  if (!nothing && search.plan.measure == Measure::exact && collection.split != 0) match_equal_across(search);
  if (!nothing && search.plan.measure != Measure::exact) {
    pair_bands(search, members);
    std::vector<Row>().swap(members);
    give_back_memory();
    const std::vector<std::shared_ptr<const RunFile>> candidates = test_candidates(search);
    search.scratch().note_size();
    collection.stats.seconds.emplace_back("candidates", clock.lap());
    give_back_memory();
    verify_candidates(search, candidates, sets);
  }
  give_back_memory();
  collection.stats.recall = nothing ? std::nullopt : recall_spilled(search, sets);
}

RunStats list_pairs_spilled(Collection collection, const Plan& plan, const PairsOutput& output, const RunOptions& options) {
  OutputFile file(output.path);
  SpillSearch search = start(collection, plan, options);
  SpilledSets sets;
  search_spilled(search, {}, sets);
  StageClock clock;
  const bool across = collection.inputs.size() > 1;
  RunStats stats = collection.stats;
  stats.pairs = count_pairs_spilled(search, across);
  require_listable(stats.pairs, options);
  PairLister(search, across).write(file, output.style, stats.pairs);
  stats.seconds.emplace_back("list", clock.lap());
  finish_stats(search, stats);
  if (options.before_output) options.before_output();
  file.commit();
  search.scratch().remove_folder();
  return stats;
}

ClustersListed list_clusters_spilled(Collection collection, const Plan& plan, const ClustersOutput& output, const ClusterOptions& options,
                                     const RunOptions& run) {
  OutputFile file(output.path);
  std::optional<OutputFile> summary;
  if (output.summary) summary.emplace(*output.summary);
  SpillSearch search = start(collection, plan, run);
  SpilledSets sets;
  search_spilled(search, options.keep, sets);
  StageClock clock;
  const std::vector<Row> keepers = keepers_spilled(search, options.linkage);
  const Numbered numbered = number_clusters(keepers);
  const bool valued = output.style == RowStyle::json || summary;
  const KeeperMatches similarity = valued ? match_keepers(search, keepers, sets) : KeeperMatches{};
  write_cluster_rows(search, keepers, numbered, similarity, output, file);
  if (summary) write_summary_rows(search, keepers, numbered, similarity, output, *summary);
  ClustersListed result{.clusters = numbered.repeated, .stats = collection.stats};
  result.stats.pairs = count_pairs_spilled(search, false);
  result.stats.seconds.emplace_back("cluster", clock.lap());
  finish_stats(search, result.stats);
  if (run.before_output) run.before_output();
  file.finish();
  if (summary) summary->commit();
  file.publish();
  search.scratch().remove_folder();
  return result;
}

DedupResult dedup_spilled(Collection collection, const Plan& plan, const DedupOptions& options, const RunOptions& run,
                          DedupOutputs& outputs) {
  SpillSearch search = start(collection, plan, run);
  SpilledSets sets;
  search_spilled(search, options.keep, sets);
  StageClock clock;
  KeeperMatches similarity;
  const std::vector<Row> keepers = options.against ? keepers_across_spilled(search, &similarity) : keepers_spilled(search, options.linkage);
  DedupResult result;
  for (Row row = 0; row < keepers.size(); ++row) result.kept += keepers[row] == row;
  result.removed = keepers.size() - result.kept;
  std::optional<Numbered> numbered;
  if (!options.against) numbered = number_clusters(keepers);
  result.clusters = options.against ? groups_across(keepers) : numbered->repeated;
  if (!options.annotate) numbered.reset();
  result.stats = collection.stats;
  count_input_only(search, keepers.size(), result.stats);
  result.stats.pairs = count_pairs_spilled(search, options.against.has_value());
  if (outputs.removed && !options.against) similarity = match_keepers(search, keepers, sets);
  result.stats.seconds.emplace_back("cluster", clock.lap());
  if (run.progress) run.progress("write", 0, 0);
  if (options.annotate) {
    write_all_annotated(search, keepers, *numbered, outputs.kept);
  } else {
    write_kept(search, keepers, result.kept, outputs.kept);
  }
  if (outputs.removed) write_removed(search, keepers, similarity, options.removed_as_json, *outputs.removed);
  if (outputs.skipped) write_skipped(search, *outputs.skipped);
  result.stats.seconds.emplace_back("write", clock.lap());
  finish_stats(search, result.stats);
  if (run.before_output) run.before_output();
  outputs.commit();
  result.stats.seconds.back().second += clock.lap();
  search.scratch().remove_folder();
  return result;
}

}  // namespace nearkin

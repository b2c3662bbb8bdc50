#include <algorithm>

#include <nearkin/tools/theory.h>

#include "base/parallel.h"
#include "collect/segment.h"
#include "search/file_search.h"
#include "search/pair_sink.h"

namespace nearkin {
namespace {

// Few, so that little memory is enough, and always as many: a group is a unit of work.
constexpr std::uint32_t kBandsAtOnce = 4;

// Bytes for each member while a group is scanned: its records, one of them sorted, the rows.
constexpr std::uint64_t kScanned = (kBandsAtOnce + 1) * sizeof(std::uint64_t) + 2 * sizeof(Row);

void write_group(const FileSearch& search, const ContainmentTables& tables, std::uint32_t group, std::size_t most_pairs) {
  RunFileWriter writer = search.scratch().create("pairs", group);
  PairSink pairs(writer, kSmallPairs, most_pairs);
  const BucketNotes notes = tables.scan(group, [&](Row a, Row b) { pairs.add(std::uint64_t{a} << 32 | b); });
  pairs.flush();
  writer.section(kBandNotes, 0, std::vector<std::uint64_t>{0, notes.large, notes.largest, notes.not_compared});
  writer.section(kBiggestBuckets, 0, std::vector<std::uint64_t>{});
  writer.finish();
}

void write_groups(const FileSearch& search, const ContainmentTables& tables, std::size_t members) {
  std::vector<std::uint32_t> left;
  for (std::uint32_t group = 0; group < tables.groups(); ++group) {
    if (!search.scratch().resume("pairs", group)) left.push_back(group);
  }
  const std::uint64_t share = search.share(21), worker = kScanned * members + 1;
  const auto workers = static_cast<unsigned>(std::clamp<std::uint64_t>(share / (2 * worker), 1, search.stage.threads));
  const std::uint64_t for_pairs = std::max(share / 4, share - std::min(share, workers * worker)) / workers;
  const auto most_pairs = static_cast<std::size_t>(for_pairs / (3 * sizeof(std::uint64_t)));
  parallel_for(left.size(), 1, workers, [&](std::size_t i, std::size_t, unsigned) { write_group(search, tables, left[i], most_pairs); });
}

// Drops the pairs whose sketches agree in too few slots for the sizes of their sets.
void test_slots(const FileSearch& search, const ContainmentTables& tables, std::uint64_t memory, std::vector<std::uint64_t>& pairs) {
  const RowBytes sketches = sketch_rows(search.rows, search.stage.plan, search.stage.threads);
  keep_pairs(search, sketches, memory, pairs, [&](std::uint64_t pair, std::span<const std::byte> a, std::span<const std::byte> b) {
    return agree_enough(a, b, tables.least_equal(static_cast<Row>(pair >> 32), static_cast<Row>(pair)));
  });
}

}  // namespace

ContainmentSearch containment_search(const Rows& rows, const Plan& plan, std::span<const std::uint32_t> sizes,
                                     std::span<const Row> members) {
  return {.slots = sketch_rows(rows, plan, 1),
          .hashes = plan.sketch.hashes,
          .sizes = sizes,
          .members = members,
          .split = rows.split,
          .threshold = plan.threshold,
          .recall = plan.recall,
          .large_bucket = plan.band.large_bucket};
}

RunFiles containment_candidate_files(const FileSearch& search, std::span<const Row> members) {
  const auto sizes = whole_column<std::uint32_t>(search.rows.segments, kSetSizes, std::optional(std::uint32_t{0}));
  ContainmentSearch what = containment_search(search.rows, search.stage.plan, sizes, members);
  what.bands_at_once = kBandsAtOnce;
  const ContainmentTables tables(what);
  write_groups(search, tables, members.size());
  const auto test = [&](std::uint64_t memory, std::vector<std::uint64_t>& pairs) { test_slots(search, tables, memory, pairs); };
  RunFiles files = test_candidates(search, static_cast<std::uint32_t>(tables.groups()), test);
  RunStats& stats = search.rows.stats;
  stats.least_recall = std::min(tables.least_recall(), search.stage.plan.recall);
  stats.candidates = 0;
  for (const std::shared_ptr<const RunFile>& file : files) stats.candidates += file->at(kCandidates).length / sizeof(std::uint64_t);
  return files;
}

}  // namespace nearkin

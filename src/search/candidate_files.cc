#include <algorithm>
#include <optional>

#include "base/parallel.h"
#include "base/radix_sort.h"
#include "collect/segment.h"
#include "kernel/kernel.h"
#include "match/band_scan.h"
#include "search/file_search.h"

namespace nearkin {
namespace {

// A run of ascending pairs in a file.
struct CandidateRun {
  const RunFile* file;
  const Section* section;
  std::uint64_t size() const { return section->length / sizeof(std::uint64_t); }
};

// The first place in the run that is not below `pair`.
std::uint64_t lower_bound(const CandidateRun& run, std::uint64_t pair) {
  BlockReader reader(*run.file, *run.section);
  std::uint64_t low = 0, high = run.size();
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (reader.value<std::uint64_t>(middle) < pair) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

struct Runs {
  std::vector<std::shared_ptr<const RunFile>> files;
  std::vector<CandidateRun> small, large;
  std::uint64_t taken_of_large = 0;
  MeetingSample meetings;
};

std::vector<BigBucket> unpacked_buckets(const RunFile& file) {
  const std::vector<std::uint64_t> packed = file.read_all<std::uint64_t>(file.at(kBiggestBuckets));
  std::vector<BigBucket> buckets;
  for (std::size_t at = 0; at + 2 <= packed.size(); at += 2 + buckets.back().members.size()) {
    BigBucket& bucket = buckets.emplace_back(BigBucket{.size = packed[at]});
    const std::size_t count = std::min<std::size_t>(packed[at + 1], packed.size() - at - 2);
    for (std::size_t i = 0; i < count; ++i) bucket.members.push_back(static_cast<Row>(packed[at + 2 + i]));
  }
  return buckets;
}

Runs open_runs(const FileSearch& search) {
  Runs runs;
  std::vector<BandNotes> bands;
  BucketNotes& notes = search.rows.stats.buckets;
  for (std::uint32_t number = 0; number < search.stage.plan.band.bands; ++number) {
    const std::shared_ptr<const RunFile>& file = runs.files.emplace_back(search.scratch().open("pairs", number));
    for (const Section& section : file->sections()) {
      if (section.kind != kSmallPairs && section.kind != kLargePairs) continue;
      (section.kind == kSmallPairs ? runs.small : runs.large).push_back({file.get(), &section});
    }
    const std::vector<std::uint64_t> told = file->read_all<std::uint64_t>(file->at(kBandNotes));
    runs.taken_of_large += told.at(0);
    notes.large += told.at(1);
    notes.largest = std::max(notes.largest, told.at(2));
    notes.not_compared += told.at(3);
    bands.push_back({.notes = {}, .biggest = unpacked_buckets(*file)});
    runs.meetings.add(MeetingSample::unpacked(file->read_all<std::uint64_t>(file->at(kMeetings))));
  }
  search.result.buckets = join_biggest(bands);
  return runs;
}

// Where to cut, so that no part has more than about `most` pairs: every so many pairs of each run one is looked at.
std::vector<std::uint64_t> cuts_of(const Runs& runs, std::uint64_t most) {
  std::vector<std::uint64_t> seen;
  const std::uint64_t every = std::max<std::uint64_t>(1, most / 64);
  for (const std::vector<CandidateRun>* const list : {&runs.small, &runs.large}) {
    for (const CandidateRun& run : *list) {
      BlockReader reader(*run.file, *run.section);
      for (std::uint64_t i = every - 1; i < run.size(); i += every) seen.push_back(reader.value<std::uint64_t>(i));
    }
  }
  std::sort(seen.begin(), seen.end());
  std::vector<std::uint64_t> cuts{0};
  for (std::size_t i = 32; i < seen.size(); i += 32) {
    if (seen[i] != cuts.back()) cuts.push_back(seen[i]);
  }
  cuts.push_back(UINT64_MAX);
  return cuts;
}

void append_part(const std::vector<CandidateRun>& runs, std::uint64_t from, std::uint64_t to, std::vector<std::uint64_t>& pairs) {
  for (const CandidateRun& run : runs) {
    const std::uint64_t begin = from == 0 ? 0 : lower_bound(run, from), end = to == UINT64_MAX ? run.size() : lower_bound(run, to);
    const std::size_t before = pairs.size();
    pairs.resize(before + static_cast<std::size_t>(end - begin));
    run.file->read(*run.section, begin, std::span(pairs).subspan(before));
  }
}

void sort_unique(std::vector<std::uint64_t>& pairs) {
  std::vector<std::uint64_t> scratch;
  radix_sort(pairs, scratch);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
}

// Drops the pairs that agree in too few bytes of their signatures.
void test_signatures(const FileSearch& search, std::uint64_t memory, std::vector<std::uint64_t>& pairs) {
  const Plan& plan = search.stage.plan;
  const std::uint32_t hashes = plan.sketch.hashes;
  const std::uint32_t least = compares_vectors(plan) ? 0 : least_signature(plan, least_share(plan, search.rows.columns));
  if (least == 0) return;
  const RowBytes signatures = fixed_rows(search.rows, kSignatures, hashes, search.stage.threads);
  std::vector<std::uint8_t> stays(pairs.size());
  join_local(pairs, signatures, memory, search.stage.threads,
             [&](unsigned, std::size_t i, std::span<const std::byte> a, std::span<const std::byte> b) {
               const auto* const x = reinterpret_cast<const std::uint8_t*>(a.data());
               stays[i] = kernel::equal_bytes(x, reinterpret_cast<const std::uint8_t*>(b.data()), hashes) >= least;
             });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (stays[i] != 0) pairs[kept++] = pairs[i];
  }
  pairs.resize(kept);
}

TestedMeetings likely_meetings(const FileSearch& search, std::uint64_t memory, MeetingSample& sample) {
  std::vector<std::uint64_t> pairs;
  for (const Meeting& meeting : sample.drawn()) pairs.push_back(meeting.pair);
  sort_unique(pairs);
  test_signatures(search, memory, pairs);
  return tested(sample, [&](std::uint64_t pair) { return std::binary_search(pairs.begin(), pairs.end(), pair); });
}

// A unit that an ended process left is good where it was cut in the same places.
bool same_cuts(const RunFile& file, std::uint64_t from, std::uint64_t to) {
  const std::vector<std::uint64_t> told = file.read_all<std::uint64_t>(file.at(kCandidateNotes));
  return told.size() == 3 && told[0] == from && told[1] == to;
}

}  // namespace

RowBytes fixed_rows(const Rows& rows, std::uint32_t section, std::size_t size, unsigned threads) {
  const auto read = [&rows, section, size, threads](std::span<const Row> wanted, const RowBytes::Use& use) {
    parallel_for(wanted.size(), 4096, threads, [&](std::size_t begin, std::size_t end, unsigned worker) {
      const Segment* segment = nullptr;
      std::optional<BlockReader> reader;
      for (std::size_t i = begin; i < end; ++i) {
        if (segment == nullptr || wanted[i] >= segment->first + segment->items) {
          segment = &segment_of(rows.segments, wanted[i]);
          reader.emplace(*segment->file, segment->file->at(section));
        }
        use(worker, i, reader->bytes(std::uint64_t{wanted[i] - segment->first} * size, size));
      }
    });
  };
  return {.size = [size](Row) { return std::uint64_t{size}; }, .read = read};
}

RunFiles band_candidates(const FileSearch& search) {
  Runs runs = open_runs(search);
  const std::uint64_t share = search.share(13), signature = search.stage.plan.sketch.hashes + 64;
  const std::uint64_t most = std::max<std::uint64_t>(1024, share / (64 + signature));
  const std::vector<std::uint64_t> cuts = cuts_of(runs, most);
  search.result.meetings = likely_meetings(search, share / 2, runs.meetings);
  RunFiles files;
  RunStats& stats = search.rows.stats;
  stats.candidates = runs.taken_of_large;
  for (std::uint32_t part = 0; part + 1 < cuts.size(); ++part) {
    std::shared_ptr<const RunFile> file = search.scratch().open("candidates", part);
    if (file != nullptr && same_cuts(*file, cuts[part], cuts[part + 1])) {
      search.scratch().count_resumed();
    } else {
      std::vector<std::uint64_t> pairs;
      append_part(runs.small, cuts[part], cuts[part + 1], pairs);
      sort_unique(pairs);
      const std::uint64_t looked_at = pairs.size();
      append_part(runs.large, cuts[part], cuts[part + 1], pairs);
      if (pairs.size() > looked_at) sort_unique(pairs);
      test_signatures(search, share / 2, pairs);
      search.scratch().remove("matches", part);  // of other cuts, if there is one; never to be seen beside the candidates of these
      RunFileWriter writer = search.scratch().create("candidates", part);
      writer.section(kCandidates, 0, pairs);
      writer.section(kCandidateNotes, 0, std::vector<std::uint64_t>{cuts[part], cuts[part + 1], looked_at});
      writer.finish();
      file = search.scratch().open("candidates", part);
    }
    stats.candidates += file->read_all<std::uint64_t>(file->at(kCandidateNotes)).at(2);
    files.push_back(std::move(file));
    search.stage.progress("candidates", part + 1, cuts.size() - 1);
  }
  return files;
}

}  // namespace nearkin

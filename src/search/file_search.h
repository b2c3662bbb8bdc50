// The search by sketches over rows that are in files: the same matches as in memory, stage by stage, each with a bounded share of memory
// and its results in files of the run's scratch folder. A unit of work is one file; a resumed run does not repeat units whose files exist.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "io/run_file/run_file.h"
#include "search/search.h"

namespace nearkin {

/// What the stages share.
struct FileSearch {
  Rows& rows;
  const Stage& stage;
  SearchResult& result;

  std::size_t items() const { return result.items(); }
  Scratch& scratch() const { return *rows.scratch; }
  std::uint64_t share(std::uint64_t held) const { return share_of(rows, stage, held); }
};

using RunFiles = std::vector<std::shared_ptr<const RunFile>>;

/// Pair files: of each band the pairs that share a bucket, packed as a << 32 | b with a < b, ascending in runs. Unit: a band.
enum PairSection : std::uint32_t { kSmallPairs = kFirstFreeSection, kLargePairs, kLargePlaces, kBandNotes, kBiggestBuckets, kMeetings };
void pair_bands(const FileSearch& search, std::span<const Row> members);

/// Candidate files: the pairs of all bands, each once, ascending, without those that their signatures rule out. Unit: a range of pairs.
enum CandidateSection : std::uint32_t { kCandidates = kFirstFreeSection, kCandidateNotes };
RunFiles band_candidates(const FileSearch& search);

/// Match files: the candidates that reach the threshold. Unit: a candidate file; before that, a range of rows whose shingle sets are
/// written.
void verify_candidates(const FileSearch& search, const RunFiles& candidates);

/// Throws Error(plan) if the memory bound is too small for this many rows.
void require_memory(const Rows& rows, const Stage& stage, const Keep& keep);

/// Does all stages: fills result.matches and result.sets.
void search_in_files(const FileSearch& search, std::vector<Row> members);

/// Rows at which to cut into parts; the first is 0, the last is UINT32_MAX. counts[i] belongs to `width` rows from i·width on. No part has
/// a sum above `most`, unless a single count has.
std::vector<Row> cut_rows(std::span<const std::uint64_t> counts, std::uint64_t width, std::uint64_t most);

/// Records of `size` bytes per row, in a section of every segment.
RowBytes fixed_rows(const Rows& rows, std::uint32_t section, std::size_t size, unsigned threads);

}  // namespace nearkin

// Segments: what a run keeps of a range of items, as sections of a run file. A scratch folder has a file for each; a sketch file has many.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <nearkin/run.h>

#include "collect/rows.h"
#include "collect/sketcher.h"
#include "io/run_file/run_file.h"

namespace nearkin {

/// Sections of a segment. Their number is the number of the segment in its file.
enum SegmentSection : std::uint32_t {
  kSegmentNotes = kFirstFreeSection,
  kIdBytes,
  kIdEnds,  ///< u64 per item, within the segment's id bytes
  kLocations,
  kTextSizes,
  kNumbers,
  kEmptyItems,
  kContents,
  kSignatures,
  kSlots,
  kFaultPlaces,
  kSetSizes,           ///< absent where there are none
  kVectorShape,        ///< of vectors as they were read: kind, dimensions; absent where there are none
  kScopes,             ///< u64 per item; absent where there are none
  kKeyColumns = 1024,  ///< and following: one kind per band, u32 per item
};

/// What must be known about a segment before its arrays are read.
struct SegmentNotes {
  std::uint64_t items = 0;
  std::uint32_t input = 0;         ///< 0: the input, 1: `against`
  std::uint32_t first_source = 0;  ///< the first of the source records that are in the same file
  Position end = {};               ///< how far the input had been read at the end of this segment
  bool last = false;               ///< this is the last segment of the input
  std::uint64_t shingles = 0;
  Faults faults = {};  ///< of the records read for this segment
};

/// Writes the rows [begin, end) of those in memory as segment `number`. The places of bad records are written with the first row.
void write_segment(RunFileWriter& writer, std::uint32_t number, const RowArrays& part, std::size_t begin, std::size_t end, const Plan& plan,
                   const SegmentNotes& notes);
/// Copies a segment of one file into another, together with the kept bytes of streams.
void copy_segment(const RunFile& from, std::uint32_t number, RunFileWriter& to, std::uint32_t new_number);

SegmentNotes read_notes(const RunFile& file, std::uint32_t number);
/// The whole segment as if its records had just been sketched; locations count their sources from `first_source` on.
void read_segment(const RunFile& file, std::uint32_t number, const Plan& plan, std::uint32_t first_source, bool units, Sketched& out);

}  // namespace nearkin

// Collects sketched chunks into one Rows object, in order: checks ids, counts rows, and writes what does not fit in memory to segments.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "collect/collect.h"
#include "collect/id_table.h"
#include "collect/segment.h"
#include "collect/sketcher.h"

namespace nearkin {

/// When rows go to files.
struct SpillRule {
  std::uint64_t memory = 0;         ///< bound of the run; 0: never
  std::uint64_t segment_bytes = 0;  ///< once files are used: size of the arrays in memory at which a segment is written
  unsigned threads = 1;
  bool from_the_start = false;
  bool keeps_ids = false;  ///< Spill::keeps_ids
  Scratch::Options scratch;
  bool allows() const { return memory > 0; }
};

/// What an earlier process collected of an input.
struct EarlierWork {
  bool any = false;
  bool complete = false;              ///< nothing is left to read
  Position position;                  ///< where reading continues
  std::vector<SourceRecord> records;  ///< of the sources up to there
};

/// Called for each item of a chunk that becomes a row; may be empty.
using KeepItem = std::function<void(Row item, Row row)>;

class Collector {
 public:
  /// `number`: 0 for the input, 1 for `against`.
  Collector(Rows& rows, const Plan& plan, const Input& input, std::uint32_t number, const SpillRule& rule);

  void add(const Sketched& part, Sources& sources, const KeepItem& keep = {});
  /// Stops collecting after these items.
  void stop_behind(const Beginning& beginning) { beginning_ = beginning; }
  /// Whether items were left out by stop_behind.
  bool has_stopped() const { return stopped_.load(std::memory_order_relaxed); }
  /// Call once at the end of the input. If there are segments, writes the rows that are still in memory to them.
  void finish(Sources& sources);
  /// Writes all rows in memory to files. Call it after `finish`.
  void move_to_files(Sources& sources);
  /// Takes over what an earlier process collected of this input.
  EarlierWork resume(Sources& sources);

 private:
  void reserve(const Sketched& part, const Sources& sources);
  bool add_item(Row i, const Sketched& part, const Sources& sources);
  void append_item(Row i, const Sketched& part);
  std::string vector_problem(const Batch& batch, Row i) const;
  void refuse(std::string_view id, const Location& location, Row earlier, const Sources& sources);
  void skip(const Location& location, const std::string& message, const Sources& sources);
  RowReader& reader(Row row);
  void note_faults(const Faults& faults);
  bool has_enough() const;
  bool is_used_before(Row i, const Sketched& part, const Sources& sources);
  bool too_large(const Sources& sources) const;
  void flush(Sources& sources, bool last);
  void write_part(Sources& sources, std::size_t begin, std::size_t end, const SegmentNotes& notes);
  void write_behind(Sources& sources, const SegmentNotes& notes);
  void write_sources(RunFileWriter& writer, const Sources& sources, const SegmentNotes& notes) const;
  RunFileWriter begin_part(const SegmentNotes& notes);
  void wait();
  void add_segment(const std::shared_ptr<const RunFile>& file, Sources& sources, EarlierWork& found);

  Rows& rows_;
  const Plan& plan_;
  const Input& input_;
  std::uint32_t number_;
  const SpillRule& rule_;
  IdTable ids_;
  Row first_row_;               ///< of this input
  std::uint64_t first_record_;  ///< the same of records, where items are parts of them
  std::optional<Beginning> beginning_;
  std::uint64_t bytes_read_ = 0;       ///< of records
  std::string renamed_;                ///< the new name of the last record, if its id was used before and it is kept
  bool refused_ = false;               ///< units: the last record was refused, because its id was used before
  std::atomic<bool> stopped_ = false;  ///< read by other threads while items are added
  RowReader reader_;
  std::uint32_t first_source_ = 0;
  Position position_;
  Faults faults_;                     ///< since the last segment
  std::uint64_t shingles_ = 0;        ///< since the last segment
  bool predicted_ = false;            ///< the first records showed that the rows will not fit in memory
  std::uint64_t expected_bytes_ = 0;  ///< bytes of all segments, predicted from the first records
  std::future<void> writing_;         ///< the write of the last segment, whose file is not complete yet
  Sources* kept_in_ = nullptr;        ///< the sources whose kept bytes it writes; null: none
  std::uint64_t kept_behind_ = 0;     ///< those bytes, in memory until it is complete
};

/// Sums that determine the memory of a run.
struct RowSums {
  std::uint64_t items = 0;
  std::uint64_t shingles = 0;  ///< of all items
  std::uint64_t ids = 0;       ///< bytes
  std::uint64_t vectors = 0;   ///< bytes
};
RowSums sums_of(const Rows& rows);

/// The most bytes that a run in memory takes: arrays, buckets, shingle sets, vectors.
std::uint64_t bytes_in_memory(const Plan& plan, const RowSums& sums, unsigned threads);

}  // namespace nearkin

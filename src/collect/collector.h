// Sketched chunks → one rows, in order: ids are checked, rows counted, and what does not fit in memory goes to segments.
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

/// When a rows goes to files.
struct SpillRule {
  std::uint64_t memory = 0;         ///< bound of the run; 0: never
  std::uint64_t segment_bytes = 0;  ///< of arrays in memory that make a segment, once files are used
  unsigned threads = 1;
  bool from_the_start = false;
  Scratch::Options scratch;
  bool allows() const { return memory > 0; }
};

/// What another process collected of an input.
struct EarlierWork {
  bool any = false;
  bool complete = false;              ///< nothing is left to read
  Position position;                  ///< where to go on
  std::vector<SourceRecord> records;  ///< of the sources up to there
};

/// Told of each item of a chunk that becomes a row; empty: nobody is told.
using KeepItem = std::function<void(Row item, Row row)>;

class Collector {
 public:
  /// `number`: 0 for the input, 1 for `against`.
  Collector(Rows& rows, const Plan& plan, const Input& input, std::uint32_t number, const SpillRule& rule);

  void add(const Sketched& part, Sources& sources, const KeepItem& keep = {});
  /// Items behind these are left out.
  void stop_behind(const Beginning& beginning) { beginning_ = beginning; }
  /// Whether there were any.
  bool has_stopped() const { return stopped_.load(std::memory_order_relaxed); }
  /// Nothing follows: what is in memory joins the segments, where there are any.
  void finish(Sources& sources);
  /// All that is in memory, `finish` having been called before.
  void move_to_files(Sources& sources);
  /// Takes over what another process collected of this input.
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
  Row first_row_;  ///< of this input
  std::optional<Beginning> beginning_;
  std::uint64_t bytes_read_ = 0;       ///< of records
  std::string renamed_;                ///< what the last record is called, where its id was used before and it is kept
  bool refused_ = false;               ///< units: the last record, whose id was used before
  std::atomic<bool> stopped_ = false;  ///< asked while items are added
  RowReader reader_;
  std::uint32_t first_source_ = 0;
  Position position_;
  Faults faults_;                     ///< since the last segment
  std::uint64_t shingles_ = 0;        ///< since the last segment
  bool predicted_ = false;            ///< the first records showed that it will not fit
  std::uint64_t expected_bytes_ = 0;  ///< of all segments, by the first records
  std::future<void> writing_;         ///< of the last segment, whose file is not there yet
};

/// What decides the memory of a run.
struct RowSums {
  std::uint64_t items = 0;
  std::uint64_t shingles = 0;  ///< of all items
  std::uint64_t ids = 0;       ///< bytes
  std::uint64_t vectors = 0;   ///< bytes
};
RowSums sums_of(const Rows& rows);

/// Bytes that a run in memory takes, at the most: arrays, buckets, shingle sets, vectors.
std::uint64_t bytes_in_memory(const Plan& plan, const RowSums& sums, unsigned threads);

}  // namespace nearkin

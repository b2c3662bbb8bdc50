// Writes records to a file: the kept ones unchanged, or all of them with fields added.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "collect/collect.h"
#include "io/bytes/output.h"
#include "io/formats/result_rows.h"

namespace nearkin {

/// Fields that are added to records at their ends.
struct AddedFields {
  std::vector<std::string> names;
  /// The end of the error message for a record that already has one of these fields.
  const char* refusal = "which would be added; rename it, or use 'cluster', which lists each item's cluster";
};
/// A record with the fields added, in its own encoding; `values` has one for each. Throws Error(data) if the record already has one of the
/// fields.
std::string with_added(const Sources& sources, const Location& location, std::string_view record, const AddedFields& fields,
                       std::span<const AddedValue> values);
/// The same for the header of a source, with their names.
std::string header_with_added(const Sources& sources, std::size_t source, const AddedFields& fields);

/// Writes records of an input one after another, unchanged. A last line without a line end gets one if another record follows. Records of a
/// fixed layout are written without anything between them.
class RecordWriter {
 public:
  /// `added`: fields to add to the header that `meet` and `begin_with_header` write.
  RecordWriter(const Sources& sources, OutputFile& output, AddedFields added = {})
      : sources_(sources), output_(output), added_(std::move(added)) {}
  /// Call before the first record if `meet` is not called: writes the byte-order mark of the first of these sources.
  void begin(std::size_t sources);
  /// Call before the first record of a text format, after all sources were read: writes the mark and the header of the first source.
  void begin_with_header();
  /// From now on lines end as in this source. For bad records, which are written without a mark.
  void ends_lines_as(std::size_t source);
  /// Whole records, or a header.
  void write(std::string_view bytes);
  /// Writes a record of this chunk; for format files, its path as a line.
  void write(const Chunk& chunk, const Location& location);
  /// The same record, read again.
  void write(const Location& location);
  /// For output that is written while the input is still being read. Call with the number of a source plus 1 before its first record is
  /// written, and at the end with the number of sources: writes the first header that there is. Throws Error(data) if records of these
  /// sources cannot go into one file, Error(plan) if the name of the output has the extension of another format.
  void meet(std::size_t sources);

 private:
  void write_archived(std::string_view records);

  const Sources& sources_;
  OutputFile& output_;
  AddedFields added_;
  std::string buffer_;
  std::string newline_ = "\n";
  bool begun_ = false;
  std::size_t met_ = 0;
  bool has_header_ = false;
  bool open_line_ = false;
};

/// Writes the bad records of the chunk, in the order of the file.
void write_skipped(const Chunk& chunk, Batch& batch, RecordWriter& skipped);

inline bool stands_before(const Location& a, const Location& b) { return a.source != b.source ? a.source < b.source : a.offset < b.offset; }

/// Whether a bad record can be written unchanged: the rest of an unreadable file is not a record, and lines of a graph are not written.
bool is_record(const Sources& sources, const Location& fault);

/// The bad records that can be written unchanged, in input order; none unless `keep`. Counts the others in `lost`.
std::vector<Location> faults_to_keep(const Sources& sources, const std::vector<Location>& faults, bool keep, std::uint64_t& lost);

/// Merges bad records with the other records, both in input order.
class FaultCursor {
 public:
  explicit FaultCursor(std::span<const Location> faults) : rest_(faults) {}
  /// Starts at `first`: skips the faults before it.
  FaultCursor(std::span<const Location> faults, const Location& first)
      : rest_(faults.subspan(
            static_cast<std::size_t>(std::lower_bound(faults.begin(), faults.end(), first, stands_before) - faults.begin()))) {}
  /// Calls use(fault) for each remaining fault before this record.
  template <typename Use>
  void before(const Location& record, Use use) {
    while (!rest_.empty() && stands_before(rest_.front(), record)) {
      use(rest_.front());
      rest_ = rest_.subspan(1);
    }
  }
  template <typename Use>
  void rest(Use use) {
    for (const Location& fault : std::exchange(rest_, {})) use(fault);
  }

 private:
  std::span<const Location> rest_;
};

/// Notes how many bad records were written to the output (`kept`) and how many could not be (`lost`), also in the messages. `before` and
/// `after`: numbers of faults of inputs that were read before or after this one.
void note_kept(Faults& faults, std::uint64_t kept, std::uint64_t lost, std::uint64_t before = 0, std::uint64_t after = 0);

/// A bad record where fields are added to the others: a row of a table gets empty cells, everything else is unchanged.
std::string with_blanks(const Sources& sources, const Location& location, std::string_view record, const AddedFields& fields);

/// Throws Error(data) if the records of the input cannot go into one file, because formats or headers differ. Throws Error(plan) if the
/// name of the output has the extension of another format, or if the fields that the option `adding` asks for cannot be added (null: no
/// fields are added).
void check_one_output(const Sources& sources, const std::string& output, const char* adding);

/// Writes the kept records, in order and unchanged, with one header (for .npy and IDX, with the number of kept rows). For format files it
/// writes the paths.
class KeptRecords {
 public:
  KeptRecords(const Sources& sources, std::uint64_t kept, unsigned threads, OutputFile& output);
  /// Writes the next kept records. Many threads read them, so give many locations per call.
  void write(std::span<const Location> locations);
  /// A good number of locations per call.
  static constexpr std::size_t kMany = std::size_t{1} << 18;

 private:
  const Sources& sources_;
  RecordWriter writer_;
  const bool terminal_;
  std::vector<std::string> buffers_, pieces_;
};

/// Records of the input, in order, with fields added at their ends.
class AnnotatedRecords {
 public:
  AnnotatedRecords(const Sources& sources, std::vector<std::string> fields, OutputFile& output);
  /// A value for each field.
  void write(const Location& location, std::span<const AddedValue> values);
  /// A record at fault.
  void write_fault(const Location& location);

 private:
  const Sources& sources_;
  AddedFields fields_;
  RecordWriter writer_;
  std::string buffer_;
};

/// Records at fault, bytes unchanged, in input order.
void write_locations(const Sources& sources, std::vector<Location> locations, OutputFile& output);

}  // namespace nearkin

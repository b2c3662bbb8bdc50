// Records → file: the kept ones as they came, or all of them with what was found about them added.
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
  /// What is said where a record has one of them already.
  const char* refusal = "which would be added; rename it, or use 'cluster', which lists each item's cluster";
};
/// A record with the fields added, in its own encoding; `values` has one for each. Throws Error(data) where it has one of them already.
std::string with_added(const Sources& sources, const Location& location, std::string_view record, const AddedFields& fields,
                       std::span<const AddedValue> values);
/// The same for the header of a source, with their names.
std::string header_with_added(const Sources& sources, std::size_t source, const AddedFields& fields);

/// Writes records of an input one after the other, as they came. A last line without an end gets one when another record follows it; where
/// records are of a fixed layout, not lines, nothing comes between them.
class RecordWriter {
 public:
  /// `added`: to the header that `meet` and `begin_with_header` write.
  RecordWriter(const Sources& sources, OutputFile& output, AddedFields added = {})
      : sources_(sources), output_(output), added_(std::move(added)) {}
  /// Before the first record, where `meet` is not called: writes the byte-order mark that the first of these sources has.
  void begin(std::size_t sources);
  /// Before the first record of a text, all sources having been read: the mark and the header that the first of them has.
  void begin_with_header();
  /// From now on lines end as those of this source; for records at fault, which are written without a mark.
  void ends_lines_as(std::size_t source);
  /// Whole records, or a header.
  void write(std::string_view bytes);
  /// A record of this chunk; of format files its path, as a line.
  void write(const Chunk& chunk, const Location& location);
  /// The same record, read again.
  void write(const Location& location);
  /// To be called before the first record of a source is written while the input is still being read, with the number of that source and
  /// 1, and at the end with the number of sources: writes the first header there is. Throws Error(data) where records of these sources
  /// cannot stand in one file, Error(plan) where the name of the output promises another format.
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

/// Those of the chunk's records that are at fault, in the order of the file.
void write_skipped(const Chunk& chunk, Batch& batch, RecordWriter& skipped);

inline bool stands_before(const Location& a, const Location& b) { return a.source != b.source ? a.source < b.source : a.offset < b.offset; }

/// Those of the records at fault that can be written as they came, in input order; none where they are not to be kept. Counts the others in
/// `lost`: the rest of a file that cannot be read is no record, and a line of a graph is none that is written.
std::vector<Location> faults_to_keep(const Sources& sources, const std::vector<Location>& faults, bool keep, std::uint64_t& lost);

/// Goes through records at fault beside the other records, both in input order.
class FaultCursor {
 public:
  explicit FaultCursor(std::span<const Location> faults) : rest_(faults) {}
  /// Without those before a record that it does not begin with.
  FaultCursor(std::span<const Location> faults, const Location& first)
      : rest_(faults.subspan(
            static_cast<std::size_t>(std::lower_bound(faults.begin(), faults.end(), first, stands_before) - faults.begin()))) {}
  /// Calls `use` for each that stands before this record and was not met.
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

/// So many records at fault were written to the output, and so many could not be: counts them, and says so. `before`: faults of another
/// input, which was read first; `after`: of one that was read later.
void note_kept(Faults& faults, std::uint64_t kept, std::uint64_t lost, std::uint64_t before = 0, std::uint64_t after = 0);

/// A record at fault where fields are added to the others: the columns of a table are filled with empty cells, all else is as it came.
std::string with_blanks(const Sources& sources, const Location& location, std::string_view record, const AddedFields& fields);

/// Throws Error(data) when the records of the input cannot go into one file: formats or headers that differ; Error(plan) when the name of
/// the output promises another format, and where fields cannot be added as the option `adding` asks for; null: none is asked for.
void check_one_output(const Sources& sources, const std::string& output, const char* adding);

/// The records kept, in order, bytes unchanged; a header once (of .npy and IDX with the number of rows kept); of `files` inputs the paths.
class KeptRecords {
 public:
  KeptRecords(const Sources& sources, std::uint64_t kept, unsigned threads, OutputFile& output);
  /// The next of them. Pieces of them are read by many threads: a call with many is better than many calls.
  void write(std::span<const Location> locations);
  /// Locations that one call should have.
  static constexpr std::size_t kMany = std::size_t{1} << 18;

 private:
  const Sources& sources_;
  RecordWriter writer_;
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

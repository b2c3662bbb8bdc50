// What run files tell of the sources of their records, and whether these sources are still the same.
#pragma once

#include <nearkin/items.h>

#include "io/bytes/descriptor.h"
#include "io/run_file/run_file.h"

namespace nearkin {

/// What must be known of a source to read its records again without reading it through: in scratch and sketch files.
struct SourceRecord {
  std::string path;  ///< as it was named or found; "-": standard input
  Format format = Format::lines;
  std::string header;      ///< Sources::header
  bool on_disk = false;    ///< a plain file, not compressed; else its records are in kept sections of run files
  bool made = false;       ///< no file: the nodes of edges
  std::uint64_t size = 0;  ///< of a plain file, compressed or not, when it was read; 0 for all else, and where nothing was read of it
  std::int64_t seconds = 0, nanoseconds = 0;  ///< of its last change
  std::uint64_t content = 0;                  ///< hash of all bytes of such a file; 0: not known
  std::string first = {};                     ///< csv, tsv, table without a header: the first record, which shows the columns
};

/// Sections of run files that this folder writes; others begin at kFirstFreeSection.
enum IoSection : std::uint32_t { kSourceRecords = 1, kKeptFrames = 2, kKeptIndex = 3, kInputOptions = 4, kFirstFreeSection = 16 };

/// Sketch files carry the records of their sources and the options of their input (fields, separator …), which must be those of the
/// input that names the sketch file.
void write_source_records(RunFileWriter& writer, const std::vector<SourceRecord>& records, const Input& input);
std::vector<SourceRecord> read_source_records(const RunFile& file);
/// For sketch files: fills in the contents of plain files that are not known, by reading these files, so that copies of them are recognised
/// although their times differ.
void add_contents(std::vector<SourceRecord>& records);

/// ContentHash of a whole file. Throws Error(file) where it cannot be read.
std::uint64_t content_of_file(const std::string& path);

/// Whether the record tells the state of a file: it was one, and something was read of it.
bool was_read(const SourceRecord& record);
bool has_time_of(const FileState& state, const SourceRecord& record);

/// For messages: since when, and what to do.
struct ChangedSince {
  std::string event, way_out;
};
/// The state of the file at `path`. Throws Error(file) if the file has changed since the record: its size, or its time (unless the recorded
/// content hash is still the same).
FileState require_unchanged(const SourceRecord& record, const std::string& path, const ChangedSince& since);

}  // namespace nearkin

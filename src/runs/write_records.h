// Records → file: the kept ones as they came, or all of them with what was found about them added.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "collect/collect.h"
#include "io/bytes/output.h"

namespace nearkin {

/// Writes records one after the other; a last line without an end gets one when another record follows it, unless they are no lines.
class RecordWriter {
 public:
  explicit RecordWriter(OutputFile& output, bool binary = false) : output_(output), binary_(binary) {}
  void write(std::string_view bytes) {
    if (bytes.empty()) return;
    if (open_line_) output_.write("\n");
    output_.write(bytes);
    open_line_ = !binary_ && bytes.back() != '\n';
  }

 private:
  OutputFile& output_;
  bool binary_;
  bool open_line_ = false;
};

/// csv/tsv: the header of the first source that has one, else nothing. To be called once all sources are read.
std::string_view common_header(const Sources& sources);

/// Throws Error(data) when the records of source `i` cannot follow those of the first in one file.
void check_follows(const Sources& sources, std::size_t i);

/// Throws Error(data) when the records of the input cannot go into one file: formats or headers that differ.
void check_one_output(const Sources& sources, bool annotate);

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

/// Every record of the input, in order, with two fields added: its cluster's number and its keeper's id.
class AnnotatedRecords {
 public:
  AnnotatedRecords(const Sources& sources, OutputFile& output);
  void write(const Location& location, std::uint32_t cluster, std::string_view keeper);

 private:
  const Sources& sources_;
  RecordWriter writer_;
  Format format_;
  char separator_;
  std::string buffer_;
};

/// Records at fault, bytes unchanged, in input order.
void write_locations(const Sources& sources, std::vector<Location> locations, OutputFile& output);

}  // namespace nearkin

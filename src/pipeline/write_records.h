// Records → file: the kept ones as they came, or all of them with what was found about them added.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "io/output.h"
#include "pipeline/collect.h"

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

/// The records of `rows`, ascending, bytes unchanged; a header once (of .npy and IDX with the number of rows kept); of `files` inputs the
/// paths.
void write_records(const Collection& collection, const std::vector<Row>& rows, unsigned threads, OutputFile& output);

/// Every record of the input with two fields added: its cluster's number and its keeper's id.
void write_annotated(const Collection& collection, const std::vector<std::uint32_t>& clusters, const std::vector<Row>& keepers,
                     OutputFile& output);

/// Records at fault, bytes unchanged, in input order.
void write_locations(const Sources& sources, std::vector<Location> locations, OutputFile& output);

}  // namespace nearkin

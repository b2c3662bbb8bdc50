// What the first bytes of a source say about the rest: how its bytes fall into records, and what the fields of a record are.
#pragma once

#include "io/formats/csv.h"
#include "io/formats/dense_text.h"
#include "io/formats/records.h"
#include "io/source/chunker.h"
#include "io/source/source_records.h"

namespace nearkin {

/// How the records of a source are cut and read, if its format alone does not determine it: csv, tsv, table and dense, and every source
/// that begins with a byte-order mark or is not UTF-8.
struct Layout {
  std::string mark;    ///< a byte-order mark before all
  Encoding encoding;   ///< of all but the mark
  bool empty = false;  ///< there are no bytes from which to tell the encoding
  std::string header;  ///< Sources::header
  std::string first;   ///< SourceRecord::first
  RecordCut cut;
  CsvColumns columns;      ///< csv, tsv
  TableColumns questions;  ///< table
  DenseColumns dense;      ///< dense text
};

/// What all sources of an input are read with.
struct InputRules {
  Input input;
  Fields fields;
};

/// Whether the texts of a source are pages of HTML, of which the visible text is read.
bool holds_pages(Format format, const std::string& path, const Input& input);

RecordCut cut_by_format(Format format, const Input& input);

/// Throws Error(plan) where metadata is asked of a format that has no fields, or units or pages of one that has no texts.
void require_fields(Format format, const InputRules& rules, const std::string& path);

/// The layout of a file of binary vectors, from its first bytes or its header alone; null where it is a text.
std::unique_ptr<Layout> array_layout_of(const std::string& path, std::string_view first, const Input& input);
/// The first bytes of standard input as a text, without a byte-order mark.
std::string text_of_first(std::string_view first, const Input& input);
/// Which encoding a source of this format has that begins with these bytes; what a page declares is looked at when it is parsed.
EncodingFound encoding_of(std::string_view first, const std::string& path, Format format, const Input& input);
/// The layout of a text whose first bytes, after its mark, come next; null if the format determines everything. Skips the header.
std::unique_ptr<Layout> read_layout(Chunker& chunker, const std::string& path, Format format, const Encoding& encoding,
                                    const InputRules& rules);
/// What is recorded as the header of a source: everything before the first record.
std::string before_records(const Layout& layout);
/// The layout of a source that was read before.
std::unique_ptr<Layout> recorded_layout(const SourceRecord& record, const InputRules& rules);

/// Parses the records of a chunk. `nodes`: those that a graph tells. `layout` may be null.
void parse_records(const Chunk& chunk, Format format, const Layout* layout, bool nodes, const InputRules& rules, RecordSink& sink);

}  // namespace nearkin

// What is behind Sources: the sources one by one, and the one that is open.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/content_hash.h"
#include "io/bytes/descriptor.h"
#include "io/formats/csv.h"
#include "io/formats/dense_text.h"
#include "io/formats/edges.h"
#include "io/formats/records.h"
#include "io/formats/table.h"
#include "io/source/chunker.h"
#include "io/source/kept_bytes.h"
#include "io/source/reread.h"
#include "io/source/sketch_inputs.h"
#include "io/source/source.h"

namespace nearkin {

/// How the records of a source are cut and read, where its format alone does not tell.
struct Layout {
  std::string header;  ///< csv, tsv, table, dense
  std::string first;   ///< SourceRecord::first
  RecordCut cut;
  CsvColumns columns;      ///< csv, tsv
  TableColumns questions;  ///< table
  DenseColumns dense;      ///< dense text
};

/// Small: there may be millions of them.
struct Source {
  std::string path;                          ///< as it was named or found
  std::unique_ptr<const std::string> place;  ///< where the file is, if not at `path`
  std::string lost;                          ///< why nothing of it is read
  FileState state;                           ///< when it was opened
  std::uint64_t size = 0;                    ///< of a plain file, as it was listed
  std::uint64_t content = 0;                 ///< SourceRecord::content; written by the thread that reads, so by atomic_ref
  std::unique_ptr<Layout> layout;            ///< null: the format tells all
  std::unique_ptr<KeptBytes> kept;
  std::optional<std::uint32_t> sketch;  ///< the sketch file that it is in
  Format format = Format::files;
  bool named = true;     ///< InputPath::named
  bool on_disk = false;  ///< a plain file, not compressed: records can be fetched from it again
  bool graph = false;    ///< no file: the nodes of edges
  bool binary = false;   ///< left out for that, without a word
  bool memory = false;   ///< no file: Input::memory

  const std::string& file() const { return place ? *place : path; }
};

/// A sketch file and its sources.
struct SketchPlace {
  SketchFile sketch;  ///< the records of sources that were adopted are gone
  std::uint32_t first = 0, count = 0;
  bool adopted = false;
};

inline bool has_columns(Format format) { return format == Format::csv || format == Format::tsv || format == Format::table; }
RecordCut cut_by_format(Format format, const Input& input);

struct Sources::State {
  Input input;
  bool keep_bytes = false;
  bool hash_contents = false;
  Fields fields;
  std::vector<Source> sources;
  std::vector<SketchPlace> sketches;
  std::uint64_t total_bytes = 0;
  std::atomic<std::uint64_t> bytes_read{0};
  std::shared_ptr<BufferPool> pool = std::make_shared<BufferPool>();
  std::size_t following = 0;        ///< the source to be opened next
  std::optional<ContentHash> hash;  ///< of the open source
  std::optional<Chunker> open;
  std::optional<Graph> graph;  ///< of all edges read so far, until its lines are told
  std::uint64_t graph_offset = 0, graph_line = 1;
  std::size_t memory_row = 0;  ///< the next of Input::memory
  mutable OpenFiles files;
  mutable FrameCache frames;
  std::atomic<std::uint64_t> kept_bytes{0};  ///< in memory
  std::size_t kept_from = 0;                 ///< no source before has kept bytes in memory

  State(const Input& given, bool keep, bool through_sketches);
  Source& current() { return sources[following - 1]; }
  std::uint32_t current_number() const { return static_cast<std::uint32_t>(following - 1); }
  RecordCut cut_of(const Source& source) const;

  // source.cc: reading on.
  void add_source(InputPath path, Format format);
  void add_graph();
  void add_memory();
  void open_source();
  void prepare(Source& source);
  bool readable(Source& source, std::string_view first) const;
  Chunk lost_chunk(std::uint64_t offset, const std::string& problem) const;
  std::optional<Chunk> next_of_open();
  std::optional<Chunk> next_of_graph();
  std::optional<Chunk> next_of_memory();
  Chunk finished(Chunk chunk);
  void keep(Source& source, const Chunk& chunk);
  void close_source();
  void close_unread();
  void parse(const Chunk& chunk, Batch& batch, bool items_only) const;

  // source_layout.cc: what the first bytes of a source say of the rest.
  bool set_array(Source& source, std::string_view first) const;
  void set_columns(Source& source, std::string first_record) const;
  DenseColumns dense_columns() const;
  void set_dense_header(Source& source, std::string header) const;

  // source_resume.cc: what others read before.
  void add_sketch(SketchFile sketch);
  void add_to_sketch(std::uint32_t sketch);
  void require_one_graph() const;
  std::optional<Chunk> next_of_sketch();
  void adopt(std::size_t source, const SourceRecord& record, const std::string& place, const ChangedSince& since);
  void adopt_sketch(SketchPlace& place);
  void go_on_in(const SourceRecord& record, std::uint64_t offset, std::uint64_t line);
  void drop_until(std::uint64_t offset);
  void take_kept(const std::shared_ptr<const RunFile>& file, std::size_t first_source, std::size_t count);
};

}  // namespace nearkin

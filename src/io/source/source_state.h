// What is behind Sources: the kinds of sources, a closed set, each with what is known of a source of its kind; and the one that is open.
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <variant>

#include "io/bytes/descriptor.h"
#include "io/formats/edges.h"
#include "io/source/extract.h"
#include "io/source/inputs.h"
#include "io/source/kept_bytes.h"
#include "io/source/layout.h"
#include "io/source/reread.h"
#include "io/source/source.h"

namespace nearkin {

/// A path that was not opened yet.
struct Waiting {};

/// A plain file, not compressed: its records are read again from the disk.
struct PlainFile {
  FileState state;                           ///< when it was opened
  std::unique_ptr<const std::string> place;  ///< where the file is, if not at the path of the source
};

/// Standard input, a pipe, a compressed file: its records are read again from the bytes that were kept.
struct Stream {
  FileState state;  ///< of a compressed file
  std::unique_ptr<KeptBytes> kept;
};

/// The nodes of all edges, which no file holds.
struct GraphNodes {
  std::unique_ptr<KeptBytes> kept;
};

/// Input::memory.
struct MemoryRows {};

/// A source of a sketch file that was not reached yet; once it is reached, the source becomes what the sketch file has recorded of it.
struct InSketch {
  std::uint32_t sketch = 0;
};

/// Nothing is read of it. Without a reason: a binary file that was met in a folder, which is counted and not named.
struct LeftOut {
  std::string reason;
};

using SourceKind = std::variant<Waiting, PlainFile, Stream, GraphNodes, MemoryRows, InSketch, LeftOut>;

/// Small: there may be millions of them.
struct Source {
  std::string path;                ///< as it was named or found
  std::uint64_t size = 0;          ///< of a plain file, as it was listed
  std::unique_ptr<Layout> layout;  ///< null: the format tells all
  Format format = Format::files;
  bool named = true;          ///< InputPath::named
  bool extracted = false;     ///< another program makes its text
  std::uint64_t content = 0;  ///< SourceRecord::content, where a run file has it
  SourceKind kind;

  template <typename Kind>
  bool is() const {
    return std::holds_alternative<Kind>(kind);
  }
  /// The bytes that were kept of it; null where there are none.
  KeptBytes* kept() const;
};

/// Makes room for bytes that are kept of the source, where its records cannot be read from the disk.
KeptBytes* make_kept(Source& source);

/// What is recorded of a source whose first chunk was returned.
SourceRecord record_of(const Source& source);
/// Makes the source what was recorded of it, its file being at `place`; kept bytes stay. Throws as require_unchanged.
void adopt(Source& source, const SourceRecord& record, const std::string& place, const ChangedSince& since);

/// A sketch file and its sources.
struct SketchPlace {
  SketchFile sketch;  ///< the records of sources that were adopted are gone
  std::uint32_t first = 0, count = 0;
  bool adopted = false;

  bool holds(std::size_t source) const { return source >= first && source < std::size_t{first} + count; }
};

/// A file or a stream that is being read.
struct OpenFile {
  Chunker chunker;
  bool ended = false;
};
/// The graph of all edges, being told.
struct OpenGraph {
  Graph graph;
  std::uint64_t offset = 0, line = 1;
};
/// A text that another program has made: one chunk.
struct OpenText {
  std::shared_ptr<const std::string> buffer;  ///< with its padding; null once it was returned
};
/// Input::memory from this row on.
struct OpenMemory {
  std::size_t row = 0;
};
/// A sketch file from this segment on.
struct OpenSketch {
  std::shared_ptr<const RunFile> file;
  std::uint32_t segment = 0, segments = 0;
};
using OpenSource = std::variant<std::monostate, OpenFile, OpenText, OpenGraph, OpenMemory, OpenSketch>;

/// Whether any record of JSON lines has a field that was asked for; the first of the input that lacks it.
struct AskedField {
  std::mutex mutex;
  FieldMet met;

  void note(const FieldMet& in_chunk);
};

struct Sources::State {
  InputRules rules;
  bool keep_bytes = false;
  bool ahead = false;    ///< of the run, which will read streams again
  bool resumed = false;  ///< part of it was read by an earlier run
  std::vector<Source> sources;
  std::vector<SketchPlace> sketches;
  std::uint64_t total_bytes = 0;
  std::atomic<std::uint64_t> bytes_read{0};
  mutable AskedField id_field, scope_field, text_field;
  mutable std::deque<AskedField> metadata_fields;  ///< as InputRules has them
  std::shared_ptr<BufferPool> pool = std::make_shared<BufferPool>();
  OpenSource open;
  std::size_t current = 0;              ///< the source that is open, the first of a sketch file
  std::size_t following = 0;            ///< the source to be opened next
  std::uint32_t following_segment = 0;  ///< of the sketch file that is opened next
  std::optional<Graph> graph;           ///< of all edges read so far, until it is told
  mutable OpenFiles files;
  mutable FrameCache frames;
  std::unique_ptr<Extractor> extractor;      ///< null: no source is extracted
  std::atomic<std::uint64_t> kept_bytes{0};  ///< in memory
  std::size_t kept_from = 0;                 ///< no source before has kept bytes in memory

  State(const Input& input, bool keep, bool ahead_of_run);

  // source.cc: which sources there are.
  void add_memory();
  void add_sketches(std::vector<SketchFile> named);
  void add_source(InputPath path, Format format);
  void add_graph();
  void check_sources() const;
  RecordCut cut_of(const Source& source) const;
  void parse(const Chunk& chunk, Batch& batch, bool items_only) const;

  // source_next.cc: reading on. `begin` opens the following source and returns a chunk where nothing can be read of it; `next_of` has the
  // next chunk of what is open, or nothing at its end.
  std::optional<Chunk> begin();
  std::optional<Chunk> begin_file(Source& source);
  std::optional<Chunk> begin_extracted(Source& source);
  void open_file(Source& source);
  std::optional<Chunk> leave_out(Source& source, std::string reason);
  void begin_sketch(std::uint32_t sketch);
  Chunk empty_chunk(std::uint64_t offset, const std::string& problem) const;
  std::optional<Chunk> next_of(std::monostate&) { return std::nullopt; }
  std::optional<Chunk> next_of(OpenFile& file);
  std::optional<Chunk> next_of(OpenText& text);
  std::optional<Chunk> next_of(OpenGraph& told);
  std::optional<Chunk> next_of(OpenMemory& rows);
  std::optional<Chunk> next_of(OpenSketch& sketch);
  Chunk kept_chunk(Chunk chunk);
  void end(OpenFile& file);

  // source_resume.cc: what others read before.
  void adopt(std::size_t source, const SourceRecord& record, const std::string& place, const ChangedSince& since);
  void adopt_sketch(SketchPlace& place);
  void adopt_before(std::size_t end, const std::vector<SourceRecord>& records);
  void go_on_in(const SourceRecord& record, std::uint64_t offset, std::uint64_t line);
  void drop_until(std::uint64_t offset);
  std::size_t take_kept(const std::shared_ptr<const RunFile>& file, std::size_t first_source, std::size_t count);
};

}  // namespace nearkin

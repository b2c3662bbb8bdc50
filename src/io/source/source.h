// Sources: the files, folders and streams of an Input as one sequence of chunks of whole records.
#pragma once

#include <span>

#include <nearkin/items.h>
#include <nearkin/vectors.h>

#include "io/formats/encoding.h"
#include "io/formats/records.h"
#include "io/source/source_records.h"

namespace nearkin {

struct KeptOfSource;  // kept_bytes.h

/// How far an input has been read: enough to continue from there in another process.
struct Position {
  std::uint32_t source = 0;
  std::uint32_t segments = 0;  ///< of the sketch file that begins at `source`, where one does
  std::uint64_t offset = 0;
  std::uint64_t line = 1;  ///< or row
};

/// Opens the paths of an input one after the other and cuts them into chunks.
/// `next` and `parse` together see every byte of the input once; a byte order mark belongs to no record. `read` fetches records again,
/// from the file where that is possible (plain files), else from memory, where the bytes of standard input and of compressed files are
/// kept when `keep_bytes` asks for it.
class Sources {
 public:
  /// Expands folders, globs and lists. Throws Error(file) for a path that does not exist or a glob without a match, Error(data) where
  /// vectors were named together with texts or with vectors of another format, Error(plan) where metadata is asked of a format without
  /// fields. A sketch file that is named stands for all its sources, one chunk per segment (Chunk::sketch); `ahead` of the
  /// run, for samples, the plain files that it was made of are read themselves, what was not plain being left out, and streams are read so
  /// that the run can read them again (OpenedFile). Throws Error(plan) for sketches
  /// that were made with other options than the input has, or are named together with edges that would change their graph.
  Sources(const Input& input, bool keep_bytes, bool ahead = false);
  ~Sources();
  Sources(Sources&&) noexcept;
  Sources& operator=(Sources&&) noexcept;

  /// The next chunk, or nothing at the end. One caller at a time. Chunks are about a megabyte, or one record where that is longer.
  /// Throws Error(file) for a named source that cannot be read to its end; one found in a folder becomes a fault where that happens.
  /// Edges: the chunks of their files yield no items; their nodes follow when all sources are read, as chunks of one more source, made
  /// here: lines "node neighbour neighbour …".
  std::optional<Chunk> next();

  /// Sets how many programs extract texts of files at one time, ahead of `next`; by default one per core.
  void use_threads(unsigned threads);

  /// The next chunk begins at this position, where a chunk of an earlier run ended; the chunks are those of a run that was not interrupted.
  /// Behind a chunk without bytes, which is the last of its source, the position is the beginning of the next source, and that of source
  /// size() when all is read. All sources before are made ready for `read`, as if their last chunks had been returned; what is not on disk
  /// is read from the files given to `take_kept`. What comes before the position is read again and dropped in a stream and in a compressed
  /// file, and in a stream it is compared with what was kept (take_kept comes first). Throws Error(file) for a source that has changed
  /// against `records`, by size or by time (unless its content is known and is the same), and for a stream that is another or shorter;
  /// Error(plan) where edges are among the sources and not all is read, because their graph needs all of them from the beginning.
  void go_to(const Position& position, const std::vector<SourceRecord>& records);
  /// Known once the first chunk of the source was returned; without its content, which add_contents fills in.
  SourceRecord record(std::size_t source) const;

  /// The bytes in memory of sources that cannot be read again, up to `offset` of `source`, for write_frames (kept_bytes.h). They stay in
  /// memory as long as the result exists. This and `take_kept` by one thread at a time, while others may call `next`, `parse` and `read`.
  std::vector<KeptOfSource> held_kept(std::size_t source, std::uint64_t offset) const;
  /// From now on these bytes, under all numbers, are read from the file, and the memory is freed; views that `read` returned become
  /// invalid. Also for files that another process wrote: then before any chunk is asked for.
  void take_kept(std::shared_ptr<const RunFile> file);
  std::uint64_t kept_bytes() const;  ///< in memory

  /// Parses a chunk. May be called by many threads at once. Throws Error(data) for the first fault when the input is strict, and
  /// Error(plan) for a sketch file, which has no records.
  void parse(const Chunk& chunk, Batch& batch) const;

  /// The bytes of one record, as they were read. Many threads at once; `buffer` is scratch and holds the result where it must be copied.
  /// Throws Error(file) when the file has changed since it was read.
  std::string_view read(const Location& location, std::string& buffer) const;
  /// Parses one record again, that parsed well before; appends to batch.items, and to the vectors where it is one, only.
  void parse_again(const Location& location, std::string& buffer, Batch& batch) const;
  /// The same of a record of a file or stream that is at hand.
  void parse_again(const Location& location, std::string_view record, Batch& batch) const;

  /// The bytes of one record of jsonl, csv, tsv or lines without these bytes of its text, all else as it was; in its own encoding.
  std::string read_without(const Location& location, std::span<const Span> cuts, std::string& buffer) const;
  /// The same of a record that is at hand.
  std::string without(const Location& location, std::string_view record, std::span<const Span> cuts) const;

  /// Call when everything is read and parsed: throws Error(data) if a field that was asked for, for the id or the scope, is in no record of
  /// JSON lines. A column that is missing is found at once; a record may lack a field that others have.
  void require_fields_met() const;
  /// Input::loose_texts: whether a field of the text is in any record of JSON lines.
  const FieldMet& text_met() const;

  bool reads_pages(std::size_t i) const;         ///< its texts are the visible texts of pages
  const Unit& unit() const;                      ///< what the items are
  const Scope& scope() const;                    ///< which are compared with which
  std::size_t size() const;                      ///< number of sources, with the one made of edges at the end
  bool is_left_out(std::size_t i) const;         ///< nothing of it is read
  const std::string& name(std::size_t i) const;  ///< path as given or found; "-" is standard input
  Format format(std::size_t i) const;            ///< known once the source's first chunk was returned
  /// csv/tsv/table: the character between two fields.
  char separator(std::size_t i) const;
  /// csv/tsv/table and dense text: the header record with its line end and everything before it, without a byte order mark. .npy and IDX:
  /// the bytes before the first row. Else nothing.
  std::string_view header(std::size_t i) const;
  /// The same as a text in UTF-8.
  std::string header_text(std::size_t i) const;
  /// The byte-order mark at the beginning of the source, if there is one.
  std::string_view mark(std::size_t i) const;
  /// Known once the source's first chunk was returned.
  const Encoding& encoding(std::size_t i) const;
  /// False where no byte could tell the encoding.
  bool has_encoding(std::size_t i) const;
  /// table: the number of questions, columns other than the id. Known once the source's first chunk was returned.
  std::uint32_t columns(std::size_t i) const;
  /// table: the names of these columns, as elements, in order of their bytes and with blanks between them. Known at the same time.
  std::string questions(std::size_t i) const;
  /// Records are bytes of a fixed layout, not lines (.npy, .fvecs, .bvecs, IDX, packed, warc). Known once the source's first chunk was
  /// returned.
  bool is_binary(std::size_t i) const;
  /// Bytes of all plain files named, for progress; 0 when not known.
  std::uint64_t total_bytes() const;
  std::uint64_t bytes_read() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The header of a .npy or IDX source for `kept` rows instead of its own; empty for all other sources. Two sources whose rows may follow
/// one another have the same header for the same number of rows.
std::string header_for(const Sources& sources, std::size_t source, std::uint64_t kept);

/// Whether the source is the regular file at this path, by whatever name; standard input can be one, too.
bool is_file_at(const Sources& sources, std::size_t source, const std::string& path);

/// Throws Error(plan) about `against` if a file is in both; `so` says what would become of its records.
void refuse_common_files(const Sources& input, const Sources& against, const char* so);

/// Throws Error(data) with this subject if a table's Sources::questions are not those of another.
void require_same_questions(const std::string& subject, const std::string& questions, const std::string& other, const std::string& others);

}  // namespace nearkin

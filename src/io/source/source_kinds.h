// The kinds of sources: a closed set, each with what is known of a source of its kind and with nothing else.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>

#include "io/bytes/descriptor.h"
#include "io/source/kept_bytes.h"
#include "io/source/layout.h"

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

}  // namespace nearkin

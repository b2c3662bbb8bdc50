// Reading on: sources are opened one after the other, each in the way of its kind.
#include <algorithm>
#include <cerrno>

#include <nearkin/error.h>

#include "io/formats/formats.h"
#include "io/formats/packed.h"
#include "io/formats/warc.h"
#include "io/source/memory_items.h"
#include "io/source/source_state.h"

namespace nearkin {
namespace {

/// Why a file of one item is no text; empty when it may be one.
std::string binary_reason(std::string_view first, std::string_view foreign) {
  const std::size_t nul = first.find('\0');
  std::string reason;
  if (nul != std::string_view::npos) reason = "binary file (NUL byte at " + std::to_string(nul + 1) + ")";
  if (foreign.empty()) return reason;
  return (reason.empty() ? "binary file" : reason) + ": " + std::string(foreign);
}

/// LeftOut::reason of content that no format can make sense of; absent when it can be read.
std::optional<std::string> unreadable(const Source& source, std::string_view first) {
  const std::string_view foreign = foreign_content(first);
  if (source.format != Format::files) {
    if (!foreign.empty()) throw Error(ErrorCode::file, source.path, std::string(foreign));
    return std::nullopt;
  }
  std::string reason = binary_reason(first, foreign);
  if (reason.empty()) return std::nullopt;
  // Folders hold all sorts of things; what was asked for by name must not vanish without a word, nor a text that could be read.
  return source.named || foreign.starts_with("looks like UTF-") ? std::move(reason) : std::string();
}

/// Finds out what must be known of a source before its first chunk. Returns LeftOut::reason where nothing can be read of it.
std::optional<std::string> prepare(Source& source, Chunker& chunker, const InputRules& rules) {
  const std::string_view first = chunker.peek(kFirstBytes);
  if (source.path == "-" && !rules.input.format) source.format = format_of_content(text_of_first(first, rules.input));
  if (source.format == Format::files && !rules.input.format && first.starts_with(kWarcMark)) source.format = Format::warc;
  require_fields(source.format, rules, source.path);
  source.layout = source.format == Format::dense ? array_layout_of(source.path, first, rules.input) : nullptr;
  if (source.layout) {
    chunker.skip(source.layout->header.size());
    chunker.count_rows();
    return std::nullopt;
  }
  const EncodingFound found = encoding_of(first, source.path, source.format, rules.input);
  if (found.encoding.width == 1) {
    if (auto reason = unreadable(source, first)) return reason;
  }
  const std::string mark(first.substr(0, found.mark));
  chunker.skip(mark.size());
  chunker.read_as(found.encoding);
  source.layout = read_layout(chunker, source.path, source.format, found.encoding, rules);
  if (!mark.empty() && !source.layout) {
    source.layout = std::make_unique<Layout>();
    source.layout->cut = cut_by_format(source.format, rules.input);
  }
  if (!mark.empty()) source.layout->mark = mark;
  if (source.layout) source.layout->empty = first.empty();
  return std::nullopt;
}

/// What is wrong where no further chunk comes; empty: it is the end.
std::string end_problem(const RecordCut& cut, Chunker& chunker) {
  if (cut.kind == RecordCut::Kind::array) return array_end_problem(cut.array, chunker.next_line(), chunker.peek(1));
  if (cut.kind == RecordCut::Kind::packed) return packed_end_problem(chunker.next_line() - 1, chunker.peek(kPackedMark.size()));
  return {};
}

/// A chunk for keeping: in a buffer of its own size where it fills its present one badly.
void compact(Chunk& chunk) {
  if (chunk.bytes.size() + chunk.bytes.size() / 4 >= chunk.buffer->size()) return;
  auto buffer = std::make_shared<std::string>();
  buffer->reserve(chunk.bytes.size() + kChunkPadding);
  buffer->append(chunk.bytes).append(kChunkPadding, '\0');
  chunk.bytes = std::string_view(*buffer).substr(0, chunk.bytes.size());
  chunk.buffer = std::move(buffer);
}

/// The sections of a segment carry its number. A sketch file has one segment at least.
std::uint32_t segment_count(const RunFile& file) {
  std::uint32_t count = 1;
  for (const Section& section : file.sections()) {
    if (section.kind >= kFirstFreeSection) count = std::max(count, section.number + 1);
  }
  return count;
}

}  // namespace

std::optional<Chunk> Sources::State::begin() {
  current = following++;
  Source& source = sources[current];
  if (const auto* left_out = std::get_if<LeftOut>(&source.kind)) return empty_chunk(0, left_out->reason);
  if (const auto* in = std::get_if<InSketch>(&source.kind)) {
    begin_sketch(in->sketch);
  } else if (source.is<MemoryRows>()) {
    open = OpenMemory{};
  } else if (source.extracted) {
    return begin_extracted(source);
  } else if (!source.is<GraphNodes>()) {
    return begin_file(source);
  } else if (graph) {
    open = OpenGraph{std::move(*graph)};
    graph.reset();
  }
  return std::nullopt;
}

std::optional<Chunk> Sources::State::begin_file(Source& source) {
  try {
    open_file(source);
    if (auto reason = prepare(source, std::get<OpenFile>(open).chunker, rules)) return leave_out(source, *std::move(reason));
    return std::nullopt;
  } catch (const Error& error) {
    open = std::monostate();
    // What a folder happens to hold must not end the run; what was asked for by name must be there.
    if (source.named) throw;
    return leave_out(source, error.message());
  }
}

std::optional<Chunk> Sources::State::begin_extracted(Source& source) {
  for (std::size_t i = current; i < sources.size() && extractor->has_room(); ++i) {
    if (sources[i].extracted && !extractor->is_begun(i)) extractor->begin(i, sources[i].path);
  }
  Extracted extracted = extractor->take(current, source.path);
  bytes_read.fetch_add(source.size, std::memory_order_relaxed);
  if (!extracted.problem.empty()) return leave_out(source, std::move(extracted.problem));
  if (!source.is<Stream>()) source.kind = Stream{};
  std::get<Stream>(source.kind).state = extracted.state;
  if (keep_bytes) make_kept(source);
  extracted.text.append(kChunkPadding, '\0');
  open = OpenText{std::make_shared<const std::string>(std::move(extracted.text))};
  return std::nullopt;
}

void Sources::State::open_file(Source& source) {
  OpenedFile file = OpenedFile::open(source.path, ahead);
  if (!file) throw Error(ErrorCode::file, source.path, reason("cannot be read", errno));
  const FileState state = file_state(file.get(), source.path);
  ByteStream stream(std::move(file), source.path, &bytes_read);
  const bool on_disk = state.regular && source.path != "-" && !stream.compressed();
  if (on_disk) {
    source.kind = PlainFile{state, nullptr};
  } else {
    if (!source.is<Stream>()) source.kind = Stream{};
    std::get<Stream>(source.kind).state = state;
    if (keep_bytes) make_kept(source);
  }
  open = OpenFile{Chunker(std::move(stream), static_cast<std::uint32_t>(current), on_disk ? state.size : 0, pool)};
}

std::optional<Chunk> Sources::State::leave_out(Source& source, std::string reason) {
  open = std::monostate();
  Chunk chunk = empty_chunk(0, reason);
  source.kind = LeftOut{std::move(reason)};
  return chunk;
}

/// A sketch file is read from its first source on, or not at all.
void Sources::State::begin_sketch(std::uint32_t sketch) {
  SketchPlace& place = sketches[sketch];
  following = std::size_t{place.first} + place.count;
  if (current != place.first) return;
  adopt_sketch(place);
  const std::shared_ptr<const RunFile>& file = place.sketch.file;
  open = OpenSketch{file, std::exchange(following_segment, 0), segment_count(*file)};
}

/// A chunk without bytes: `parse` makes a fault of the problem.
Chunk Sources::State::empty_chunk(std::uint64_t offset, const std::string& problem) const {
  auto buffer = std::make_shared<std::string>(kChunkPadding, '\0');
  const std::string_view nothing = std::string_view(*buffer).substr(0, 0);
  return {static_cast<std::uint32_t>(current), 1, offset, std::move(buffer), nothing, problem};
}

std::optional<Chunk> Sources::State::next_of(OpenFile& file) {
  if (file.ended) return std::nullopt;
  std::optional<Chunk> chunk;
  try {
    const RecordCut cut = cut_of(sources[current]);
    chunk = file.chunker.next(cut);
    if (chunk) return kept_chunk(*std::move(chunk));
    const std::string problem = end_problem(cut, file.chunker);
    if (!problem.empty()) chunk = empty_chunk(file.chunker.returned_to(), problem);
  } catch (const Error& error) {
    if (sources[current].named) throw;
    chunk = empty_chunk(file.chunker.returned_to(), error.message());
  }
  end(file);
  return chunk;
}

std::optional<Chunk> Sources::State::next_of(OpenText& text) {
  if (!text.buffer) return std::nullopt;
  const std::string_view bytes = std::string_view(*text.buffer).substr(0, text.buffer->size() - kChunkPadding);
  Chunk chunk{static_cast<std::uint32_t>(current), 1, 0, std::move(text.buffer), bytes};
  chunk.next_line = 1 + count_newlines(bytes);
  return kept_chunk(std::move(chunk));
}

Chunk Sources::State::kept_chunk(Chunk chunk) {
  const Source& source = sources[current];
  if (source.format == Format::edges) {
    const Encoding encoding = source.layout ? source.layout->encoding : Encoding();
    encoding.is_utf8() ? graph->add(chunk.bytes, source.path) : graph->add(decode(chunk.bytes, encoding).text, source.path);
  }
  if (KeptBytes* const kept = source.kept()) {
    compact(chunk);
    kept_bytes.fetch_add(kept->add(chunk), std::memory_order_relaxed);
  }
  return chunk;
}

void Sources::State::end(OpenFile& file) {
  file.ended = true;
  if (keep_bytes && sources[current].is<PlainFile>()) files.put(static_cast<std::uint32_t>(current), file.chunker.take_file());
}

std::optional<Chunk> Sources::State::next_of(OpenGraph& told) {
  auto buffer = std::make_shared<std::string>();
  if (!told.graph.next_lines(kChunkBytes, *buffer)) return std::nullopt;
  const std::size_t size = buffer->size();
  buffer->append(kChunkPadding, '\0');
  const std::string_view bytes = std::string_view(*buffer).substr(0, size);
  Chunk chunk{static_cast<std::uint32_t>(current), static_cast<std::uint32_t>(told.line), told.offset, buffer, bytes};
  told.offset += size;
  chunk.next_line = told.line += count_newlines(bytes);
  if (KeptBytes* const kept = sources[current].kept()) kept_bytes.fetch_add(kept->add(chunk), std::memory_order_relaxed);
  return chunk;
}

std::optional<Chunk> Sources::State::next_of(OpenMemory& rows) {
  const MemoryItems& items = *rules.input.memory;
  const std::size_t first = rows.row;
  std::uint64_t bytes = 0;
  while (rows.row < size_of(items) && bytes < kChunkBytes) bytes += bytes_of(items, rows.row++) + kItemBytes;
  if (rows.row == first) return std::nullopt;
  bytes_read.fetch_add(bytes, std::memory_order_relaxed);
  Chunk chunk{static_cast<std::uint32_t>(current), static_cast<std::uint32_t>(first), first, nullptr, {}};
  chunk.rows = static_cast<std::uint32_t>(rows.row - first);
  return chunk;
}

std::optional<Chunk> Sources::State::next_of(OpenSketch& sketch) {
  if (sketch.segment >= sketch.segments) return std::nullopt;
  Chunk chunk = empty_chunk(0, {});
  chunk.sketch = sketch.file;
  chunk.segment = sketch.segment++;
  return chunk;
}

std::optional<Chunk> Sources::next() {
  State& state = *state_;
  for (;;) {
    if (auto chunk = std::visit([&](auto& open) { return state.next_of(open); }, state.open)) return chunk;
    state.open = std::monostate();
    if (state.following >= state.sources.size()) {
      state.pool = std::make_shared<BufferPool>();  // later stages have better uses for the memory
      return std::nullopt;
    }
    if (auto chunk = state.begin()) return chunk;
  }
}

}  // namespace nearkin

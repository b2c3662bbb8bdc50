#include "io/source/source.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <unordered_map>
#include <utility>

#include <nearkin/error.h>

#include "io/formats/array.h"
#include "io/formats/formats.h"
#include "io/formats/packed.h"
#include "io/source/memory_items.h"
#include "io/source/source_state.h"

namespace nearkin {

namespace {

/// A NUL byte among the first so many makes a file binary.
constexpr std::size_t kBinaryPrefix = std::size_t{64} << 10;

/// Vectors are compared with vectors of their kind.
void check_together(const std::vector<Source>& sources) {
  const Source* first = nullptr;
  for (const Source& source : sources) {
    if (!source.lost.empty()) continue;
    if (first == nullptr) first = &source;
    if (source.format == first->format || !(holds_vectors(source.format) || holds_vectors(first->format))) continue;
    throw Error(ErrorCode::data, source.path,
                "is " + std::string(name(source.format)) + ", " + first->path + " is " + std::string(name(first->format)) +
                    "; items of the two cannot be compared: run them apart, or name the format");
  }
}

/// Length of the header record with empty lines before it; absent when more bytes are needed.
std::optional<std::size_t> header_length(std::string_view bytes, char delimiter, bool at_end) {
  std::size_t at = 0;
  while (bytes.substr(at).starts_with('\n') || bytes.substr(at).starts_with("\r\n")) at = bytes.find('\n', at) + 1;
  if (at == bytes.size() && !at_end) return std::nullopt;
  const CsvRecord record = csv_record(bytes.substr(at), delimiter, at_end, nullptr);
  return record.state == CsvRecord::State::incomplete ? std::nullopt : std::optional(at + record.length);
}

/// The first record, with what stands before it; it stays to be read. `length_of(bytes, at_end)`: its length, absent when more bytes are
/// needed.
template <typename LengthOf>
std::string first_record(Chunker& chunker, LengthOf length_of) {
  for (std::size_t size = kBinaryPrefix;; size *= 2) {
    const std::string_view bytes = chunker.peek(size);
    const std::optional<std::size_t> length = length_of(bytes, chunker.peeked_all());
    if (length || chunker.peeked_all()) return std::string(bytes.substr(0, length.value_or(0)));
  }
}

/// A chunk for keeping: in a buffer of its own size where it fills its present one badly.
Chunk compact(const Chunk& chunk) {
  if (chunk.bytes.size() + chunk.bytes.size() / 4 >= chunk.buffer->size()) return chunk;
  auto buffer = std::make_shared<std::string>();
  buffer->reserve(chunk.bytes.size() + kChunkPadding);
  buffer->append(chunk.bytes).append(kChunkPadding, '\0');
  const std::string_view bytes = std::string_view(*buffer).substr(0, chunk.bytes.size());
  return {chunk.source, chunk.first_line, chunk.offset, std::move(buffer), bytes};
}

/// Why a file of one item is no text; empty when it may be one.
std::string binary_reason(std::string_view first, std::string_view foreign) {
  const std::size_t nul = first.find('\0');
  std::string reason;
  if (nul != std::string_view::npos) reason = "binary file (NUL byte at " + std::to_string(nul + 1) + ")";
  if (foreign.empty()) return reason;
  return (reason.empty() ? "binary file" : reason) + ": " + std::string(foreign);
}

/// Metadata are fields: a format that has none cannot bring any.
void require_fields(Format format, const Fields& fields, const std::string& path) {
  const bool has_fields = format == Format::jsonl || format == Format::csv || format == Format::tsv;
  if (has_fields || fields.metadata.empty()) return;
  throw Error(ErrorCode::plan, "metadata",
              "no field \"" + fields.metadata.front().name + "\" can be kept of " + path + ", which is read as format " +
                  std::string(name(format)) + "; only jsonl, csv and tsv have fields");
}

/// What is wrong where no further chunk comes; empty: it is the end.
std::string end_problem(const RecordCut& cut, Chunker& chunker) {
  if (cut.kind == RecordCut::Kind::array) return array_end_problem(cut.array, chunker.next_line(), chunker.peek(1));
  if (cut.kind == RecordCut::Kind::packed) return packed_end_problem(chunker.next_line() - 1, chunker.peek(kPackedMark.size()));
  return {};
}

}  // namespace

Sources::State::State(const Input& given, bool keep, bool through_sketches) : input(given), keep_bytes(keep), fields(fields_of(given)) {
  if (input.memory) {
    add_memory();
    return;
  }
  ExpandedInput expanded = expand_with_sketches(input);
  if (through_sketches) expanded = {files_of_sketches(expanded), {}};
  const std::vector<Format> formats = formats_of(expanded.paths, input);
  std::unordered_map<std::string, std::uint32_t> sketch_numbers;
  for (SketchFile& sketch : expanded.sketches) {
    sketch_numbers[sketch.path] = static_cast<std::uint32_t>(sketches.size());
    add_sketch(std::move(sketch));
  }
  bool known = true;
  for (InputPath& path : expanded.paths) {
    known = known && (path.regular || !path.problem.empty());
    total_bytes += path.size;
    const auto sketch = sketch_numbers.find(path.sketch);
    add_source(std::move(path), formats[sources.size()]);
    if (sketch != sketch_numbers.end()) add_to_sketch(sketch->second);
  }
  if (!known) total_bytes = 0;
  check_together(sources);
  for (const Source& source : sources) {
    if (source.path != "-") require_fields(source.format, fields, source.path);
  }
  require_one_graph();
  add_graph();
}

void Sources::State::add_source(InputPath path, Format format) {
  Source source;
  source.path = std::move(path.path);
  source.lost = std::move(path.problem);
  source.size = path.size;
  source.named = path.named;
  source.format = format;
  sources.push_back(std::move(source));
}

void Sources::State::add_graph() {
  const auto edges = std::find_if(sources.begin(), sources.end(), [](const Source& s) { return s.format == Format::edges && !s.sketch; });
  if (edges == sources.end()) return;
  graph.emplace(input.directed);
  Source nodes;
  nodes.path = edges->path;
  nodes.format = Format::edges;
  nodes.graph = true;
  if (keep_bytes) nodes.kept = std::make_unique<KeptBytes>();
  sources.push_back(std::move(nodes));
}

void Sources::State::add_memory() {
  Source source;
  source.path = input.memory->name;
  source.format = format_of(*input.memory, input);
  source.size = total_bytes = bytes_of(*input.memory);
  source.memory = true;
  require_fields(source.format, fields, source.path);
  sources.push_back(std::move(source));
}

RecordCut Sources::State::cut_of(const Source& source) const {
  return source.layout ? source.layout->cut : cut_by_format(source.format, input);
}

/// Afterwards the source is open, or `lost` says why not, or it is `binary`.
void Sources::State::open_source() {
  Source& source = sources[following++];
  if (!source.lost.empty()) return;
  const std::string& path = source.path;
  Descriptor file = open_for_reading(path);
  // What a folder happens to hold must not end the run; what was asked for by name must be there.
  if (!file) source.lost = reason("cannot be read", errno);
  if (!file && source.named) throw Error(ErrorCode::file, path, source.lost);
  if (!file) return;
  try {
    source.state = file_state(file.get(), path);
    const bool plain = source.state.regular && path != "-";
    if (hash_contents && plain) hash.emplace();
    ByteStream stream(std::move(file), path, &bytes_read, hash ? &*hash : nullptr);
    source.on_disk = plain && !stream.compressed();
    open.emplace(std::move(stream), current_number(), source.on_disk ? source.state.size : 0, pool);
    if (keep_bytes && !source.on_disk && !source.kept) source.kept = std::make_unique<KeptBytes>();
    prepare(source);
    if (source.binary || !source.lost.empty()) close_unread();
  } catch (const Error& error) {
    close_unread();
    if (source.named) throw;
    source.lost = error.message();
  }
}

void Sources::State::close_unread() {
  open.reset();
  hash.reset();
}

/// Empty: `parse` makes the fault of it.
Chunk Sources::State::lost_chunk(std::uint64_t offset, const std::string& problem) const {
  auto buffer = std::make_shared<std::string>(kChunkPadding, '\0');
  const std::string_view nothing(buffer->data(), 0);
  return {current_number(), 1, offset, std::move(buffer), nothing, problem};
}

/// False for content that no format can make sense of.
bool Sources::State::readable(Source& source, std::string_view first) const {
  const std::string_view foreign = foreign_content(first);
  if (source.format != Format::files) {
    if (!foreign.empty()) throw Error(ErrorCode::file, source.path, std::string(foreign));
    return true;
  }
  const std::string reason = binary_reason(first, foreign);
  // Folders hold all sorts of things; what was asked for by name must not vanish without a word.
  source.binary = !reason.empty() && !source.named;
  if (source.named) source.lost = reason;
  return reason.empty();
}

/// What must be known of a source before its first chunk.
void Sources::State::prepare(Source& source) {
  const std::string_view first = open->peek(kBinaryPrefix);
  if (source.path == "-" && !input.format) source.format = format_of_content(first);
  require_fields(source.format, fields, source.path);
  if (source.format == Format::dense && set_array(source, first)) {
    open->skip(source.layout->header.size());
    open->count_rows();
    return;
  }
  if (!readable(source, first)) return;
  if (first.starts_with(kByteOrderMark)) open->skip(kByteOrderMark.size());
  if (has_columns(source.format)) {
    const char delimiter = cut_of(source).separator;
    set_columns(source, first_record(*open, [&](std::string_view bytes, bool at_end) { return header_length(bytes, delimiter, at_end); }));
  }
  if (source.format == Format::dense) {
    const DenseColumns columns = dense_columns();
    set_dense_header(source, !input.header ? std::string() : first_record(*open, [&](std::string_view bytes, bool at_end) {
                       return dense_header_length(bytes, at_end, columns);
                     }));
  }
  if (source.layout) open->skip(source.layout->header.size());
}

/// Closes the source at its end, and where it cannot be read on.
std::optional<Chunk> Sources::State::next_of_open() {
  std::optional<Chunk> chunk;
  try {
    const RecordCut cut = cut_of(current());
    chunk = open->next(cut);
    if (chunk) return finished(std::move(*chunk));
    const std::string problem = end_problem(cut, *open);
    if (!problem.empty()) chunk = lost_chunk(open->returned_to(), problem);
  } catch (const Error& error) {
    if (current().named) throw;
    chunk = lost_chunk(open->returned_to(), error.message());
  }
  close_source();
  return chunk;
}

std::optional<Chunk> Sources::State::next_of_graph() {
  auto buffer = std::make_shared<std::string>();
  if (!graph || !graph->next_lines(kChunkBytes, *buffer)) {
    graph.reset();
    ++following;
    return std::nullopt;
  }
  const std::size_t size = buffer->size();
  buffer->append(kChunkPadding, '\0');
  const std::string_view bytes = std::string_view(*buffer).substr(0, size);
  const Chunk chunk{static_cast<std::uint32_t>(following), static_cast<std::uint32_t>(graph_line), graph_offset, buffer, bytes};
  graph_offset += size;
  graph_line += count_newlines(bytes);
  keep(sources[following], chunk);
  return chunk;
}

std::optional<Chunk> Sources::State::next_of_memory() {
  const std::size_t first = memory_row;
  std::uint64_t bytes = 0;
  while (memory_row < size_of(*input.memory) && bytes < kChunkBytes) bytes += bytes_of(*input.memory, memory_row++) + kItemBytes;
  if (memory_row == first) {
    ++following;
    return std::nullopt;
  }
  bytes_read.fetch_add(bytes, std::memory_order_relaxed);
  Chunk chunk{static_cast<std::uint32_t>(following), static_cast<std::uint32_t>(first), first, nullptr, {}};
  chunk.rows = static_cast<std::uint32_t>(memory_row - first);
  return chunk;
}

Chunk Sources::State::finished(Chunk chunk) {
  if (current().format == Format::edges) graph->add(chunk.bytes, current().path);
  if (!current().kept) return chunk;
  chunk = compact(chunk);
  keep(current(), chunk);
  return chunk;
}

void Sources::State::keep(Source& source, const Chunk& chunk) {
  if (source.kept) kept_bytes.fetch_add(source.kept->add(chunk), std::memory_order_relaxed);
}

void Sources::State::close_source() {
  if (hash && open->peeked_all()) std::atomic_ref(current().content).store(hash->value(), std::memory_order_relaxed);
  if (keep_bytes && current().on_disk) files.put(current_number(), open->take_file());
  close_unread();
}

void Sources::State::parse(const Chunk& chunk, Batch& batch, bool items_only) const {
  if (!chunk.sketch.empty()) {
    throw Error(ErrorCode::plan, chunk.sketch,
                "is a sketch file, which stands for its records only where pairs are looked for; name their files");
  }
  const Source& source = sources[chunk.source];
  static const Layout kPlain;
  const Layout& layout = source.layout ? *source.layout : kPlain;
  RecordSink sink(
      batch, source.path,
      {input.strict || source.memory, fields.number.has_value(), !fields.metadata.empty(), items_only, source.format == Format::files});
  if (source.binary) return sink.binary();
  if (!chunk.problem.empty()) return sink.lost_source(chunk.source, chunk.offset, chunk.problem);
  if (source.memory) return parse_memory(*input.memory, chunk, fields.number.has_value(), sink);
  switch (source.format) {
    case Format::jsonl: return parse_jsonl(chunk, fields, sink);
    case Format::csv:
    case Format::tsv: return parse_csv(chunk, layout.columns, sink);
    case Format::lines:
    case Format::sets: return parse_lines(chunk, fields, sink);
    case Format::files: return parse_file(chunk, sink);
    case Format::edges: return source.graph ? parse_neighbours(chunk, sink) : check_edges(chunk, sink);
    case Format::table: return parse_table(chunk, layout.questions, input.all_answers, sink);
    case Format::sparse: return parse_sparse(chunk, fields, sink);
    case Format::bits: return parse_bits(chunk, fields, sink);
    case Format::packed: return parse_packed(chunk, sink);
    case Format::dense:
      return layout.cut.kind == RecordCut::Kind::array ? parse_array(chunk, layout.cut.array, sink)
                                                       : parse_dense_text(chunk, layout.dense, sink);
  }
}

Sources::Sources(const Input& input, bool keep_bytes, bool through_sketches)
    : state_(std::make_unique<State>(input, keep_bytes, through_sketches)) {}
Sources::~Sources() = default;
Sources::Sources(Sources&&) noexcept = default;
Sources& Sources::operator=(Sources&&) noexcept = default;

std::optional<Chunk> Sources::next() {
  State& state = *state_;
  while (true) {
    if (!state.open) {
      if (state.following >= state.sources.size()) {
        state.pool = std::make_shared<BufferPool>();  // later stages have better uses for the memory
        return std::nullopt;
      }
      if (state.sources[state.following].sketch) {
        if (auto chunk = state.next_of_sketch()) return chunk;
        continue;
      }
      if (state.sources[state.following].graph) {
        if (auto chunk = state.next_of_graph()) return chunk;
        continue;
      }
      if (state.sources[state.following].memory) {
        if (auto chunk = state.next_of_memory()) return chunk;
        continue;
      }
      state.open_source();
      if (!state.open) return state.lost_chunk(0, state.current().lost);
    }
    if (auto chunk = state.next_of_open()) return chunk;
  }
}

void Sources::go_to(std::size_t source) {
  state_->close_unread();
  state_->memory_row = 0;
  state_->following = source;
}

void Sources::parse(const Chunk& chunk, Batch& batch) const { state_->parse(chunk, batch, false); }

std::string_view Sources::read(const Location& location, std::string& buffer) const {
  const Source& source = state_->sources[location.source];
  if (source.memory) return state_->input.memory->texts[location.offset];
  if (source.on_disk) return read_again(state_->files, location, source.file(), source.state, buffer);
  if (location.length == 0) return {};
  if (source.kept) {
    if (const auto bytes = source.kept->read(location.offset, location.length, buffer, state_->frames)) return *bytes;
  }
  throw Error(ErrorCode::file, source.path, "cannot be read a second time; its bytes were not kept");
}

void Sources::parse_again(const Location& location, std::string& buffer, Batch& batch) const {
  const bool memory = state_->sources[location.source].memory;
  Chunk chunk{location.source, location.line, location.offset, nullptr, memory ? std::string_view() : read(location, buffer)};
  chunk.rows = memory ? 1 : 0;
  state_->parse(chunk, batch, true);
}

std::size_t Sources::size() const { return state_->sources.size(); }
const std::string& Sources::name(std::size_t i) const { return state_->sources[i].path; }
Format Sources::format(std::size_t i) const { return state_->sources[i].format; }
char Sources::separator(std::size_t i) const { return cut_by_format(format(i), state_->input).separator; }
std::string_view Sources::header(std::size_t i) const {
  const Source& source = state_->sources[i];
  return source.layout ? std::string_view(source.layout->header) : std::string_view();
}
std::uint32_t Sources::columns(std::size_t i) const {
  const Source& source = state_->sources[i];
  return source.layout ? source.layout->questions.questions : 0;
}
bool Sources::is_binary(std::size_t i) const {
  const RecordCut::Kind kind = state_->cut_of(state_->sources[i]).kind;
  return kind == RecordCut::Kind::array || kind == RecordCut::Kind::packed;
}
bool Sources::is_lines_on_disk(std::size_t i) const {
  const Source& source = state_->sources[i];
  return source.on_disk && state_->cut_of(source).kind == RecordCut::Kind::lines && source.format != Format::edges;
}
std::uint64_t Sources::bytes(std::size_t i) const { return state_->sources[i].size; }
std::uint64_t Sources::total_bytes() const { return state_->total_bytes; }
std::uint64_t Sources::bytes_read() const { return state_->bytes_read.load(std::memory_order_relaxed); }

std::string header_for(const Sources& sources, std::size_t source, std::uint64_t kept) {
  return sources.is_binary(source) ? array_header_for(sources.header(source), kept) : std::string();
}

}  // namespace nearkin

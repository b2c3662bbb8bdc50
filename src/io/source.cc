#include "io/source.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <utility>

#include <nearkin/error.h>

#include "io/chunker.h"
#include "io/csv.h"
#include "io/dense_text.h"
#include "io/edges.h"
#include "io/formats.h"
#include "io/inputs.h"
#include "io/records.h"
#include "io/reread.h"
#include "io/table.h"

namespace nearkin {

namespace {

/// A NUL byte among the first so many makes a file binary.
constexpr std::size_t kBinaryPrefix = std::size_t{64} << 10;

struct Source {
  InputPath input;
  Format format = Format::files;
  bool on_disk = false;   ///< a plain file, not compressed: records can be fetched from it again
  FileState state;        ///< when it was opened
  bool graph = false;     ///< no file: the nodes of all edges
  std::string header;     ///< csv, tsv, table, dense
  RecordCut cut;
  CsvColumns columns;     ///< csv, tsv
  TableColumns questions; ///< table
  DenseColumns dense;     ///< dense text
  std::string lost;       ///< why nothing of it is read
  bool binary = false;    ///< left out for that, without a word
  std::unique_ptr<KeptBytes> kept;
};

char separator_of(Format format, const Input& input) { return format == Format::tsv ? '\t' : input.separator; }

bool has_columns(Format format) { return format == Format::csv || format == Format::tsv || format == Format::table; }

RecordCut cut_of(Format format, const Input& input) {
  RecordCut cut;
  // A record of TSV is a line, whatever quotes there are.
  if (format == Format::csv || format == Format::table) cut.kind = RecordCut::Kind::csv;
  if (format == Format::files) cut.kind = RecordCut::Kind::file;
  cut.separator = separator_of(format, input);
  return cut;
}

/// Vectors are compared with vectors of their kind.
void check_together(const std::vector<Source>& sources) {
  const Source* first = nullptr;
  for (const Source& source : sources) {
    if (!source.lost.empty()) continue;
    if (first == nullptr) first = &source;
    if (source.format == first->format || !(holds_vectors(source.format) || holds_vectors(first->format))) continue;
    throw Error(ErrorCode::data, source.input.path,
                "is " + std::string(name(source.format)) + ", " + first->input.path + " is " + std::string(name(first->format)) +
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

}  // namespace

struct Sources::State {
  Input input;
  bool keep_bytes = false;
  Fields fields;
  std::vector<Source> sources;
  std::uint64_t total_bytes = 0;
  std::atomic<std::uint64_t> bytes_read{0};
  std::shared_ptr<BufferPool> pool = std::make_shared<BufferPool>();
  std::size_t following = 0;  ///< the source to be opened next
  std::optional<Chunker> open;
  std::optional<Graph> graph;  ///< of all edges read so far, until its lines are told
  std::uint64_t graph_offset = 0, graph_line = 1;
  mutable OpenFiles files;

  State(const Input& given, bool keep);
  Source& current() { return sources[following - 1]; }
  std::uint32_t current_number() const { return static_cast<std::uint32_t>(following - 1); }

  void open_source();
  void prepare(Source& source);
  void prepare_columns(Source& source);
  void prepare_dense_text(Source& source);
  bool readable(Source& source, std::string_view first) const;
  Chunk lost_chunk(std::uint64_t offset, const std::string& problem) const;
  std::optional<Chunk> next_of_open();
  std::optional<Chunk> next_of_graph();
  Chunk finished(Chunk chunk);
  void close_source();
  void parse(const Chunk& chunk, Batch& batch, bool items_only) const;
};

Sources::State::State(const Input& given, bool keep) : input(given), keep_bytes(keep), fields(fields_of(given)) {
  bool known = true;
  std::vector<InputPath> paths = expand(input);
  const std::vector<Format> formats = formats_of(paths, input);
  for (InputPath& path : paths) {
    Source source;
    source.format = formats[sources.size()];
    source.lost = path.problem;
    known = known && (path.regular || !path.problem.empty());
    total_bytes += path.size;
    source.input = std::move(path);
    sources.push_back(std::move(source));
  }
  if (!known) total_bytes = 0;
  check_together(sources);
  const auto edges = std::find_if(sources.begin(), sources.end(), [](const Source& source) { return source.format == Format::edges; });
  if (edges == sources.end()) return;
  graph.emplace(input.directed);
  Source nodes;
  nodes.input.path = edges->input.path;
  nodes.format = Format::edges;
  nodes.graph = true;
  if (keep_bytes) nodes.kept = std::make_unique<KeptBytes>();
  sources.push_back(std::move(nodes));
}

/// Afterwards the source is open, or `lost` says why not, or it is `binary`.
void Sources::State::open_source() {
  Source& source = sources[following++];
  if (!source.lost.empty()) return;
  const std::string& path = source.input.path;
  Descriptor file = open_for_reading(path);
  // What a folder happens to hold must not end the run; what was asked for by name must be there.
  if (!file) source.lost = reason("cannot be read", errno);
  if (!file && source.input.named) throw Error(ErrorCode::file, path, source.lost);
  if (!file) return;
  try {
    source.state = file_state(file.get(), path);
    ByteStream stream(std::move(file), path, &bytes_read);
    source.on_disk = source.state.regular && path != "-" && !stream.compressed();
    open.emplace(std::move(stream), current_number(), source.on_disk ? source.state.size : 0, pool);
    if (keep_bytes && !source.on_disk) source.kept = std::make_unique<KeptBytes>();
    prepare(source);
    if (source.binary || !source.lost.empty()) open.reset();
  } catch (const Error& error) {
    open.reset();
    if (source.input.named) throw;
    source.lost = error.message();
  }
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
    if (!foreign.empty()) throw Error(ErrorCode::file, source.input.path, std::string(foreign));
    return true;
  }
  const std::string reason = binary_reason(first, foreign);
  // Folders hold all sorts of things; what was asked for by name must not vanish without a word.
  source.binary = !reason.empty() && !source.input.named;
  if (source.input.named) source.lost = reason;
  return reason.empty();
}

/// What must be known of a source before its first chunk.
void Sources::State::prepare(Source& source) {
  const std::string_view first = open->peek(kBinaryPrefix);
  if (source.input.path == "-" && !input.format) source.format = format_of_content(first);
  source.cut = cut_of(source.format, input);
  if (source.format == Format::dense) source.cut.array = array_layout(source.input.path, first);
  if (source.cut.array.kind != ArrayLayout::Kind::lines) {
    source.cut.kind = RecordCut::Kind::array;
    source.header = first.substr(0, source.cut.array.header_bytes);
    open->skip(source.header.size());
    open->count_rows();
    return;
  }
  if (!readable(source, first)) return;
  if (first.starts_with(kByteOrderMark)) open->skip(kByteOrderMark.size());
  if (has_columns(source.format)) prepare_columns(source);
  if (source.format == Format::dense) prepare_dense_text(source);
}

void Sources::State::prepare_columns(Source& source) {
  const char delimiter = source.cut.separator;
  std::string record = first_record(*open, [&](std::string_view bytes, bool at_end) { return header_length(bytes, delimiter, at_end); });
  const std::string& path = source.input.path;
  if (!record.empty() && source.format == Format::table) {
    source.questions = table_columns(record, delimiter, !input.header, fields, path);
  } else if (!record.empty()) {
    source.columns = csv_columns(record, delimiter, !input.header, fields, path);
  }
  if (!input.header) return;
  open->skip(record.size());
  source.header = std::move(record);
}

void Sources::State::prepare_dense_text(Source& source) {
  if (input.separator != Input{}.separator) source.dense.separator = input.separator;
  if (fields.first_word) source.dense.id = 0;
  if (input.header) {
    source.header =
        first_record(*open, [&](std::string_view bytes, bool at_end) { return dense_header_length(bytes, at_end, source.dense); });
  }
  open->skip(source.header.size());
  source.dense.id = dense_id_column(source.header, source.dense, fields, source.input.path);
}

/// Closes the source at its end, and where it cannot be read on.
std::optional<Chunk> Sources::State::next_of_open() {
  std::optional<Chunk> chunk;
  try {
    const RecordCut& cut = current().cut;
    chunk = open->next(cut);
    if (chunk) return finished(std::move(*chunk));
    if (cut.kind == RecordCut::Kind::array) {
      const std::string problem = array_end_problem(cut.array, open->next_line(), open->peek(1));
      if (!problem.empty()) chunk = lost_chunk(open->returned_to(), problem);
    }
  } catch (const Error& error) {
    if (current().input.named) throw;
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
  if (sources[following].kept) sources[following].kept->add(chunk);
  return chunk;
}

Chunk Sources::State::finished(Chunk chunk) {
  if (current().format == Format::edges) graph->add(chunk.bytes, current().input.path);
  if (!current().kept) return chunk;
  chunk = compact(chunk);
  current().kept->add(chunk);
  return chunk;
}

void Sources::State::close_source() {
  if (keep_bytes && current().on_disk) files.put(current_number(), open->take_file());
  open.reset();
}

void Sources::State::parse(const Chunk& chunk, Batch& batch, bool items_only) const {
  const Source& source = sources[chunk.source];
  RecordSink sink(batch, source.input.path, {input.strict, fields.number.has_value(), items_only, source.format == Format::files});
  if (source.binary) return sink.binary();
  if (!chunk.problem.empty()) return sink.lost_source(chunk.source, chunk.offset, chunk.problem);
  switch (source.format) {
    case Format::jsonl: return parse_jsonl(chunk, fields, sink);
    case Format::csv:
    case Format::tsv: return parse_csv(chunk, source.columns, sink);
    case Format::lines:
    case Format::sets: return parse_lines(chunk, fields, sink);
    case Format::files: return parse_file(chunk, sink);
    case Format::edges: return source.graph ? parse_neighbours(chunk, sink) : check_edges(chunk, sink);
    case Format::table: return parse_table(chunk, source.questions, input.all_answers, sink);
    case Format::sparse: return parse_sparse(chunk, fields, sink);
    case Format::bits: return parse_bits(chunk, fields, sink);
    case Format::dense:
      return source.cut.kind == RecordCut::Kind::array ? parse_array(chunk, source.cut.array, sink)
                                                       : parse_dense_text(chunk, source.dense, sink);
  }
}

Sources::Sources(const Input& input, bool keep_bytes) : state_(std::make_unique<State>(input, keep_bytes)) {}
Sources::~Sources() = default;
Sources::Sources(Sources&&) noexcept = default;
Sources& Sources::operator=(Sources&&) noexcept = default;

std::optional<Chunk> Sources::next() {
  State& state = *state_;
  while (true) {
    if (!state.open) {
      if (state.following == state.sources.size()) return std::nullopt;
      if (state.sources[state.following].graph) {
        if (auto chunk = state.next_of_graph()) return chunk;
        continue;
      }
      state.open_source();
      if (!state.open) return state.lost_chunk(0, state.current().lost);
    }
    if (auto chunk = state.next_of_open()) return chunk;
  }
}

void Sources::go_to(std::size_t source) {
  state_->open.reset();
  state_->following = source;
}

void Sources::parse(const Chunk& chunk, Batch& batch) const { state_->parse(chunk, batch, false); }

std::string_view Sources::read(const Location& location, std::string& buffer) const {
  const Source& source = state_->sources[location.source];
  const std::string& path = source.input.path;
  if (source.on_disk) return read_again(state_->files, location, path, source.state, buffer);
  if (location.length == 0) return {};
  if (source.kept) {
    if (const auto bytes = source.kept->read(location.offset, location.length, buffer)) return *bytes;
  }
  throw Error(ErrorCode::file, path, "cannot be read a second time; its bytes were not kept");
}

void Sources::parse_again(const Location& location, std::string& buffer, Batch& batch) const {
  Chunk chunk{location.source, location.line, location.offset, nullptr, read(location, buffer)};
  state_->parse(chunk, batch, true);
}

std::size_t Sources::size() const { return state_->sources.size(); }
const std::string& Sources::name(std::size_t i) const { return state_->sources[i].input.path; }
Format Sources::format(std::size_t i) const { return state_->sources[i].format; }
char Sources::separator(std::size_t i) const { return separator_of(format(i), state_->input); }
std::string_view Sources::header(std::size_t i) const { return state_->sources[i].header; }
std::uint32_t Sources::columns(std::size_t i) const { return state_->sources[i].questions.questions; }
bool Sources::is_binary(std::size_t i) const { return state_->sources[i].cut.kind == RecordCut::Kind::array; }
bool Sources::is_lines_on_disk(std::size_t i) const {
  const Source& source = state_->sources[i];
  return source.on_disk && source.cut.kind == RecordCut::Kind::lines && source.format != Format::edges;
}
std::uint64_t Sources::bytes(std::size_t i) const { return state_->sources[i].input.size; }
std::uint64_t Sources::total_bytes() const { return state_->total_bytes; }
std::uint64_t Sources::bytes_read() const { return state_->bytes_read.load(std::memory_order_relaxed); }

}  // namespace nearkin

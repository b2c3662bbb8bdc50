#include "io/source/source.h"

#include <algorithm>
#include <filesystem>
#include <unordered_set>

#include <unistd.h>

#include <nearkin/error.h>
#include <nearkin/tools/names.h>

#include "base/misuse.h"
#include "io/formats/cut_text.h"
#include "io/formats/json_text.h"
#include "io/source/memory_items.h"
#include "io/source/source_state.h"

namespace nearkin {
namespace {

/// Vectors are compared with vectors of their kind.
void check_together(const std::vector<Source>& sources) {
  const Source* first = nullptr;
  for (const Source& source : sources) {
    if (source.is<LeftOut>()) continue;
    if (first == nullptr) first = &source;
    if (source.format == first->format || !(holds_vectors(source.format) || holds_vectors(first->format))) continue;
    throw Error(ErrorCode::data, source.path,
                "is " + std::string(name(source.format)) + ", " + first->path + " is " + std::string(name(first->format)) +
                    "; items of the two cannot be compared: run them separately, or name the format");
  }
}

/// Nodes of a graph that is in a sketch file have the neighbours that they had when it was made.
void check_one_graph(const SketchPlace& place, const std::vector<Source>& sources) {
  const auto& records = place.sketch.records;
  if (std::none_of(records.begin(), records.end(), [](const SourceRecord& record) { return record.made; })) return;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (place.holds(i) || sources[i].format != Format::edges) continue;
    throw Error(ErrorCode::plan, place.sketch.path,
                "holds the nodes of a graph, which the edges of " + sources[i].path + " would change; sketch all edges together");
  }
}

}  // namespace

Sources::State::State(const Input& input, bool keep, bool ahead_of_run)
    : rules{input, fields_of(input)}, keep_bytes(keep), ahead(ahead_of_run) {
  metadata_fields.resize(rules.fields.metadata.size());
  require_extraction(input.extraction);
  if (input.memory) {
    add_memory();
    return;
  }
  ExpandedInput expanded = expand_with_sketches(input, ahead);
  if (ahead) expanded = {files_of_sketches(expanded), {}};
  const std::vector<Format> formats = formats_of(expanded.paths, input);
  add_sketches(std::move(expanded.sketches));
  bool known = true;
  for (InputPath& path : expanded.paths) {
    known = known && (path.regular || !path.problem.empty());
    // What is too long for a text is left out, and its size says nothing of the run's.
    const bool too_long = formats[sources.size()] == Format::files && path.size > kLongestRecord;
    total_bytes += too_long ? 0 : path.size;
    add_source(std::move(path), formats[sources.size()]);
  }
  if (!known) total_bytes = 0;
  check_sources();
  add_graph();
}

void Sources::State::add_memory() {
  require_consistent(*rules.input.memory);
  Source source;
  source.path = rules.input.memory->name;
  source.format = format_of(*rules.input.memory, rules.input);
  source.size = total_bytes = bytes_of(*rules.input.memory);
  source.kind = MemoryRows{};
  require_fields(source.format, rules, source.path);
  sources.push_back(std::move(source));
}

void Sources::State::add_sketches(std::vector<SketchFile> named) {
  for (SketchFile& sketch : named) {
    require_same_options(sketch, rules.input);
    sketches.emplace_back().sketch = std::move(sketch);
  }
}

void Sources::State::add_source(InputPath path, Format format) {
  Source source;
  source.path = std::move(path.path);
  source.size = path.size;
  source.named = path.named;
  source.format = format;
  source.extracted = path.regular && path.sketch.empty() && is_extracted(source.path, format, rules.input);
  if (source.extracted && !extractor) extractor = std::make_unique<Extractor>(rules.input, ahead);
  if (!path.problem.empty()) source.kind = LeftOut{std::move(path.problem)};
  // The sources of a sketch file follow one another. Where sketch files are read through, they are files like others.
  if (!path.sketch.empty() && !sketches.empty()) {
    const auto of = [&](const SketchPlace& place) { return place.sketch.path == path.sketch; };
    const auto* before = sources.empty() ? nullptr : std::get_if<InSketch>(&sources.back().kind);
    const bool follows = before != nullptr && of(sketches[before->sketch]);
    const auto place = follows ? sketches.begin() + before->sketch : std::find_if(sketches.begin(), sketches.end(), of);
    if (place->count++ == 0) place->first = static_cast<std::uint32_t>(sources.size());
    source.kind = InSketch{static_cast<std::uint32_t>(place - sketches.begin())};
  }
  sources.push_back(std::move(source));
}

void Sources::State::check_sources() const {
  check_together(sources);
  for (const Source& source : sources) {
    if (source.path != "-") require_fields(source.format, rules, source.path);
  }
  for (const SketchPlace& place : sketches) check_one_graph(place, sources);
}

void Sources::State::add_graph() {
  const auto edges =
      std::find_if(sources.begin(), sources.end(), [](const Source& s) { return s.format == Format::edges && !s.is<InSketch>(); });
  if (edges == sources.end()) return;
  graph.emplace(rules.input.directed);
  Source nodes;
  nodes.path = edges->path;
  nodes.format = Format::edges;
  nodes.kind = GraphNodes{keep_bytes ? std::make_unique<KeptBytes>() : nullptr};
  sources.push_back(std::move(nodes));
}

/// The folder of a path as it was named or found; "" for a path without one.
static std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

RecordCut Sources::State::cut_of(const Source& source) const {
  return source.layout ? source.layout->cut : cut_by_format(source.format, rules.input);
}

void Sources::State::parse(const Chunk& chunk, Batch& batch, bool items_only) const {
  if (chunk.sketch) {
    throw Error(ErrorCode::plan, chunk.sketch->path(),
                "is a sketch file, which only a search for pairs can use; name the files it was made from");
  }
  const Source& source = sources[chunk.source];
  const bool memory = source.is<MemoryRows>(), numbers = rules.fields.number.has_value();
  const bool scoped = rules.input.scope.rule != Scope::Rule::none;
  RecordSink sink(batch, source.path,
                  {.strict = rules.input.strict || memory,
                   .numbers = numbers,
                   .metadata = !rules.fields.metadata.empty(),
                   .scopes = scoped,
                   .scope_each = scoped && rules.input.scope.field == kEachRecord,
                   .items_only = items_only,
                   .whole_file = source.format == Format::files,
                   .id_asked = !items_only && rules.input.id != Input{}.id && !rules.fields.no_id,
                   .scope_asked = !items_only && rules.fields.scope.has_value(),
                   .pages = holds_pages(source.format, source.path, rules.input),
                   .unit = rules.input.unit});
  if (!chunk.problem.empty()) return sink.lost_source(chunk.source, chunk.offset, chunk.problem);
  if (source.is<LeftOut>()) return sink.binary();
  if (memory) return parse_memory(*rules.input.memory, chunk, numbers, scoped, sink);
  if (scoped && !rules.fields.scope && rules.input.scope.field != kEachRecord)
    sink.scope(rules.input.scope.field == "file" ? source.path : folder_of(source.path));
  parse_records(chunk, source.format, source.layout.get(), source.is<GraphNodes>(), rules, sink);
  if (source.format != Format::jsonl) return;
  id_field.note(sink.id_met());
  scope_field.note(sink.scope_met());
  if (!items_only) text_field.note(sink.text_met());
  for (std::size_t i = 0; i < sink.metadata_met().size(); ++i) metadata_fields[i].note(sink.metadata_met()[i]);
}

void AskedField::note(const FieldMet& in_chunk) {
  if (!in_chunk.found && !in_chunk.lacking) return;
  const std::lock_guard lock(mutex);
  met.found = met.found || in_chunk.found;
  if (met.found || !in_chunk.lacking) return;
  const Location &first = in_chunk.lacking->location, *const known = met.lacking ? &met.lacking->location : nullptr;
  if (known == nullptr || std::pair(first.source, first.offset) < std::pair(known->source, known->offset)) met.lacking = in_chunk.lacking;
}

Sources::Sources(const Input& input, bool keep_bytes, bool ahead) : state_(std::make_unique<State>(input, keep_bytes, ahead)) {}
Sources::~Sources() = default;
Sources::Sources(Sources&&) noexcept = default;
Sources& Sources::operator=(Sources&&) noexcept = default;

void Sources::use_threads(unsigned threads) {
  if (state_->extractor) state_->extractor->run_at_once(threads);
}

void Sources::parse(const Chunk& chunk, Batch& batch) const { state_->parse(chunk, batch, false); }

std::string_view Sources::read(const Location& location, std::string& buffer) const {
  const Source& source = state_->sources[location.source];
  if (source.is<MemoryRows>()) return state_->rules.input.memory->texts[location.offset];
  if (const auto* file = std::get_if<PlainFile>(&source.kind)) {
    return read_again(state_->files, location, file->place ? *file->place : source.path, file->state, buffer);
  }
  if (location.length == 0) return {};
  if (const KeptBytes* kept = source.kept()) {
    if (const auto bytes = kept->read(location.offset, location.length, buffer, state_->frames)) return *bytes;
  }
  throw Error(ErrorCode::file, source.path, "cannot be read a second time; its bytes were not kept");
}

std::string Sources::without(const Location& location, std::string_view bytes, std::span<const Span> cuts) const {
  const Source& source = state_->sources[location.source];
  const Fields& fields = state_->rules.fields;
  const auto cut = [&](std::string_view record) {
    if (source.format == Format::jsonl) return cut_jsonl(padded_json(record), fields, cuts);
    if (source.format == Format::lines) return cut_line(record, fields, cuts);
    return cut_csv(record, source.layout->columns, cuts);
  };
  if (encoding(location.source).is_utf8()) return cut(bytes);
  return encoded_as(bytes, cut(decode(bytes, encoding(location.source)).text), encoding(location.source));
}

std::string Sources::read_without(const Location& location, std::span<const Span> cuts, std::string& buffer) const {
  return without(location, read(location, buffer), cuts);
}

void Sources::parse_again(const Location& location, std::string& buffer, Batch& batch) const {
  if (!state_->sources[location.source].is<MemoryRows>()) return parse_again(location, read(location, buffer), batch);
  Chunk chunk{location.source, location.line, location.offset, nullptr, {}};
  chunk.rows = 1;
  state_->parse(chunk, batch, true);
}

void Sources::parse_again(const Location& location, std::string_view record, Batch& batch) const {
  state_->parse({location.source, location.line, location.offset, nullptr, record}, batch, true);
}

void Sources::require_fields_met() const {
  const auto require = [&](const FieldMet& met, const std::string& field, const char* use) {
    if (met.found || !met.lacking || state_->resumed) return;
    throw Error(ErrorCode::data, name(met.lacking->location.source) + ":" + std::to_string(met.lacking->location.line),
                "no field \"" + field + "\"" + met.lacking->fields + "; no record has this field, which " + use);
  };
  const bool several = state_->rules.input.scope.field.find(',') != std::string::npos;
  require(state_->id_field.met, state_->rules.input.id, "ids are read from");
  require(state_->scope_field.met, state_->rules.input.scope.field,
          several ? "decides what is compared with what; it is one field, not several" : "decides what is compared with what");
  for (std::size_t i = 0; i < state_->metadata_fields.size(); ++i)
    require(state_->metadata_fields[i].met, state_->rules.fields.metadata[i].name, "metadata is kept from");
}

const FieldMet& Sources::text_met() const { return state_->text_field.met; }
bool Sources::reads_pages(std::size_t i) const { return holds_pages(format(i), name(i), state_->rules.input); }
const Scope& Sources::scope() const { return state_->rules.input.scope; }
const Unit& Sources::unit() const { return state_->rules.input.unit; }
std::size_t Sources::size() const { return state_->sources.size(); }
bool Sources::is_left_out(std::size_t i) const { return state_->sources[i].is<LeftOut>(); }
const std::string& Sources::name(std::size_t i) const { return state_->sources[i].path; }
Format Sources::format(std::size_t i) const { return state_->sources[i].format; }
char Sources::separator(std::size_t i) const { return cut_by_format(format(i), state_->rules.input).separator; }
std::string_view Sources::header(std::size_t i) const {
  const Layout* const layout = state_->sources[i].layout.get();
  return layout != nullptr ? std::string_view(layout->header) : std::string_view();
}
std::string Sources::header_text(std::size_t i) const { return decoded(header(i), encoding(i)); }
std::string_view Sources::mark(std::size_t i) const {
  const Layout* const layout = state_->sources[i].layout.get();
  return layout != nullptr ? std::string_view(layout->mark) : std::string_view();
}
const Encoding& Sources::encoding(std::size_t i) const {
  static const Encoding utf8;
  const Layout* const layout = state_->sources[i].layout.get();
  return layout != nullptr ? layout->encoding : utf8;
}
bool Sources::has_encoding(std::size_t i) const {
  const Layout* const layout = state_->sources[i].layout.get();
  return layout == nullptr || !layout->empty;
}
std::uint32_t Sources::columns(std::size_t i) const {
  const Layout* const layout = state_->sources[i].layout.get();
  return layout != nullptr ? layout->questions.questions : 0;
}
std::string Sources::questions(std::size_t i) const {
  const Layout* const layout = state_->sources[i].layout.get();
  if (layout == nullptr) return {};
  std::vector<std::string> names;
  for (std::size_t column = 0; column < layout->questions.names.size(); ++column) {
    if (column != layout->questions.id) names.push_back(layout->questions.names[column]);
  }
  std::sort(names.begin(), names.end());
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : " ") + name;
  return out;
}
bool Sources::is_binary(std::size_t i) const {
  const Source& source = state_->sources[i];
  return source.format == Format::packed || source.format == Format::warc ||
         (source.layout && source.layout->cut.kind == RecordCut::Kind::array);
}
std::uint64_t Sources::total_bytes() const { return state_->total_bytes; }
std::uint64_t Sources::bytes_read() const { return state_->bytes_read.load(std::memory_order_relaxed); }

std::string header_for(const Sources& sources, std::size_t source, std::uint64_t kept) {
  return sources.is_binary(source) ? array_header_for(sources.header(source), kept) : std::string();
}

bool is_file_at(const Sources& sources, std::size_t source, const std::string& path) {
  const std::string& name = sources.name(source);
  const std::optional<FileState> there = file_state_at(path);
  const std::optional<FileState> read = name == "-" ? file_state(STDIN_FILENO, name) : file_state_at(name);
  return there && read && there->regular && there->device == read->device && there->inode == read->inode;
}

// The real path; absent for a pipe and what else has none.
static std::optional<std::string> place_of(const std::string& name) {
  std::error_code error;
  const std::filesystem::path place = std::filesystem::canonical(name == "-" ? "/dev/stdin" : name, error);
  return error ? std::nullopt : std::optional(place.string());
}

void refuse_common_files(const Sources& input, const Sources& against, const char* so) {
  std::unordered_set<std::string> places;
  for (std::size_t i = 0; i < input.size(); ++i) {
    if (auto place = place_of(input.name(i))) places.insert(*std::move(place));
  }
  for (std::size_t i = 0; i < against.size(); ++i) {
    const std::optional<std::string> place = place_of(against.name(i));
    if (!place || !places.contains(*place)) continue;
    throw Error(ErrorCode::plan, "against", against.name(i) + " is also an input, so " + so + "; leave it out of one of the two");
  }
}

void require_same_questions(const std::string& subject, const std::string& questions, const std::string& other, const std::string& others) {
  if (questions == others) return;
  const auto among = [](std::string_view name, const std::string& all) {
    return (' ' + all + ' ').find(' ' + std::string(name) + ' ') != std::string::npos;
  };
  // Both have as many, so one of these is not among the others.
  for (std::size_t begin = 0, end = 0; begin < questions.size(); begin = end + 1) {
    end = std::min(questions.find(' ', begin), questions.size());
    const std::string name = questions.substr(begin, end - begin);
    if (!among(name, others))
      throw Error(ErrorCode::data, subject,
                  "a column is called \"" + name + "\", and " + other + " has no such column; hamming needs the same columns");
  }
}

}  // namespace nearkin

#include "io/source/layout.h"

#include <nearkin/error.h>
#include <nearkin/tools/names.h>

#include "io/formats/edges.h"
#include "io/formats/packed.h"

namespace nearkin {
namespace {

bool has_columns(Format format) { return format == Format::csv || format == Format::tsv || format == Format::table; }

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
  for (std::size_t size = kFirstBytes;; size *= 2) {
    const std::string_view bytes = chunker.peek(size);
    const std::optional<std::size_t> length = length_of(bytes, chunker.peeked_all());
    if (length || chunker.peeked_all()) return std::string(bytes.substr(0, length.value_or(0)));
  }
}

std::unique_ptr<Layout> column_layout(const std::string& path, Format format, std::string first_record, const InputRules& rules) {
  auto layout = std::make_unique<Layout>();
  layout->cut = cut_by_format(format, rules.input);
  const char delimiter = layout->cut.separator;
  const bool header = rules.input.header;
  if (!first_record.empty() && format == Format::table) {
    layout->questions = table_columns(first_record, delimiter, !header, rules.fields, path);
  } else if (!first_record.empty()) {
    layout->columns = csv_columns(first_record, delimiter, !header, rules.fields, path);
  }
  (header ? layout->header : layout->first) = std::move(first_record);
  return layout;
}

DenseColumns dense_columns(const InputRules& rules) {
  DenseColumns columns;
  if (rules.input.separator != Input{}.separator) columns.separator = rules.input.separator;
  if (rules.fields.first_word) columns.id = 0;
  return columns;
}

std::unique_ptr<Layout> dense_layout(const std::string& path, std::string header, const InputRules& rules) {
  auto layout = std::make_unique<Layout>();
  layout->cut = cut_by_format(Format::dense, rules.input);
  layout->dense = dense_columns(rules);
  layout->dense.id = dense_id_column(header, layout->dense, rules.fields, path);
  layout->header = std::move(header);
  return layout;
}

}  // namespace

RecordCut cut_by_format(Format format, const Input& input) {
  RecordCut cut;
  // A record of TSV is a line, whatever quotes there are.
  if (format == Format::csv || format == Format::table) cut.kind = RecordCut::Kind::csv;
  if (format == Format::files) cut.kind = RecordCut::Kind::file;
  if (format == Format::packed) cut.kind = RecordCut::Kind::packed;
  cut.separator = format == Format::tsv ? '\t' : input.separator;
  return cut;
}

void require_fields(Format format, const InputRules& rules, const std::string& path) {
  const bool has_fields = format == Format::jsonl || format == Format::csv || format == Format::tsv;
  if (has_fields || rules.fields.metadata.empty()) return;
  throw Error(ErrorCode::plan, "metadata",
              "no field \"" + rules.fields.metadata.front().name + "\" can be kept of " + path + ", which is read as format " +
                  std::string(name(format)) + "; only jsonl, csv and tsv have fields");
}

std::unique_ptr<Layout> array_layout_of(const std::string& path, std::string_view first, const Input& input) {
  const ArrayLayout array = array_layout(path, first);
  if (array.kind == ArrayLayout::Kind::lines) return nullptr;
  auto layout = std::make_unique<Layout>();
  layout->cut = cut_by_format(Format::dense, input);
  layout->cut.kind = RecordCut::Kind::array;
  layout->cut.array = array;
  layout->header = first.substr(0, array.header_bytes);
  return layout;
}

std::unique_ptr<Layout> read_layout(Chunker& chunker, const std::string& path, Format format, const InputRules& rules) {
  std::unique_ptr<Layout> layout;
  if (has_columns(format)) {
    const char delimiter = cut_by_format(format, rules.input).separator;
    const auto length = [&](std::string_view bytes, bool at_end) { return header_length(bytes, delimiter, at_end); };
    layout = column_layout(path, format, first_record(chunker, length), rules);
  } else if (format == Format::dense) {
    const auto length = [columns = dense_columns(rules)](std::string_view bytes, bool at_end) {
      return dense_header_length(bytes, at_end, columns);
    };
    layout = dense_layout(path, rules.input.header ? first_record(chunker, length) : std::string(), rules);
  }
  if (layout) chunker.skip(layout->header.size());
  return layout;
}

std::unique_ptr<Layout> recorded_layout(const SourceRecord& record, const InputRules& rules) {
  if (has_columns(record.format)) {
    return column_layout(record.path, record.format, rules.input.header ? record.header : record.first, rules);
  }
  if (record.format != Format::dense) return nullptr;
  // A source of which nothing was read has no header either, and a name that promises one is not held against it.
  const bool begun = was_read(record) || !record.header.empty();  // of streams no size is known
  std::unique_ptr<Layout> array = begun ? array_layout_of(record.path, record.header, rules.input) : nullptr;
  return array ? std::move(array) : dense_layout(record.path, record.header, rules);
}

void parse_records(const Chunk& chunk, Format format, const Layout* layout, bool nodes, const InputRules& rules, RecordSink& sink) {
  static const Layout plain;
  const Layout& known = layout != nullptr ? *layout : plain;
  switch (format) {
    case Format::jsonl: return parse_jsonl(chunk, rules.fields, sink);
    case Format::csv:
    case Format::tsv: return parse_csv(chunk, known.columns, sink);
    case Format::lines:
    case Format::sets: return parse_lines(chunk, rules.fields, sink);
    case Format::files: return parse_file(chunk, sink);
    case Format::edges: return nodes ? parse_neighbours(chunk, sink) : check_edges(chunk, sink);
    case Format::table: return parse_table(chunk, known.questions, rules.input.all_answers, sink);
    case Format::sparse: return parse_sparse(chunk, rules.fields, sink);
    case Format::bits: return parse_bits(chunk, rules.fields, sink);
    case Format::packed: return parse_packed(chunk, sink);
    case Format::dense: break;
  }
  known.cut.kind == RecordCut::Kind::array ? parse_array(chunk, known.cut.array, sink) : parse_dense_text(chunk, known.dense, sink);
}

}  // namespace nearkin

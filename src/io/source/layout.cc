#include "io/source/layout.h"

#include <nearkin/error.h>
#include <nearkin/tools/names.h>

#include "io/formats/edges.h"
#include "io/formats/formats.h"
#include "io/formats/html.h"
#include "io/formats/mail.h"
#include "io/formats/packed.h"
#include "io/formats/warc.h"
#include "io/source/extract.h"

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

/// The first record, with what stands before it, as bytes; it stays to be read. `length_of(text, at_end)`: its length, absent when more is
/// needed.
template <typename LengthOf>
std::string first_record(Chunker& chunker, const Encoding& encoding, LengthOf length_of) {
  for (std::size_t size = kFirstBytes;; size *= 2) {
    const std::string_view bytes = chunker.peek(size);
    const bool at_end = chunker.peeked_all();
    if (bytes.size() > kLongestRecord)
      throw Error(ErrorCode::data, chunker.name(), "its first record is longer than 1 GiB, the most that is read; name the right --format");
    if (encoding.is_utf8()) {
      const std::optional<std::size_t> length = length_of(bytes, at_end);
      if (length || at_end) return std::string(bytes.substr(0, length.value_or(0)));
      continue;
    }
    const Decoded decoded = decode(at_end ? bytes : bytes.substr(0, behind_last_newline(bytes, 0, encoding)), encoding);
    const std::optional<std::size_t> length = length_of(decoded.text, at_end);
    if (length || at_end) return std::string(bytes.substr(0, decoded.raw(length.value_or(0))));
  }
}

/// Without columns and the like.
std::unique_ptr<Layout> plain_layout(Format format, const Encoding& encoding, const InputRules& rules) {
  auto layout = std::make_unique<Layout>();
  layout->cut = cut_by_format(format, rules.input);
  layout->encoding = encoding;
  return layout;
}

std::unique_ptr<Layout> column_layout(const std::string& path, Format format, std::string first_record, const Encoding& encoding,
                                      const InputRules& rules) {
  auto layout = plain_layout(format, encoding, rules);
  const char delimiter = layout->cut.separator;
  const bool header = rules.input.header;
  const std::string first = decoded(first_record, encoding);
  if (!first.empty() && format == Format::table) {
    layout->questions = table_columns(first, delimiter, !header, rules.fields, path);
  } else if (!first.empty()) {
    layout->columns = csv_columns(first, delimiter, !header, rules.fields, path);
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

std::unique_ptr<Layout> dense_layout(const std::string& path, std::string header, const Encoding& encoding, const InputRules& rules) {
  auto layout = plain_layout(Format::dense, encoding, rules);
  layout->dense = dense_columns(rules);
  layout->dense.id = dense_id_column(decoded(header, encoding), layout->dense, rules.fields, path);
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
  if (format == Format::warc) cut.kind = RecordCut::Kind::warc;
  cut.separator = format == Format::tsv ? '\t' : input.separator;
  return cut;
}

static bool has_text(Format format) {
  switch (format) {
    case Format::jsonl:
    case Format::csv:
    case Format::tsv:
    case Format::lines:
    case Format::files:
    case Format::packed:
    case Format::warc: return true;
    default: return false;
  }
}

bool holds_pages(Format format, const std::string& path, const Input& input) {
  if (input.html) return *input.html == Html::text && has_text(format) && format != Format::warc;
  if (format != Format::files || is_extracted(path, format, input)) return false;
  const std::string extension = extension_of(path);
  return extension == "html" || extension == "htm" || extension == "xhtml";
}

void require_fields(Format format, const InputRules& rules, const std::string& path) {
  if (rules.input.html == Html::text && !has_text(format)) {
    throw Error(ErrorCode::plan, "html",
                path + " is read as format " + std::string(name(format)) +
                    ", whose items cannot be web pages; only texts (jsonl, csv, tsv, lines, " + "files) can; leave it out");
  }
  if (rules.input.unit.divides() && !has_text(format)) {
    throw Error(ErrorCode::plan, "unit",
                path + " is read as format " + std::string(name(format)) + ", whose items have no " + to_string(rules.input.unit) +
                    "; only texts (jsonl, csv, tsv, lines, files) have parts");
  }
  const bool has_fields = format == Format::jsonl || format == Format::csv || format == Format::tsv;
  if (rules.fields.scope && !has_fields && format != Format::table) {
    throw Error(ErrorCode::plan, rules.input.scope.rule == Scope::Rule::within ? "within" : "across",
                path + " is read as format " + std::string(name(format)) + ", whose records have no field \"" + rules.fields.scope->name +
                    "\"; only jsonl, csv, tsv and table have fields; file and folder work for every format" +
                    (rules.fields.scope->name.find(',') == std::string::npos ? "" : "; name one field, not several"));
  }
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

EncodingFound encoding_of(std::string_view first, const std::string& path, Format format, const Input& input) {
  if (format == Format::packed || format == Format::warc) return {};
  EncodingFound found = find_encoding(first, input.encoding);
  if (found.mark > 0 || format != Format::files || !holds_pages(format, path, input)) return found;
  // Whatever encoding was asked for, a page with the mark of UTF-16 is in UTF-16.
  const EncodingFound by_mark = find_encoding(first, "utf-16");
  return by_mark.mark > 0 ? by_mark : found;
}

std::string text_of_first(std::string_view first, const Input& input) {
  const EncodingFound found = find_encoding(first, input.encoding);
  return decoded(first.substr(found.mark), found.encoding);
}

std::string before_records(const Layout& layout) { return layout.mark + layout.header; }

std::unique_ptr<Layout> read_layout(Chunker& chunker, const std::string& path, Format format, const Encoding& encoding,
                                    const InputRules& rules) {
  std::unique_ptr<Layout> layout;
  if (has_columns(format)) {
    const char delimiter = cut_by_format(format, rules.input).separator;
    const auto length = [&](std::string_view bytes, bool at_end) { return header_length(bytes, delimiter, at_end); };
    layout = column_layout(path, format, first_record(chunker, encoding, length), encoding, rules);
  } else if (format == Format::dense) {
    const auto length = [columns = dense_columns(rules)](std::string_view bytes, bool at_end) {
      return dense_header_length(bytes, at_end, columns);
    };
    layout = dense_layout(path, rules.input.header ? first_record(chunker, encoding, length) : std::string(), encoding, rules);
  } else if (!encoding.is_utf8()) {
    layout = plain_layout(format, encoding, rules);
  }
  if (layout) chunker.skip(layout->header.size());
  return layout;
}

std::unique_ptr<Layout> recorded_layout(const SourceRecord& record, const InputRules& rules) {
  if (record.made) return nullptr;
  if (record.format == Format::dense) {
    // A source of which nothing was read has no header either, and a name that promises one is not held against it.
    const bool begun = was_read(record) || !record.header.empty();  // of streams no size is known
    if (auto array = begun ? array_layout_of(record.path, record.header, rules.input) : nullptr) return array;
  }
  const EncodingFound found = encoding_of(record.header, record.path, record.format, rules.input);
  const std::string header = record.header.substr(found.mark);
  std::unique_ptr<Layout> layout;
  if (has_columns(record.format)) {
    layout = column_layout(record.path, record.format, rules.input.header ? header : record.first, found.encoding, rules);
  } else if (record.format == Format::dense) {
    layout = dense_layout(record.path, header, found.encoding, rules);
  } else if (found.mark > 0 || !found.encoding.is_utf8()) {
    layout = plain_layout(record.format, found.encoding, rules);
  }
  if (found.mark > 0) layout->mark = record.header.substr(0, found.mark);
  if (layout) layout->empty = record.on_disk && record.size == 0;
  return layout;
}

static void parse_utf8(const Chunk& chunk, Format format, const Layout* layout, bool nodes, const InputRules& rules, RecordSink& sink) {
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
    case Format::warc: return parse_warc(chunk, rules.input, sink);
    case Format::dense: break;
  }
  known.cut.kind == RecordCut::Kind::array ? parse_array(chunk, known.cut.array, sink) : parse_dense_text(chunk, known.dense, sink);
}

/// A byte-order mark says more than what a page declares, and that more than what was asked for.
static Encoding encoding_of_chunk(const Chunk& chunk, Format format, const Layout* layout, const RecordSink& sink) {
  const Encoding known = layout != nullptr ? layout->encoding : Encoding();
  if (format != Format::files || !sink.reads_pages() || (layout != nullptr && !layout->mark.empty())) return known;
  const std::string declared = declared_encoding(chunk.bytes);
  return declared.empty() ? known : find_encoding({}, declared).encoding;
}

void parse_records(const Chunk& chunk, Format format, const Layout* layout, bool nodes, const InputRules& rules, RecordSink& sink) {
  if (is_mail(sink.name(), format, rules.input)) return parse_mail(chunk, rules.input, sink);
  const Encoding encoding = encoding_of_chunk(chunk, format, layout, sink);
  if (reads_as_utf8(chunk.bytes, encoding)) return parse_utf8(chunk, format, layout, nodes, rules, sink);
  const Decoded decoded = decode(chunk.bytes, encoding, format == Format::files);
  Chunk text = chunk;
  text.buffer = decoded.buffer;
  text.bytes = decoded.text;
  sink.begin_decoded(encoding.either ? "UTF-8 or windows-1252" : encoding.name);
  parse_utf8(text, format, layout, nodes, rules, sink);
  sink.end_decoded([&](Location& location) {
    const auto begin = static_cast<std::size_t>(location.offset - chunk.offset);
    const std::size_t end = decoded.raw(begin + static_cast<std::size_t>(location.length));
    location.offset = chunk.offset + decoded.raw(begin);
    location.length = chunk.offset + end - location.offset;
  });
}

}  // namespace nearkin

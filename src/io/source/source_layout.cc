// What the first bytes of a source say of the rest: from the source itself when it is opened, or from what is recorded of it.
#include <utility>

#include "io/source/source_state.h"

namespace nearkin {

RecordCut cut_by_format(Format format, const Input& input) {
  RecordCut cut;
  // A record of TSV is a line, whatever quotes there are.
  if (format == Format::csv || format == Format::table) cut.kind = RecordCut::Kind::csv;
  if (format == Format::files) cut.kind = RecordCut::Kind::file;
  if (format == Format::packed) cut.kind = RecordCut::Kind::packed;
  cut.separator = format == Format::tsv ? '\t' : input.separator;
  return cut;
}

/// Dense vectors in binary: false where they are not. `first`: the first bytes, or the header alone.
bool Sources::State::set_array(Source& source, std::string_view first) const {
  const ArrayLayout array = array_layout(source.path, first);
  if (array.kind == ArrayLayout::Kind::lines) return false;
  source.layout = std::make_unique<Layout>();
  source.layout->cut = cut_by_format(source.format, input);
  source.layout->cut.array = array;
  source.layout->cut.kind = RecordCut::Kind::array;
  source.layout->header = first.substr(0, array.header_bytes);
  return true;
}

/// csv, tsv, table.
void Sources::State::set_columns(Source& source, std::string first_record) const {
  auto layout = std::make_unique<Layout>();
  layout->cut = cut_by_format(source.format, input);
  const char delimiter = layout->cut.separator;
  if (!first_record.empty() && source.format == Format::table) {
    layout->questions = table_columns(first_record, delimiter, !input.header, fields, source.path);
  } else if (!first_record.empty()) {
    layout->columns = csv_columns(first_record, delimiter, !input.header, fields, source.path);
  }
  (input.header ? layout->header : layout->first) = std::move(first_record);
  source.layout = std::move(layout);
}

DenseColumns Sources::State::dense_columns() const {
  DenseColumns columns;
  if (input.separator != Input{}.separator) columns.separator = input.separator;
  if (fields.first_word) columns.id = 0;
  return columns;
}

void Sources::State::set_dense_header(Source& source, std::string header) const {
  auto layout = std::make_unique<Layout>();
  layout->cut = cut_by_format(source.format, input);
  layout->dense = dense_columns();
  layout->dense.id = dense_id_column(header, layout->dense, fields, source.path);
  layout->header = std::move(header);
  source.layout = std::move(layout);
}

}  // namespace nearkin

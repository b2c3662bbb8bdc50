// Dense vectors as text: one a line, its numbers with a comma, semicolon, tab or blanks between them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "io/formats/records.h"

namespace nearkin {

struct DenseColumns {
  /// Between two fields; absent: whichever of comma, semicolon and tab a line has first, or else blanks, any number of them.
  std::optional<char> separator;
  std::optional<std::size_t> id;  ///< the column that is no number but the id
};

/// Length of the header line and all before it; absent when more bytes are needed to tell. The first line that says anything is the header
/// when a field of it, the id's apart, is no number, or its first one is empty; else there is none (0). Blank lines and lines that begin
/// with '#' say nothing.
std::optional<std::size_t> dense_header_length(std::string_view bytes, bool at_end, const DenseColumns& columns);

/// The id's column by the header (as dense_header_length cut it; empty: columns are called 1, 2, 3 …). Where there is no column "id" it is
/// a first one without a name, as tools that number rows write it. Throws Error(data) when another column was asked for and is missing.
std::optional<std::size_t> dense_id_column(std::string_view header, const DenseColumns& columns, const Fields& fields,
                                           const std::string& name);

void parse_dense_text(const Chunk& chunk, const DenseColumns& columns, RecordSink& sink);

}  // namespace nearkin

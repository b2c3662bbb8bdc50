// Annotated records: a record of JSON, CSV or TSV with two fields added, the number of its cluster and the id of its keeper.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nearkin/items.h>

namespace nearkin {

/// Records of these formats have fields to add to.
constexpr bool can_annotate(Format format) { return format == Format::jsonl || format == Format::csv || format == Format::tsv; }

/// The added field ("cluster" or "keeper") that a JSON object has at its top level already, however its name is spelled; absent where it
/// has neither. The record is well-formed.
std::optional<std::string_view> annotation_in_json(std::string_view record);
/// The same for the columns of a header. Throws Error(data) naming `source` where the header cannot be parsed.
std::optional<std::string_view> annotation_in_header(std::string_view header, char separator, const std::string& source);

/// The record, a well-formed object, with both fields at its end; the bytes before them and the line end are unchanged.
std::string annotated_json(std::string_view record, std::uint32_t cluster, std::string_view keeper);
/// The record with two columns at its end, quoted where they must be; for a header `cluster` and `keeper` are their names.
std::string annotated_csv(std::string_view record, char separator, std::string_view cluster, std::string_view keeper);

/// The line end of a record: "\n", "\r\n", or nothing.
std::string_view line_end(std::string_view record);

}  // namespace nearkin

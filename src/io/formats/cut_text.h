// Records without parts of their texts.
#pragma once

#include <span>

#include "base/units.h"
#include "io/formats/csv.h"
#include "io/formats/records.h"

namespace nearkin {

/// `text` without these bytes of it, which are ascending and apart from one another.
std::string without(std::string_view text, std::span<const Span> cuts);

/// A record that parsed well, without these bytes of its text; all that is not the text stays as it is spelled. Of several text fields
/// `cuts` counts on through them, with one byte between two of them. kChunkPadding bytes behind a record of jsonl may be read.
std::string cut_jsonl(std::string_view record, const Fields& fields, std::span<const Span> cuts);
std::string cut_csv(std::string_view record, const CsvColumns& columns, std::span<const Span> cuts);
std::string cut_line(std::string_view record, const Fields& fields, std::span<const Span> cuts);

}  // namespace nearkin

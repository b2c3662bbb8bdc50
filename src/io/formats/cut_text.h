// Records without parts of their texts.
#pragma once

#include <span>

#include "base/units.h"
#include "io/formats/csv.h"
#include "io/formats/records.h"

namespace nearkin {

/// `text` without these bytes of it, which are ascending and apart from one another, and without what they leave over:
///  - Marks (. , ; : ! ?) directly behind a cut go with it where nothing, a line end or such a mark is in front of it, blanks apart.
///    Elsewhere they stay, and the blanks in front of the cut go.
///  - Blanks are those of base/blanks.h, and so are line ends.
///  - Where no mark stays, the blanks behind a cut go; those in front instead where more line ends are behind it.
///  - Where nothing but blanks is left behind a cut, they go, and those in front too.
std::string without(std::string_view text, std::span<const Span> cuts);

/// A record that parsed well, without these bytes of its text; all that is not the text stays as it is spelled. Of several text fields
/// `cuts` counts on through them, with one byte between two of them. kChunkPadding bytes behind a record of jsonl may be read.
std::string cut_jsonl(std::string_view record, const Fields& fields, std::span<const Span> cuts);
std::string cut_csv(std::string_view record, const CsvColumns& columns, std::span<const Span> cuts);
std::string cut_line(std::string_view record, const Fields& fields, std::span<const Span> cuts);

}  // namespace nearkin

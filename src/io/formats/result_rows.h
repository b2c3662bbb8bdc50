// Results as text: rows of pairs, clusters and neighbours, and records with two fields added, their cluster and the id of its keeper.
#pragma once

#include <span>
#include <variant>

#include <nearkin/items.h>
#include <nearkin/query.h>
#include <nearkin/run.h>
#include <nearkin/tools/lists.h>

namespace nearkin {

/// How the numbers of matches are to be read.
struct Shown {
  Verify verify;
  Measure measure;
};

/// One line "first <tab> second <tab> similarity", or a JSON object with the given names. An estimate is written "~0.83" in TSV and as
/// "estimate" in JSON; where nothing was verified TSV has "?" and JSON leaves the number out.
void append_row(std::string& out, std::string_view first, std::string_view second, const Match& match, const Shown& shown, RowStyle style,
                std::pair<const char*, const char*> names);

/// A line of what was removed, for a part of a removed record of which no other record has a copy: only the first column says something,
/// the others are empty, or null in JSON.
void append_rest(std::string& out, std::string_view first, const Shown& shown, RowStyle style, std::pair<const char*, const char*> names);

/// `,"similarity":0.8` or `,"distance":3` or `,"estimate":0.8` or nothing.
void append_measured_json(std::string& out, const Match& match, const Shown& shown);
/// What JSON calls it: similarity, distance or estimate.
const char* measured_name(const Shown& shown);
/// Whether it was computed. Copies are known to be the same even where nothing was verified.
bool is_known(const Match& match, const Shown& shown);
/// The similarity, or the distance, for programs: all digits, where measured_text has six.
std::string number_text(const Match& match, Measure measure);

/// A line of `cluster`: id and number; in JSON also the keeper's id and the similarity with it.
void append_cluster_row(std::string& out, std::string_view id, std::uint32_t cluster, std::string_view keeper, const Match& to_keeper,
                        const Shown& shown, RowStyle style);
/// A line of its summary.
void append_summary_row(std::string& out, std::uint32_t cluster, std::uint32_t size, std::string_view keeper, const Match& smallest,
                        const Shown& shown, RowStyle style);
/// Sets `known` to the farther of the two; to unknown if nothing was verified.
void note_smallest(Match& known, const Match& match, const Shown& shown);

/// Nearer, or more similar. Fractions of counts are compared in integers.
bool nearer(const Match& x, const Match& y, Measure measure);

/// Records of these formats have fields to add to.
constexpr bool can_annotate(Format format) { return format == Format::jsonl || format == Format::csv || format == Format::tsv; }

/// The first of these fields that a JSON object has at its top level already, however its name is spelled; absent where it has none. The
/// record is well-formed.
std::optional<std::string> field_in_json(std::string_view record, std::span<const std::string> fields);
/// The same for the columns of a header. Throws Error(data) naming `source` where the header cannot be parsed.
std::optional<std::string> field_in_header(std::string_view header, std::span<const std::string> fields, char separator,
                                           const std::string& source);

/// A number as it is to be written.
struct SpelledNumber {
  std::string_view digits;
};
/// What a field to add says.
using AddedValue = std::variant<std::uint64_t, std::string_view, SpelledNumber>;
/// The record, a well-formed object, with the fields at its end; the bytes before them and the line end are unchanged.
std::string with_json_fields(std::string_view record, std::span<const std::string> fields, std::span<const AddedValue> values);
/// The record with columns at its end, quoted where they must be; for a header the values are their names.
std::string with_csv_columns(std::string_view record, char separator, std::span<const AddedValue> values);

/// The line end of a record: "\n", "\r\n", or nothing.
std::string_view line_end(std::string_view record);

/// A line of `passages`, with the ids of the two records; `similarity`: also the share of equal tokens.
void append_passage(std::string& out, std::string_view id, std::string_view in, const Passage& passage, bool similarity, RowStyle style);

/// The same for a part of a record that is in no passage, and goes because too little of the record is left.
void append_rest_passage(std::string& out, std::string_view id, std::uint64_t begin, std::uint64_t end, RowStyle style);

/// The names beside a hit of `decontaminate`.
struct ContaminationNames {
  std::string_view id, suite, item;
  std::string_view field;  ///< empty: the fields were looked for as one text
};
/// A line of `decontaminate`.
void append_contamination(std::string& out, const ContaminationNames& names, const Contamination& hit, RowStyle style);

struct HitRow {
  std::string_view query, id;
  std::string_view metadata = {};  ///< a JSON object; empty: none is shown
  bool stopped_early = false;      ///< the query was
};
/// As write_hits says; metadata, and whether the query was stopped, are written in JSON only.
void append_hit(std::string& out, const HitRow& row, const Match& match, const Shown& shown, RowStyle style);

}  // namespace nearkin

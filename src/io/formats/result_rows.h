// Rows of results as text.
#pragma once

#include <string>
#include <string_view>
#include <utility>

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

/// `,"similarity":0.8` or `,"distance":3` or `,"estimate":0.8` or nothing.
void append_measured_json(std::string& out, const Match& match, const Shown& shown);

/// A line of `cluster`: id and number; in JSON also the keeper's id and the similarity with it.
void append_cluster_row(std::string& out, std::string_view id, std::uint32_t cluster, std::string_view keeper, const Match& to_keeper,
                        const Shown& shown, RowStyle style);
/// A line of its summary.
void append_summary_row(std::string& out, std::uint32_t cluster, std::uint32_t size, std::string_view keeper, const Match& smallest,
                        const Shown& shown, RowStyle style);
/// `known` becomes the farther of the two; where nothing was verified, unknown.
void note_smallest(Match& known, const Match& match, const Shown& shown);

/// Nearer, or more similar. Fractions of counts are compared in integers.
bool nearer(const Match& x, const Match& y, Measure measure);

}  // namespace nearkin

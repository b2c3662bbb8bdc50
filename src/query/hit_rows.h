// Rows of neighbours, from files and from an index alike.
#pragma once

#include <string>
#include <string_view>

#include <nearkin/query.h>
#include <nearkin/tools/lists.h>

#include "io/formats/result_rows.h"

namespace nearkin {

struct HitRow {
  std::string_view query, id;
  std::string_view metadata = {};  ///< a JSON object; empty: none is shown
  bool stopped_early = false;      ///< the query was
};
/// As write_hits says; metadata and whether the query was stopped stand in JSON only.
void append_hit(std::string& out, const HitRow& row, const Match& match, const Shown& shown, RowStyle style);

}  // namespace nearkin

// The flags of dedup that are about parts of records, and what they did.
#pragma once

#include <string>

#include <nearkin/run.h>

#include "json.h"
#include "options.h"

namespace nearkin::cli {

/// --repeats, --least-left, --most-cut and --share-field, which need `in_units`, and --drop, --keep-at-most and --size-field.
void set_cutting(const ParsedArgs& typed, bool in_units, DedupOptions& options);

/// "; 3 records cut, 1 removed"
std::string records_text(const DedupResult::Records& records, bool annotate = false);
void add_records(const DedupResult::Records& records, JsonObject& told);

}  // namespace nearkin::cli

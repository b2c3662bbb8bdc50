// Scan: some items compared exactly with all others, whatever the sketches say.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <nearkin/run.h>
#include <nearkin/tools/theory.h>

#include "search/search.h"

namespace nearkin {

struct Scan {
  std::vector<AuditedItem> items;     ///< in the order of `asked`; without pairs between copies of one text, as in RunStats::recall
  std::uint64_t population = 0;       ///< items from which the asked ones were drawn
  DataSample sample;                  ///< how the pairs of the collection are distributed, including copies
  std::vector<AuditedItem> removals;  ///< `dedup`: for each asked item that is not a copy, 0 or 1: should it be removed, and was it
};

/// `count` random items that are not EMPTY (sample_rows), ascending. With `against`, only items of the input.
std::vector<Row> rows_to_ask(const Rows& rows, const SearchResult& found, std::uint64_t count, std::uint64_t seed);
double mean_text_bytes(const Rows& rows);
/// The default number of items to ask: 256, or fewer if texts are so long that an index of them would be large.
std::uint64_t usual_questions(const Rows& rows);
/// The number of items that may be asked.
std::uint64_t population(const Rows& rows, const SearchResult& found);

/// Compares each asked row with every item (of the other input, if there are two). Reads the texts again, in order; memory is proportional
/// to the asked items. `keepers`: for `dedup` by stars or against another input; else empty.
Scan scan(const Rows& rows, const Stage& stage, const SearchResult& found, std::span<const Row> asked, std::span<const Row> keepers = {},
          Advance* advance = nullptr);

/// RunOptions::audit: how many of the pairs of the asked items the run found.
std::optional<Audit> audit_of(const Scan& scan, const Stage& stage);

}  // namespace nearkin

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
  std::vector<AuditedItem> items;     ///< in the order asked; pairs between copies of one text are left out, as in RunStats::recall
  std::uint64_t population = 0;       ///< items that could have been asked
  DataSample sample;                  ///< of the collection: how its pairs are spread, copies included
  std::vector<AuditedItem> removals;  ///< of `dedup`: of each that is no copy, whether it should be removed, and whether it was, as 0 and 1
};

/// So many random items that are not EMPTY (sample_rows). Where there is an `against`, of the input alone. Ascending.
std::vector<Row> rows_to_ask(const Rows& rows, const SearchResult& found, std::uint64_t count, std::uint64_t seed);
double mean_text_bytes(const Rows& rows);
/// How many where nobody says how many: 256, fewer where texts are so long that an index of theirs would be large.
std::uint64_t usual_questions(const Rows& rows);
/// The items that may be asked.
std::uint64_t population(const Rows& rows, const SearchResult& found);

/// Each asked row against every item (of the other input, where there are two). Texts are read again, in order; memory is what the asked
/// items need.
/// `keepers`: of `dedup` by stars or against another input; else empty.
Scan scan(const Rows& rows, const Stage& stage, const SearchResult& found, std::span<const Row> asked, std::span<const Row> keepers = {});

/// RunOptions::audit: what the run found of the pairs of so many random items.
std::optional<Audit> audit_of(const Scan& scan, const Stage& stage);

}  // namespace nearkin

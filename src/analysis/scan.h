// Scan: some items compared exactly with all others, whatever the sketches say.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <nearkin/run.h>

#include "search/search.h"

namespace nearkin {

struct Scan {
  std::vector<AuditedItem> items;  ///< in the order asked; pairs between copies of one text are left out, as in RunStats::recall
  DataSample sample;               ///< of the collection: how its pairs are spread, copies included
};

/// So many of the collection's items that are not EMPTY, at random (sample_rows). Where there is an `against`, of the input
/// alone. Ascending.
std::vector<Row> rows_to_ask(const Collection& collection, std::uint64_t count, std::uint64_t seed);
/// How many where nobody says how many: 256, fewer where texts are so long that an index of theirs would be large.
std::uint64_t usual_questions(const Collection& collection);
/// The items that may be asked.
std::uint64_t population(const Collection& collection);

/// Each asked row against every item (of the other input, where there are two). Texts are read again, in order; memory is what the asked
/// items need.
Scan scan(const Collection& collection, const SearchResult& found, const Plan& plan, std::span<const Row> asked, unsigned threads);

/// RunOptions::audit: what the run found of the pairs of so many random items.
std::optional<Audit> audit_of(const Scan& scan, const Collection& collection, const Plan& plan);

}  // namespace nearkin

// Decisions about pairs, as the page about a run saves them.
#pragma once

#include <string>
#include <vector>

#include <nearkin/run.h>

namespace nearkin {

/// One decision per line: id, id, and "accept" or "reject", separated by tabs. Ids are spelled as in the lists that nearkin writes
/// (append_tsv_field); blank lines are skipped; "-" is standard input. `between`: the first id is of the input, the second of `against`.
/// Throws Error(file) if the file cannot be read, and Error(data) naming the line if it has another form, pairs an item with itself, or
/// contradicts another line.
std::vector<PairDecision> read_decisions(const std::string& path, bool between = false);

}  // namespace nearkin

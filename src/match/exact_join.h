// The exact join of sets under Jaccard similarity, by prefix filter.
#pragma once

#include <cstdint>
#include <span>

#include <nearkin/stages.h>

#include "match/join_sink.h"
#include "match/row_bytes.h"
#include "match/shared_components.h"
#include "match/verify.h"

namespace nearkin {

/// Every pair of `members` (any order, no EMPTY ones) at or above the threshold goes to `emit`; with `split` only pairs across it
/// (CandidateSearch). If not all sets and their index fit into the memory allowed, they are processed part by part, and each part is
/// compared with all sets that are not smaller. Neither parts nor threads change the matches or the notes, and memory does not depend on
/// the matches. Memory: 8 bytes per member; one byte for each element, a quarter of what is allowed at the most; and for a part its sets,
/// unless they are in memory already, 44 bytes and 4 per thread for each of them, and about 30 for each element of a prefix. With
/// `components`, which `emit` must unite by the matches it gets, pairs that are already joined are skipped, whole ranges of them at once.
/// The matches are then just enough, or a few more, to connect what all matches would connect; which ones, and the notes, may depend on the
/// threads.
JoinNotes join_exactly(const RowBytes& sets, std::span<const Row> members, Row split, Ratio threshold, const JoinLimits& limits,
                       const MatchSink& emit, const SharedComponents* components = nullptr);

/// The same for sets in memory, with all matches as a list, ascending.
JoinResult join_exactly(const Features& features, std::span<const Row> members, Row split, Ratio threshold, unsigned threads);

}  // namespace nearkin

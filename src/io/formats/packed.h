// Packed items, for programs that hand over texts which they hold already: nothing to escape, nothing to search for line ends.
// A record: "nkr1", id bytes (32 bits), text bytes (64 bits), a tag of the writer's own that nobody looks at (64 bits), the id, the text;
// numbers have their lowest byte first.
#pragma once

#include "io/formats/records.h"

namespace nearkin {

inline constexpr std::string_view kPackedMark = "nkr1";
inline constexpr std::size_t kPackedHeader = 24;
inline constexpr std::uint64_t kNoPackedText = ~std::uint64_t{0};  ///< instead of the text's length: the record has no text

/// The whole records that the bytes begin with.
struct PackedCut {
  std::size_t length = 0;
  std::uint64_t rows = 0;
  bool stopped = false;  ///< what follows is not a record
};
PackedCut cut_packed(std::string_view bytes);
/// What is wrong with the end of a source if `rest` is left after `row` records; empty if nothing is.
std::string packed_end_problem(std::uint64_t row, std::string_view rest);

/// The chunk holds whole records. An id that is empty is replaced by "path:line".
void parse_packed(const Chunk& chunk, RecordSink& sink);

}  // namespace nearkin

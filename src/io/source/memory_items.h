// Items in memory as a source: rows instead of bytes.
#pragma once

#include <nearkin/items.h>

#include "io/formats/records.h"

namespace nearkin {

inline constexpr std::uint64_t kItemBytes = 16;  ///< what an item without a text counts in a chunk

std::size_t size_of(const MemoryItems& items);
std::uint64_t bytes_of(const MemoryItems& items);                   ///< of all texts or vectors, and kItemBytes for each
std::uint64_t bytes_of(const MemoryItems& items, std::size_t row);  ///< of its text or vector
/// What the items are read as. Throws Error(plan) for another format than these items can have.
Format format_of(const MemoryItems& items, const Input& input);

/// The rows of a chunk.
void parse_memory(const MemoryItems& items, const Chunk& chunk, bool numbers, bool scopes, RecordSink& sink);

}  // namespace nearkin

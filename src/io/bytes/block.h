// A block: bytes on their own, compressed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace nearkin {

/// The first byte says how: 0, as they are; 1, a zstd frame with its checksum. The shorter of both. FROZEN: blocks are in files.
std::string compress_block(std::string_view bytes);
/// Absent where the block is damaged, as far as that shows, or holds more than `most` bytes.
std::optional<std::string> decompress_block(std::string_view block, std::size_t most);

}  // namespace nearkin

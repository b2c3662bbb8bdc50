// Which format a source has.
#pragma once

#include <string_view>

#include <nearkin/items.h>

namespace nearkin {

/// By extension, after .gz, .zst or .zstd; anything unknown is one item a file. A .json file is taken for JSON lines only where it was
/// named: those met in folders are mostly one document each.
Format format_of_path(std::string_view path, bool named = true);
/// By the first byte that is not blank: '{' means jsonl, all else lines.
Format format_of_content(std::string_view bytes);
/// What is said about content that begins as UTF-16 or as an archive that is not read, with the way out; empty for all else.
std::string_view foreign_content(std::string_view bytes);

}  // namespace nearkin

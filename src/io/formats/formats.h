// Which format a source has.
#pragma once

#include <nearkin/items.h>

namespace nearkin {

/// By extension, after .gz, .zst or .zstd, IDX files by the usual parts of their names; anything unknown is one item per file. A .json file
/// is taken for JSON lines only where it was named: those met in folders are mostly one document each.
Format format_of_path(std::string_view path, bool named = true);
/// Letters of ASCII made small.
std::string lower(std::string_view text);
/// The last extension in lower case, after .gz, .zst or .zstd; empty where there is none.
std::string extension_of(std::string_view path);
/// By its first bytes: the mark of a WARC, or '{' as the first that is not blank, which means jsonl; all else is lines.
Format format_of_content(std::string_view bytes);
/// The message about content that looks like UTF-16, an archive that is not supported, or an array of numbers, with what to do; empty for
/// anything else. Not for sources whose own format has such bytes.
std::string_view foreign_content(std::string_view bytes);

}  // namespace nearkin

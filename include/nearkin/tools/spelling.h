// How strings are written in JSON and TSV, and which bytes are UTF-8: one rule for the library and every front end.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nearkin {

/// The length of the valid UTF-8 sequence at the beginning of `bytes`; 0 if there is none.
std::size_t utf8_sequence(std::string_view bytes);
bool is_utf8(std::string_view bytes);

/// `text` for a terminal: what a terminal would interpret or hide (control characters, bytes that are not UTF-8, changes of the writing
/// direction) is escaped, as in \x1b.
std::string shown(std::string_view text);

/// The word of `known` that is one or two typing errors away from `word`; absent if there is none.
std::optional<std::string> nearest_name(std::string_view word, const std::vector<std::string>& known);

/// Appends `s` as a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD; what a terminal would interpret or hide (as in
/// `shown`) becomes \u escapes.
void append_json_string(std::string& out, std::string_view s);
/// Appends the inside of a JSON string: quotes, backslashes and control characters are escaped, other bytes stay as they are.
void append_json_escaped(std::string& out, std::string_view s);
/// Appends JSON, in valid UTF-8, with the same characters as escapes.
void append_json_safely(std::string& out, std::string_view json);
/// As append_json_string.
std::string json_string(std::string_view s);

/// Appends `s` as a field of a TSV list that nearkin writes: tab, newline, carriage return and backslash become \t \n \r \\, and every byte
/// of what a terminal would obey or hide (as in `shown`) becomes \x1b.
void append_tsv_field(std::string& out, std::string_view s);

/// The fields of one record of Format::tsv: a line, with or without its end. A field is quoted only if its closing quote is directly before
/// a tab or the end of the line; any other quote is a plain character.
std::vector<std::string> tsv_record(std::string_view line);
/// Appends `s` as a field of such a record, quoted if necessary; tsv_record reads it back. Throws Error(data) for a newline in it, which no
/// record of Format::tsv can hold.
void append_tsv_record_field(std::string& out, std::string_view s);

}  // namespace nearkin

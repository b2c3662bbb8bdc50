// How strings are spelled in JSON and TSV, and which bytes are UTF-8: one rule for the library and every surface.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nearkin {

/// Length of the well-formed sequence that `bytes` begins with; 0 when it begins with none.
std::size_t utf8_sequence(std::string_view bytes);
bool is_utf8(std::string_view bytes);

/// `s` as a JSON string with its quotes, appended to `out`. Bytes that are not UTF-8 become U+FFFD.
void append_json_string(std::string& out, std::string_view s);
/// The inside of a JSON string: quotes, backslashes and control characters are escaped, all other bytes are unchanged.
void append_json_escaped(std::string& out, std::string_view s);
/// As append_json_string.
std::string json_string(std::string_view s);

/// `s` as a field of a list that nearkin writes as TSV: tab, newline, carriage return and backslash written \t \n \r \\.
void append_tsv_field(std::string& out, std::string_view s);

/// The fields of a record of format tsv, one line with or without its end. A field counts as quoted only where its closing quote stands
/// directly before a tab or the line's end; any other quote is a plain character.
std::vector<std::string> tsv_record(std::string_view line);
/// `s` as a field of such a record, quoted where it must be: tsv_record reads it back. Throws Error(data) for a newline in it, which no
/// record of format tsv can hold.
void append_tsv_record_field(std::string& out, std::string_view s);

}  // namespace nearkin

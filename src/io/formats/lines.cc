// One item a line, or one a file; sets are lines whose words are their elements.
#include <algorithm>
#include <string_view>

#include <nearkin/tools/spelling.h>

#include "io/formats/records.h"

namespace nearkin {

namespace {

constexpr std::string_view kBlanks = " \t";

void add_with_first_word(std::string_view text, const Location& location, RecordSink& sink) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) {
    sink.fault(location, "no first word to take as the id");
    return;
  }
  const std::size_t end = std::min(text.find_first_of(kBlanks, begin), text.size());
  const std::size_t rest = std::min(text.find_first_not_of(kBlanks, end), text.size());
  sink.item(text.substr(begin, end - begin), text.substr(rest), location);
}

}  // namespace

void parse_lines(const Chunk& chunk, const Fields& fields, RecordSink& sink) {
  const bool all_valid = is_utf8(chunk.bytes);
  for_each_line(chunk, [&](std::string_view record, std::string_view text, const Location& location) {
    if (!all_valid) {
      if (const auto bad = first_invalid_utf8(record)) return sink.invalid_utf8(location, *bad);
    }
    if (fields.first_word) return add_with_first_word(text, location, sink);
    sink.item(sink.place(location), text, location);
  });
}

void parse_file(const Chunk& chunk, RecordSink& sink) {
  const Location whole{chunk.source, 1, chunk.offset, chunk.bytes.size()};
  if (const auto bad = first_invalid_utf8(chunk.bytes)) return sink.invalid_utf8(whole, *bad);
  sink.item(sink.name(), chunk.bytes, whole);
}

}  // namespace nearkin

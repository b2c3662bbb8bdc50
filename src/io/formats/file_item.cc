// One item a file.
#include "io/formats/records.h"

namespace nearkin {

void parse_file(const Chunk& chunk, RecordSink& sink) {
  const Location whole{chunk.source, 1, chunk.offset, chunk.bytes.size()};
  if (const auto bad = first_invalid_utf8(chunk.bytes)) return sink.invalid_utf8(whole, *bad);
  sink.item(sink.name(), chunk.bytes, whole);
}

}  // namespace nearkin

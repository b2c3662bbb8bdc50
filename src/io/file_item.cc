// One item a file.
#include <algorithm>
#include <cstring>

#include "io/records.h"

namespace nearkin {

void parse_file(const Chunk& chunk, RecordSink& sink) {
  std::string_view text = chunk.bytes;
  const std::size_t looked_at = std::min(text.size(), kBinaryPrefix);
  if (looked_at > 0 && std::memchr(text.data(), '\0', looked_at) != nullptr) return sink.binary();
  const Location whole{chunk.source, 1, 0, text.size()};
  if (const auto bad = first_invalid_utf8(text)) return sink.invalid_utf8(whole, *bad);
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  sink.item(sink.name(), text, whole);
}

}  // namespace nearkin

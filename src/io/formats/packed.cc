#include "io/formats/packed.h"

#include <cstring>

namespace nearkin {
namespace {

struct Header {
  std::uint32_t id = 0;    // bytes
  std::uint64_t text = 0;  // bytes, or kNoPackedText
};

Header header_of(std::string_view record) {
  Header header;
  std::memcpy(&header.id, record.data() + kPackedMark.size(), sizeof header.id);
  std::memcpy(&header.text, record.data() + kPackedMark.size() + sizeof header.id, sizeof header.text);
  return header;
}

bool is_begun(std::string_view bytes) { return kPackedMark.substr(0, bytes.size()) == bytes.substr(0, kPackedMark.size()); }

// The length of the record that the bytes begin with; 0 if not all of it is there.
std::size_t length_of(std::string_view bytes) {
  if (bytes.size() < kPackedHeader) return 0;
  const Header header = header_of(bytes);
  const std::size_t room = bytes.size() - kPackedHeader;
  const std::uint64_t text = header.text == kNoPackedText ? 0 : header.text;
  return header.id > room || text > room - header.id ? 0 : kPackedHeader + header.id + static_cast<std::size_t>(text);
}

void add_item(std::string_view record, const Location& location, RecordSink& sink) {
  const Header header = header_of(record);
  const std::string_view id = record.substr(kPackedHeader, header.id), text = record.substr(kPackedHeader + header.id);
  if (header.text == kNoPackedText) return sink.fault(location, "no text");
  if (const auto bad = first_invalid_utf8(id))
    return sink.fault(location, "invalid UTF-8 at byte " + std::to_string(*bad + 1) + " of the id");
  if (const auto bad = first_invalid_utf8(text))
    return sink.fault(location, "invalid UTF-8 at byte " + std::to_string(*bad + 1) + " of the text");
  sink.item(id.empty() ? sink.place(location) : id, text, location);
}

}  // namespace

PackedCut cut_packed(std::string_view bytes) {
  PackedCut cut;
  while (cut.length < bytes.size()) {
    const std::string_view rest = bytes.substr(cut.length);
    cut.stopped = !is_begun(rest);
    const std::size_t length = cut.stopped ? 0 : length_of(rest);
    if (length == 0) break;
    cut.length += length;
    ++cut.rows;
  }
  return cut;
}

std::string packed_end_problem(std::uint64_t row, std::string_view rest) {
  if (rest.empty()) return {};
  const std::string where = row == 0 ? "at its beginning" : "behind record " + std::to_string(row);
  return is_begun(rest) ? "ends in the middle of a record, " + where : where + " stands no packed record, which begins with \"nkr1\"";
}

void parse_packed(const Chunk& chunk, RecordSink& sink) {
  Location location{chunk.source, chunk.first_line, chunk.offset, 0};
  for (std::string_view rest = chunk.bytes; !rest.empty(); rest.remove_prefix(static_cast<std::size_t>(location.length))) {
    location.length = length_of(rest);
    add_item(rest.substr(0, static_cast<std::size_t>(location.length)), location, sink);
    location.offset += location.length;
    ++location.line;
  }
}

}  // namespace nearkin

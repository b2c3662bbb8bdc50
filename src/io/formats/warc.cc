#include "io/formats/warc.h"

#include <charconv>

#include "base/in_quotes.h"
#include "io/bytes/compression.h"
#include "io/formats/encoding.h"
#include "io/formats/formats.h"
#include "io/formats/html.h"
#include "io/formats/mime.h"

namespace nearkin {
namespace warc {
namespace {

constexpr std::size_t kLongestHeader = std::size_t{64} << 10;

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

bool is_line_end(char c) { return c == '\r' || c == '\n'; }

/// What is no record, up to the line that begins as the next one does.
WarcRecord broken(std::string_view bytes, bool at_end, const char* problem) {
  WarcRecord record{.state = WarcRecord::State::broken, .problem = problem};
  std::size_t at = bytes.find('\n');
  while (at != bytes.npos && !bytes.substr(at + 1).starts_with(kWarcMark)) at = bytes.find('\n', at + 1);
  if (at != bytes.npos) {
    record.length = at + 1;
  } else if (at_end || bytes.size() <= kWarcMark.size()) {
    record.length = bytes.size();
  } else {
    record.length = bytes.size() - kWarcMark.size();  // the next record may begin in what is left
  }
  return record;
}

bool is_text(std::string_view type) { return type.starts_with("text/") || is_page_type(type); }

/// A text as the record has it.
struct Payload {
  std::string_view raw = {};
  std::string content_type = {};
  std::optional<std::string> decoded = {};  ///< in place of `raw`
  std::string problem = {};                 ///< why it cannot be decoded

  std::string_view body() const { return decoded ? std::string_view(*decoded) : raw; }
};

/// Chunks of HTTP/1.1 joined; absent where the body is none of them, as in archives that have joined them already.
std::optional<std::string> joined_chunks(std::string_view body) {
  std::string joined;
  while (!body.empty()) {
    std::size_t size = 0;
    const auto [digits, error] = std::from_chars(body.data(), body.data() + body.size(), size, 16);
    const std::size_t line = body.find('\n');
    const std::string_view behind(digits, static_cast<std::size_t>(body.data() + body.size() - digits));
    const bool ends = behind.starts_with('\r') || behind.starts_with('\n') || behind.starts_with(';') || behind.starts_with(' ');
    if (error != std::errc() || line == body.npos || !ends) return joined.empty() ? std::nullopt : std::optional(std::move(joined));
    body.remove_prefix(line + 1);
    if (size == 0) break;
    joined += body.substr(0, size);
    body.remove_prefix(std::min(size, body.size()));
    if (body.starts_with('\r')) body.remove_prefix(1);
    if (body.starts_with('\n')) body.remove_prefix(1);
  }
  return joined;
}

void decode_content(Payload& payload, const std::string& coding) {
  if (coding.empty() || coding == "identity") return;
  const bool gzip = coding == "gzip" || coding == "x-gzip", deflate = coding == "deflate";
  if (!gzip && !deflate) {
    payload.problem = "its content coding " + in_quotes(coding) + " is not supported";
    return;
  }
  // Many archives have decompressed the content and left the header as it was.
  if (gzip && !payload.body().starts_with("\x1F\x8B")) return;
  std::optional<std::string> content = inflated(payload.body(), kLongestWarc);
  if (!content && deflate) return;
  if (!content) {
    payload.problem = "its content is not valid gzip, or is longer than 64 MiB when unpacked";
    return;
  }
  payload.decoded = std::move(content);
}

/// The payload of an HTTP server's answer.
Payload payload_of_answer(std::string_view content) {
  Payload payload;
  const std::size_t length = content.starts_with("HTTP/") ? header_bytes(content) : 0;
  if (length == 0) {
    payload.problem = "it has no HTTP header";
    return payload;
  }
  const std::string_view header = content.substr(0, length);
  payload.content_type = header_field(header, "Content-Type");
  payload.raw = content.substr(length);
  if (!is_text(media_type(payload.content_type))) return payload;
  if (lower(header_field(header, "Transfer-Encoding")).find("chunked") != std::string::npos) {
    payload.decoded = joined_chunks(payload.raw);
  }
  decode_content(payload, lower(header_field(header, "Content-Encoding")));
  return payload;
}

/// The body in UTF-8; absent where it is binary.
std::optional<std::string> text_of(const Payload& payload, bool page, const Input& input) {
  // A byte-order mark, then the header, then the page itself, then what was asked for.
  EncodingFound found = find_encoding(payload.body(), "auto");
  if (found.mark == 0) {
    std::string declared = charset_of(payload.content_type);
    if (declared.empty() && page) declared = declared_encoding(payload.body());
    found = find_encoding({}, declared.empty() ? input.encoding : declared);
  }
  const std::string_view body = payload.body().substr(found.mark);
  if (found.encoding.width == 1 && body.substr(0, kFirstBytes).find('\0') != body.npos) return std::nullopt;
  if (reads_as_utf8(body, found.encoding)) return is_utf8(body) ? std::string(body) : made_valid(body);
  std::string text(decode(body, found.encoding, true).text);
  return is_utf8(text) ? text : made_valid(text);
}

class WarcParser {
 public:
  WarcParser(const Input& input, RecordSink& sink)
      : input_(input), sink_(sink), id_field_(input.id == Input{}.id ? "WARC-Target-URI" : input.id) {}

  void add(const WarcRecord& record, const Location& location) {
    if (record.state == WarcRecord::State::broken) return fault(location, record.problem);
    const std::string type = lower(header_field(record.header, "WARC-Type"));
    const bool answer = type == "response", other = type == "resource" || type == "conversion";
    const std::string content_type = header_field(record.header, "Content-Type");
    if (!answer && !other) return sink_.no_text();
    if (answer ? media_type(content_type) != "application/http" : !is_text(media_type(content_type))) return sink_.no_text();
    if (record.state == WarcRecord::State::too_long) return fault(location, "longer than 64 MiB");
    const Payload payload = answer ? payload_of_answer(record.content) : Payload{.raw = record.content, .content_type = content_type};
    if (!payload.problem.empty()) return fault(location, payload.problem);
    const std::string media = media_type(payload.content_type);
    if (!is_text(media)) return sink_.no_text();
    const std::optional<std::string> text = text_of(payload, is_page_type(media), input_);
    if (!text) return fault(location, "it is declared as text but has a NUL byte, as binary data has");
    const std::string id = input_.id == "none" ? std::string(sink_.place(location)) : id_of(record.header);
    if (id.empty()) return fault(location, "no header \"" + id_field_ + "\" in it, which the id is taken from");
    if (!is_page_type(media) || input_.html == Html::raw) return sink_.item(id, *text, location);
    visible_text(*text, visible_);
    sink_.item(id, visible_, location);
  }

 private:
  std::string id_of(std::string_view header) const {
    const std::string field = header_field(header, id_field_);
    std::string_view id = field;
    // As the standard has it for some headers, and some writers for all of them.
    if (id.size() > 2 && id.starts_with('<') && id.ends_with('>')) id = id.substr(1, id.size() - 2);
    return made_valid(id);
  }

  void fault(const Location& location, const std::string& message) {
    sink_.fault(location, "the record at byte " + std::to_string(location.offset) + ": " + message);
  }

  const Input& input_;
  RecordSink& sink_;
  std::string id_field_;
  std::string visible_;
};

}  // namespace
}  // namespace warc

WarcRecord warc_record(std::string_view bytes, bool at_end) {
  using State = WarcRecord::State;
  std::size_t begin = 0;
  while (begin < bytes.size() && warc::is_line_end(bytes[begin])) ++begin;
  const std::string_view rest = bytes.substr(begin);
  if (rest.size() < kWarcMark.size() && !at_end && kWarcMark.starts_with(rest)) return {};
  if (!rest.starts_with(kWarcMark)) return warc::broken(bytes, at_end, "does not begin with WARC/1.");
  const std::size_t header = header_bytes(rest.substr(0, warc::kLongestHeader));
  if (header == 0 && rest.size() < warc::kLongestHeader && !at_end) return {};
  if (header == 0) return warc::broken(bytes, at_end, "its header has no end");
  WarcRecord record{.header = rest.substr(0, header)};
  const std::optional<std::uint64_t> content = warc::whole_number(header_field(record.header, "Content-Length"));
  if (!content) return warc::broken(bytes, at_end, "its header has no Content-Length that is a whole number");
  if (*content > kLongestWarc) {
    record.state = State::too_long;
    record.length = begin + header;
    record.rest = *content;
    return record;
  }
  const std::size_t there = rest.size() - header, size = static_cast<std::size_t>(*content);
  if (there < size) return at_end ? warc::broken(bytes, at_end, "cut short, or its Content-Length is too large") : WarcRecord{};
  std::size_t ends = 0;
  while (ends < 4 && ends < there - size && warc::is_line_end(rest[header + size + ends])) ++ends;
  if (ends < 4 && ends == there - size && !at_end) return {};
  record.content = rest.substr(header, size);
  record.length = begin + header + size + ends;
  record.state = State::whole;
  return record;
}

WarcCut cut_warc(std::string_view bytes, bool at_end) {
  WarcCut cut;
  while (cut.length < bytes.size() && cut.passed == 0) {
    const WarcRecord record = warc_record(bytes.substr(cut.length), at_end);
    if (record.state == WarcRecord::State::incomplete) break;
    cut.length += record.length;
    cut.passed = record.rest;
    ++cut.records;
  }
  return cut;
}

void parse_warc(const Chunk& chunk, const Input& input, RecordSink& sink) {
  warc::WarcParser parser(input, sink);
  Location location{chunk.source, chunk.first_line, chunk.offset, 0};
  for (std::string_view rest = chunk.bytes; !rest.empty(); rest.remove_prefix(static_cast<std::size_t>(location.length))) {
    const WarcRecord record = warc_record(rest, true);
    location.length = record.length;
    parser.add(record, location);
    location.offset += location.length;
    ++location.line;
  }
}

}  // namespace nearkin

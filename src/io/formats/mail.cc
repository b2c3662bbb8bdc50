#include "io/formats/mail.h"

#include "io/formats/encoding.h"
#include "io/formats/formats.h"
#include "io/formats/html.h"
#include "io/formats/mime.h"

namespace nearkin {
namespace mail {
namespace {

constexpr int kDeepest = 8;  // parts within parts

/// The value of a parameter of a header, such as boundary="x".
std::string parameter(std::string_view value, std::string_view name) {
  const std::string small = lower(value);
  for (std::size_t at = small.find(name); at != std::string::npos; at = small.find(name, at + 1)) {
    std::size_t begin = at + name.size();
    if (at == 0 || (small[at - 1] != ';' && small[at - 1] != ' ' && small[at - 1] != '\t') || begin >= small.size() || small[begin] != '=')
      continue;
    const bool quoted = small.substr(++begin).starts_with('"');
    const std::size_t end = quoted ? value.find('"', begin + 1) : value.find_first_of("; \t", begin);
    return std::string(value.substr(begin + (quoted ? 1 : 0), std::min(end, value.size()) - begin - (quoted ? 1 : 0)));
  }
  return {};
}

int sextet(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/// Characters that are none of base64 are passed over.
std::string from_base64(std::string_view text) {
  std::string bytes;
  std::uint32_t held = 0;
  int bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    const int value = sextet(c);
    if (value < 0) continue;
    held = held << 6 | static_cast<std::uint32_t>(value);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(held >> bits & 0xFF);
  }
  return bytes;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char small = static_cast<char>(c | 0x20);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

std::string from_quoted_printable(std::string_view text) {
  std::string bytes;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("=\r\n")) {
      at += 2;
    } else if (rest.starts_with("=\n")) {
      at += 1;
    } else if (rest[0] == '=' && rest.size() > 2 && hex_digit(rest[1]) >= 0 && hex_digit(rest[2]) >= 0) {
      bytes += static_cast<char>(hex_digit(rest[1]) << 4 | hex_digit(rest[2]));
      at += 2;
    } else {
      bytes += rest[0];
    }
  }
  return bytes;
}

/// The parts between lines that begin with "--" and the boundary, up to the one that ends in "--".
std::vector<std::string_view> parts_of(std::string_view body, const std::string& boundary) {
  std::vector<std::string_view> parts;
  const std::string mark = "--" + boundary;
  std::optional<std::size_t> begin;
  for (std::size_t at = 0; at < body.size() && !boundary.empty();) {
    const std::size_t end = std::min(body.find('\n', at), body.size());
    const std::string_view line = body.substr(at, end - at);
    if (line.starts_with(mark)) {
      if (begin) parts.push_back(body.substr(*begin, at - *begin));
      begin = std::min(end + 1, body.size());
      if (line.substr(mark.size()).starts_with("--")) return parts;
    }
    at = end + 1;
  }
  if (begin) parts.push_back(body.substr(*begin));
  return parts;
}

/// A mail, or a part of one.
class Part {
 public:
  Part(std::string_view bytes, const std::string& encoding, int depth) : encoding_(encoding), depth_(depth) {
    const bool has_header = bytes.substr(0, bytes.find('\n')).find(':') != bytes.npos;
    const bool empty_header = bytes.starts_with('\n') || bytes.starts_with("\r\n");
    const std::size_t length = has_header ? header_bytes(bytes) : empty_header ? bytes.find('\n') + 1 : 0;
    header_ = bytes.substr(0, length);
    body_ = bytes.substr(length);
    content_type_ = header_field(header_, "Content-Type");
    type_ = content_type_.empty() ? "text/plain" : media_type(content_type_);
  }

  std::string text() const {
    if (depth_ > kDeepest || lower(header_field(header_, "Content-Disposition")).starts_with("attachment")) return {};
    if (type_ == "message/rfc822") return Part(body_, encoding_, depth_ + 1).text();
    if (type_.starts_with("multipart/")) return text_of_parts();
    if (!type_.starts_with("text/") && !is_page_type(type_)) return {};
    const std::string bytes = decoded_body();
    const std::string charset = charset_of(content_type_);
    const EncodingFound found = find_encoding(bytes, charset.empty() ? encoding_ : charset);
    const std::string text = made_valid(decoded(std::string_view(bytes).substr(found.mark), found.encoding));
    if (!is_page_type(type_)) return text;
    std::string visible;
    visible_text(text, visible);
    return visible;
  }

 private:
  std::string decoded_body() const {
    const std::string coding = lower(header_field(header_, "Content-Transfer-Encoding"));
    if (coding == "base64") return from_base64(body_);
    return coding == "quoted-printable" ? from_quoted_printable(body_) : std::string(body_);
  }

  std::string text_of_parts() const {
    std::string all, other;
    for (const std::string_view bytes : parts_of(body_, parameter(content_type_, "boundary"))) {
      const Part part(bytes, encoding_, depth_ + 1);
      const std::string text = part.text();
      const bool chosen = type_ != "multipart/alternative" || part.type_ == "text/plain";
      std::string& to = chosen ? all : other;
      if (!chosen && !other.empty()) continue;
      if (!to.empty() && !text.empty() && !to.ends_with('\n')) to += '\n';
      to += text;
    }
    return all.empty() ? other : all;
  }

  const std::string& encoding_;
  int depth_;
  std::string_view header_, body_;
  std::string content_type_, type_;
};

}  // namespace
}  // namespace mail

std::string mail_text(std::string_view bytes, const std::string& encoding) { return mail::Part(bytes, encoding, 0).text(); }

void parse_mail(const Chunk& chunk, const Input& input, RecordSink& sink) {
  sink.item(sink.name(), mail_text(chunk.bytes, input.encoding), {chunk.source, 1, chunk.offset, chunk.bytes.size()});
}

}  // namespace nearkin

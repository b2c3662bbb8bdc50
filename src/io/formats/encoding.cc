#include "io/formats/encoding.h"

#include <iconv.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <nearkin/error.h>
#include <nearkin/tools/spelling.h>

#include "base/in_quotes.h"
#include "io/formats/formats.h"
#include "io/formats/records.h"

namespace nearkin {
namespace {

constexpr char kMeansNothing = '\xFF';  // in no UTF-8
constexpr const char* kFallback = "WINDOWS-1252";

using namespace std::string_view_literals;

/// One direction of iconv.
class Converter {
 public:
  Converter(const char* to, const char* from) : handle_(::iconv_open(to, from)) {}
  ~Converter() {
    if (*this) ::iconv_close(handle_);
  }
  Converter(const Converter&) = delete;
  Converter& operator=(const Converter&) = delete;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): so the interface says that there is none
  explicit operator bool() const { return handle_ != reinterpret_cast<iconv_t>(-1); }

  /// Appends what `bytes` say; `otherwise(rest)` is asked at what cannot be converted, and returns the bytes to skip.
  template <typename Otherwise>
  void append(std::string& out, std::string_view bytes, Otherwise otherwise) {
    ::iconv(handle_, nullptr, nullptr, nullptr, nullptr);
    char* from = const_cast<char*>(bytes.data());  // iconv does not write to it
    std::size_t left = bytes.size();
    while (left > 0) {
      const std::size_t held = out.size(), room = left * 4 + 16;
      out.resize(held + room);
      char* to = out.data() + held;
      std::size_t free = room;
      const bool whole = ::iconv(handle_, &from, &left, &to, &free) != static_cast<std::size_t>(-1);
      const int problem = errno;
      if (whole) ::iconv(handle_, nullptr, nullptr, &to, &free);  // back to the first state
      out.resize(held + room - free);
      if (whole || problem == E2BIG) continue;
      const std::size_t skipped = std::min(left, otherwise(std::string_view(from, left)));
      from += skipped;
      left -= skipped;
    }
  }

 private:
  iconv_t handle_;
};

[[noreturn]] void refuse(const std::string& asked, const char* why) {
  throw Error(ErrorCode::plan, "encoding",
              in_quotes(asked) + why + "; use utf-8, latin1, windows-1252, utf-16, auto, or a name that 'iconv -l' lists");
}

/// By its name alone. ASCII must be spelled as in ASCII, but for the width.
Encoding named(const std::string& asked) {
  const std::string name = lower(asked);
  if (name.empty()) refuse(asked, " is no name");
  if (name == "utf-8" || name == "utf8" || name == "ascii") return {};
  if (name == "auto") return {.name = kFallback, .either = true};
  if (name == "utf-16" || name == "utf16") return {.name = "UTF-16LE", .width = 2};
  constexpr std::string_view kAscii = "\n\r\t {}[]\",:;|0123456789AZaz-_";
  Converter from(asked.c_str(), "UTF-8");
  if (!from || !Converter("UTF-8", asked.c_str())) refuse(asked, " is not an encoding that this system knows");
  std::string spelled;
  from.append(spelled, kAscii, [](std::string_view rest) { return rest.size(); });
  for (const unsigned width : {1U, 2U, 4U}) {
    for (const bool high_first : {false, true}) {
      if (spelled.size() != kAscii.size() * width) continue;
      std::string expected;
      for (const char c : kAscii) {
        expected.append(high_first ? width - 1 : 0, '\0').append(1, c).append(high_first ? 0 : width - 1, '\0');
      }
      if (spelled == expected) return {.name = asked, .width = width, .high_first = width > 1 && high_first};
    }
  }
  refuse(asked, " gives ASCII characters other codes, which is not supported");
}

std::size_t find_newline(std::string_view bytes, std::size_t from, const Encoding& encoding) {
  const std::string newline = newline_in(encoding);
  std::size_t at = bytes.find(newline, from);
  while (at != std::string_view::npos && (at - from) % encoding.width != 0) at = bytes.find(newline, at + 1);
  return at;
}

bool is_plain(std::string_view line) {
  return std::all_of(line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80 && c != '\x1B'; });
}

void append_decoded(std::string& out, std::string_view line, const Encoding& encoding, Converter& converter) {
  if (reads_as_utf8(line, encoding)) {
    out += line;
    return;
  }
  converter.append(out, line, [&](std::string_view) {
    out += kMeansNothing;
    return std::size_t{encoding.width};
  });
}

}  // namespace

bool reads_as_utf8(std::string_view bytes, const Encoding& encoding) {
  return encoding.is_utf8() || (encoding.width == 1 && is_plain(bytes)) || (encoding.either && is_utf8(bytes));
}

EncodingFound find_encoding(std::string_view first, const std::string& asked) {
  if (first.starts_with(kByteOrderMark)) return {{}, kByteOrderMark.size()};
  const Encoding encoding = named(asked);
  const bool follows = encoding.either || lower(asked) == "utf-16" || lower(asked) == "utf16";
  const bool low = first.starts_with("\xFF\xFE"sv) && !first.starts_with("\xFF\xFE\0\0"sv), high = first.starts_with("\xFE\xFF"sv);
  if ((low && (follows || (encoding.width == 2 && !encoding.high_first)))) return {{.name = "UTF-16LE", .width = 2}, 2};
  if (high && (follows || encoding.high_first)) return {{.name = "UTF-16BE", .width = 2, .high_first = true}, 2};
  return {encoding, 0};
}

bool is_known_encoding(const std::string& name) {
  try {
    named(name);
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::size_t Decoded::raw(std::size_t at) const {
  const auto line = std::lower_bound(lines.begin(), lines.end(), at, [](const Line& a, std::size_t b) { return a.at < b; });
  return line == lines.end() ? lines.back().raw : line->raw;
}

Decoded decode(std::string_view bytes, const Encoding& encoding, bool whole) {
  Converter converter("UTF-8", encoding.name.c_str());
  auto buffer = std::make_shared<std::string>();
  buffer->reserve(bytes.size() + bytes.size() / 8 + kChunkPadding);
  Decoded result;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t newline = whole ? std::string_view::npos : find_newline(bytes, at, encoding);
    const std::size_t end = newline == std::string_view::npos ? bytes.size() : newline + encoding.width;
    result.lines.push_back({buffer->size(), at});
    append_decoded(*buffer, bytes.substr(at, end - at), encoding, converter);
    at = end;
  }
  const std::size_t size = buffer->size();
  result.lines.push_back({size, bytes.size()});
  buffer->append(kChunkPadding, '\0');
  result.text = std::string_view(*buffer).substr(0, size);
  result.buffer = std::move(buffer);
  return result;
}

std::string decoded(std::string_view bytes, const Encoding& encoding) {
  return encoding.is_utf8() ? std::string(bytes) : std::string(decode(bytes, encoding).text);
}

std::string encoded_as(std::string_view bytes, std::string_view text, const Encoding& encoding) {
  if (encoding.is_utf8() || (encoding.either && is_utf8(bytes))) return std::string(text);
  std::string out;
  Converter(encoding.name.c_str(), "UTF-8").append(out, text, [&](std::string_view rest) -> std::size_t {
    const std::size_t length = std::max<std::size_t>(1, utf8_sequence(rest));
    throw Error(ErrorCode::data, "encoding", in_quotes(rest.substr(0, length)) + " cannot be written in " + encoding.name);
  });
  return out;
}

std::string character_in(const Encoding& encoding, char character) {
  std::string bytes(encoding.width, '\0');
  bytes[encoding.high_first ? encoding.width - 1 : 0] = character;
  return bytes;
}

std::string newline_in(const Encoding& encoding) { return character_in(encoding, '\n'); }

std::size_t behind_last_newline(std::string_view bytes, std::size_t from, const Encoding& encoding) {
  if (encoding.width == 1) {
    const void* const newline = ::memrchr(bytes.data() + from, '\n', bytes.size() - from);
    return newline == nullptr ? 0 : static_cast<std::size_t>(static_cast<const char*>(newline) - bytes.data()) + 1;
  }
  const std::string newline = newline_in(encoding);
  from -= from % encoding.width;
  for (std::size_t end = bytes.size() - bytes.size() % encoding.width; end > from; end -= encoding.width) {
    if (bytes.substr(end - encoding.width, encoding.width) == newline) return end;
  }
  return 0;
}

std::uint64_t count_newlines(std::string_view bytes) {
  // Blocks short enough for byte-wide counters, in a shape that compilers turn into vector code.
  constexpr std::size_t kLanes = 64, kRounds = 255;
  std::uint64_t total = 0;
  std::size_t at = 0;
  while (bytes.size() - at >= kLanes) {
    std::uint8_t lanes[kLanes] = {};
    const std::size_t rounds = std::min(kRounds, (bytes.size() - at) / kLanes);
    for (std::size_t round = 0; round < rounds; ++round, at += kLanes) {
      for (std::size_t i = 0; i < kLanes; ++i) lanes[i] = static_cast<std::uint8_t>(lanes[i] + (bytes[at + i] == '\n'));
    }
    for (const std::uint8_t lane : lanes) total += lane;
  }
  return total + static_cast<std::uint64_t>(std::count(bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.end(), '\n'));
}

std::uint64_t count_newlines(std::string_view bytes, const Encoding& encoding) {
  if (encoding.width == 1) return count_newlines(bytes);
  const std::string newline = newline_in(encoding);
  std::uint64_t count = 0;
  for (std::size_t at = 0; at + encoding.width <= bytes.size(); at += encoding.width)
    count += bytes.substr(at, encoding.width) == newline ? 1 : 0;
  return count;
}

}  // namespace nearkin

// Texts that are not UTF-8: converted to UTF-8, with a mapping from every line back to its original bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nearkin {

/// How the bytes of a source are read. iconv knows it by its name, except for `either`.
struct Encoding {
  std::string name = {};    ///< empty: UTF-8, and nothing is to be done
  bool either = false;      ///< a line that is not UTF-8 is windows-1252
  unsigned width = 1;       ///< bytes of a newline: 2 in UTF-16, 4 in UTF-32
  bool high_first = false;  ///< the byte that is not 0 comes last

  bool is_utf8() const { return name.empty(); }
  bool operator==(const Encoding&) const = default;
};

/// What a source begins with and how it is read on.
struct EncodingFound {
  Encoding encoding;
  std::size_t mark = 0;  ///< bytes of a byte-order mark
  bool operator==(const EncodingFound&) const = default;
};
/// The encoding of a source that begins with these bytes; `asked` is the encoding of its input: "utf-8", "auto", or what iconv knows. A
/// mark overrides all but the names of other encodings than UTF: "auto" and "utf-16" follow it, and UTF-16 without one has its low byte
/// first. Throws Error(plan) for an encoding that iconv does not know, or that does not contain ASCII.
EncodingFound find_encoding(std::string_view first, const std::string& asked);

/// Whether find_encoding takes this name.
bool is_known_encoding(const std::string& name);

/// A text in UTF-8, padded like a chunk. An invalid byte becomes a byte that is not UTF-8.
struct Decoded {
  struct Line {
    std::size_t at, raw;  ///< where it begins here and in the bytes
  };
  std::shared_ptr<const std::string> buffer;
  std::string_view text;
  std::vector<Line> lines;  ///< in order, and the end

  /// The place among the bytes of a place that is the beginning of a line, or the end.
  std::size_t raw(std::size_t at) const;
};
/// Whether the bytes mean the same as UTF-8, so nothing need be decoded.
bool reads_as_utf8(std::string_view bytes, const Encoding& encoding);
/// `whole`: the bytes are one text, and not one per line.
Decoded decode(std::string_view bytes, const Encoding& encoding, bool whole = false);
/// The text alone.
std::string decoded(std::string_view bytes, const Encoding& encoding);
/// `text`, which was made of `bytes` and perhaps changed, in the encoding of these. Throws Error(data) for a character that it lacks.
std::string encoded_as(std::string_view bytes, std::string_view text, const Encoding& encoding);

/// A character of ASCII.
std::string character_in(const Encoding& encoding, char character);
/// A line end.
std::string newline_in(const Encoding& encoding);
/// Behind the last line end at or behind `from`, which is the place of a character; 0 where there is none.
std::size_t behind_last_newline(std::string_view bytes, std::size_t from, const Encoding& encoding);
std::uint64_t count_newlines(std::string_view bytes);
std::uint64_t count_newlines(std::string_view bytes, const Encoding& encoding);

}  // namespace nearkin

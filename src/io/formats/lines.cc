// One item a line, or one a file: texts, sets, whose words are their elements, and strings of bits.
#include <algorithm>
#include <limits>
#include <utility>

#include <nearkin/tools/spelling.h>

#include "base/in_quotes.h"
#include "io/formats/records.h"

namespace nearkin {
namespace {

constexpr std::string_view kWordBlanks = " \t";

void add_with_first_word(std::string_view text, const Location& location, RecordSink& sink) {
  const std::size_t begin = text.find_first_not_of(kWordBlanks);
  if (begin == std::string_view::npos) {
    sink.fault(location, "no first word to take as the id");
    return;
  }
  const std::size_t end = std::min(text.find_first_of(kWordBlanks, begin), text.size());
  sink.item(text.substr(begin, end - begin), behind_first_word(text), location);
}

constexpr std::string_view kBitBlanks = " \t\r";

bool is_bit_blank(char c) { return kBitBlanks.find(c) != std::string_view::npos; }

/// The bits of a hexadecimal digit, that of the highest value first (bit 0); 16 for all other characters.
unsigned digit_bits(char c) {
  constexpr unsigned kReversed[16] = {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};
  if (c >= '0' && c <= '9') return kReversed[c - '0'];
  if (c >= 'a' && c <= 'f') return kReversed[c - 'a' + 10];
  if (c >= 'A' && c <= 'F') return kReversed[c - 'A' + 10];
  return 16;
}

/// 0 or 1, and 16 for all other characters.
unsigned bit_of(char c) { return c == '0' || c == '1' ? static_cast<unsigned>(c - '0') : 16; }

class BitLine {
 public:
  BitLine(const Fields& fields, RecordSink& sink) : fields_(fields), sink_(sink) {}

  void add(std::string_view line, const Location& location) {
    std::size_t at = std::min(line.find_first_not_of(kBitBlanks), line.size());
    if (at == line.size() || line[at] == '#') return;
    std::string_view id;
    if (fields_.first_word) {
      const std::size_t end = std::min(line.find_first_of(kBitBlanks, at), line.size());
      id = line.substr(at, end - at);
      at = std::min(line.find_first_not_of(kBitBlanks, end), line.size());
    }
    problem_.clear();
    const std::uint64_t length = read(line, at);
    if (problem_.empty() && !is_utf8(id)) problem_ = "its id " + in_quotes(id) + " is not valid UTF-8";
    if (problem_.empty()) return sink_.vector(id.empty() ? sink_.place(location) : id, static_cast<std::uint32_t>(length), location);
    sink_.drop_vector();
    sink_.fault(location, problem_);
  }

 private:
  /// The number of bits from `at` on, which are put behind those of the items before.
  std::uint64_t read(std::string_view line, std::size_t at) {
    const bool hexadecimal = line.substr(at, 2) == "0x" || line.substr(at, 2) == "0X";
    const unsigned width = hexadecimal ? 4 : 1;
    std::vector<std::uint64_t>& words = sink_.vectors().words;
    std::uint64_t length = 0, word = 0;
    for (at += hexadecimal ? 2 : 0; at < line.size(); ++at) {
      const unsigned bits = hexadecimal ? digit_bits(line[at]) : bit_of(line[at]);
      if (bits == 16 && is_bit_blank(line[at])) continue;
      if (bits == 16) return refuse(line, at, hexadecimal);
      word |= std::uint64_t{bits} << (length % 64);
      length += width;
      if (length % 64 == 0) words.push_back(std::exchange(word, 0));
    }
    if (length % 64 != 0) words.push_back(word);
    if (length == 0) problem_ = "no bits";
    if (length > std::numeric_limits<std::uint32_t>::max()) {
      problem_ = std::to_string(length) + " bits are too many; up to 4,294,967,295 are read";
    }
    return length;
  }

  std::uint64_t refuse(std::string_view line, std::size_t at, bool hexadecimal) {
    const std::size_t length = std::max<std::size_t>(1, utf8_sequence(line.substr(at)));
    problem_ = "character " + std::to_string(at + 1) + " is " + in_quotes(line.substr(at, length)) +
               (hexadecimal ? "; after 0x there are only 0 to 9 and a to f" : "; a bit is 0 or 1");
    return 0;
  }

  const Fields& fields_;
  RecordSink& sink_;
  std::string problem_;
};

}  // namespace

std::string_view behind_first_word(std::string_view line) {
  const std::size_t begin = std::min(line.find_first_not_of(kWordBlanks), line.size());
  const std::size_t end = std::min(line.find_first_of(kWordBlanks, begin), line.size());
  return line.substr(std::min(line.find_first_not_of(kWordBlanks, end), line.size()));
}

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

void parse_bits(const Chunk& chunk, const Fields& fields, RecordSink& sink) {
  sink.begin_vectors(Vectors::Kind::bits);
  BitLine one(fields, sink);
  for_each_line(chunk, [&](std::string_view, std::string_view line, const Location& location) { one.add(line, location); });
}

}  // namespace nearkin

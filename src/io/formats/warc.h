// Web archives (WARC 1.0 and 1.1): where records begin and end, and which of them are texts.
#pragma once

#include "io/formats/records.h"

namespace nearkin {

inline constexpr std::string_view kWarcMark = "WARC/1.";

/// A record with more content, or a page that is larger after decompression, is not read.
inline constexpr std::size_t kLongestWarc = std::size_t{64} << 20;

struct WarcRecord {
  enum class State {
    whole,
    incomplete,  ///< more bytes are needed
    broken,      ///< not a record, up to where the next one begins
    too_long,    ///< only its header is used
  };
  State state = State::incomplete;
  std::size_t length = 0;  ///< with the empty lines behind it; too_long: of the header
  std::uint64_t rest = 0;  ///< too_long: bytes behind the header
  std::string_view header = {}, content = {};
  const char* problem = "";  ///< broken
};
/// The record that `bytes` begin with; `at_end`: nothing follows them.
WarcRecord warc_record(std::string_view bytes, bool at_end);

/// The whole records that some bytes begin with.
struct WarcCut {
  std::size_t length = 0;
  std::uint64_t records = 0;
  std::uint64_t passed = 0;  ///< bytes behind them that belong to the last of them, which is too long
};
WarcCut cut_warc(std::string_view bytes, bool at_end);

/// Records of type response, resource and conversion that have a text are items: pages by their visible text, all of text/* as they are. Of
/// `input`: the header that has the id (usually WARC-Target-URI), html, and the encoding of texts that declare none. Bytes that mean
/// nothing in their encoding become U+FFFD. Other records are no items; a broken one is a fault that names its offset.
void parse_warc(const Chunk& chunk, const Input& input, RecordSink& sink);

}  // namespace nearkin

// gzip and zstd: encoders of what is written, decoders of what is read, and blocks of bytes on their own.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace nearkin {

class RawBytes;

class Encoder {
 public:
  virtual ~Encoder() = default;
  /// Passes finished output to `put`; with `last`, everything that is left.
  virtual void encode(std::string_view bytes, bool last, const std::function<void(std::string_view)>& put) = 0;
  /// How many threads may compress, from the next frame on. The bytes do not depend on it.
  virtual void use_threads(unsigned threads) { (void)threads; }
};
std::unique_ptr<Encoder> make_gzip_encoder();  ///< level 6
std::unique_ptr<Encoder> make_zstd_encoder();  ///< level 3, with a checksum

/// A decompressor: fills `to` from `raw`, less than `size` only at the end. `done`: how many bytes are there, also where it throws.
class Decoder {
 public:
  virtual ~Decoder() = default;
  virtual void read(RawBytes& raw, char* to, std::size_t size, std::size_t& done) = 0;
};
/// Both throw Error(file) while reading for data that is damaged, cut short, or followed by something else.
std::unique_ptr<Decoder> make_gzip_decoder();
std::unique_ptr<Decoder> make_zstd_decoder();

/// The contents of a whole stream of gzip, zlib or raw deflate, even if it is cut short. Absent if it is damaged or holds more than `most`
/// bytes.
std::optional<std::string> inflated(std::string_view stream, std::size_t most);

/// A block: bytes compressed on their own. The first byte says how: 0, uncompressed; 1, a zstd frame with its checksum; whichever is
/// shorter. FROZEN: blocks are in files.
std::string compress_block(std::string_view bytes);
/// Absent if the block is detectably damaged, or holds more than `most` bytes.
std::optional<std::string> decompress_block(std::string_view block, std::size_t most);

}  // namespace nearkin

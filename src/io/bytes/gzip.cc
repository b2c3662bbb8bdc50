// gzip: any number of members, one after the other.
#include <algorithm>
#include <limits>
#include <new>

#define ZLIB_CONST
#include <zlib.h>

#include <nearkin/error.h>

#include "io/bytes/byte_stream.h"

namespace nearkin {
namespace {

class GzipDecoder : public Decoder {
 public:
  GzipDecoder() {
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) throw std::bad_alloc();
  }
  ~GzipDecoder() override { inflateEnd(&stream_); }
  GzipDecoder(const GzipDecoder&) = delete;
  GzipDecoder& operator=(const GzipDecoder&) = delete;

  void read(RawBytes& raw, char* to, std::size_t size, std::size_t& done) override {
    while (done < size) {
      if (!raw.refill()) {
        if (in_member_) throw Error(ErrorCode::file, raw.name(), "compressed data ends early; the file may have been cut short");
        break;
      }
      if (!in_member_ && !begin_member(raw)) continue;
      inflate_some(raw, to, size, done);
    }
  }

 private:
  /// False when no more than padding is at hand: tapes and block devices fill up with zero bytes.
  bool begin_member(RawBytes& raw) {
    raw.use(std::min(raw.bytes().find_first_not_of('\0'), raw.bytes().size()));
    if (raw.bytes().empty()) return false;
    if (raw.bytes().front() != '\x1f') {
      throw Error(ErrorCode::file, raw.name(), "compressed data is followed by bytes that are not gzip; the file may be damaged");
    }
    inflateReset(&stream_);
    in_member_ = true;
    return true;
  }

  void inflate_some(RawBytes& raw, char* to, std::size_t size, std::size_t& done) {
    const std::string_view in = raw.bytes();
    const auto room = static_cast<uInt>(std::min<std::size_t>(size - done, std::numeric_limits<uInt>::max()));
    stream_.next_in = reinterpret_cast<const Bytef*>(in.data());
    stream_.avail_in = static_cast<uInt>(in.size());
    stream_.next_out = reinterpret_cast<Bytef*>(to + done);
    stream_.avail_out = room;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    done += room - stream_.avail_out;
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status == Z_STREAM_END) {
      in_member_ = false;
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      const std::string detail = stream_.msg != nullptr ? stream_.msg : "a dictionary is asked for";
      throw Error(ErrorCode::file, raw.name(), "compressed data is damaged: " + detail);
    }
    raw.use(in.size() - stream_.avail_in);
  }

  z_stream stream_{};
  bool in_member_ = false;
};

class GzipEncoder : public Encoder {
 public:
  GzipEncoder() {
    if (deflateInit2(&stream_, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
  }
  ~GzipEncoder() override { deflateEnd(&stream_); }
  GzipEncoder(const GzipEncoder&) = delete;
  GzipEncoder& operator=(const GzipEncoder&) = delete;

  void encode(std::string_view bytes, bool last, const std::function<void(std::string_view)>& put) override {
    constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
    do {
      const std::string_view part = bytes.substr(0, kMost);
      bytes.remove_prefix(part.size());
      deflate_part(part, last && bytes.empty(), put);
    } while (!bytes.empty());
  }

 private:
  void deflate_part(std::string_view part, bool last, const std::function<void(std::string_view)>& put) {
    stream_.next_in = reinterpret_cast<const Bytef*>(part.data());
    stream_.avail_in = static_cast<uInt>(part.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
      stream_.avail_out = static_cast<uInt>(buffer_.size());
      deflate(&stream_, last ? Z_FINISH : Z_NO_FLUSH);
      put(std::string_view(buffer_).substr(0, buffer_.size() - stream_.avail_out));
    } while (stream_.avail_out == 0);
  }

  z_stream stream_{};
  std::string buffer_ = std::string(std::size_t{64} << 10, '\0');
};

/// `bits`: as inflateInit2 has them.
std::optional<std::string> inflated_as(std::string_view in, std::size_t most, int bits) {
  z_stream stream{};
  if (inflateInit2(&stream, bits) != Z_OK) throw std::bad_alloc();
  std::string out;
  stream.next_in = reinterpret_cast<const Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  int status = Z_OK;
  while (status == Z_OK && out.size() <= most) {
    const std::size_t held = out.size(), room = std::min(std::max<std::size_t>(in.size() * 4, 1024), std::max<std::size_t>(held, 1 << 20));
    out.resize(held + room);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + held);
    stream.avail_out = static_cast<uInt>(room);
    status = inflate(&stream, Z_NO_FLUSH);
    out.resize(held + room - stream.avail_out);
  }
  inflateEnd(&stream);
  if (status == Z_MEM_ERROR) throw std::bad_alloc();
  const bool sound = status == Z_STREAM_END || (status == Z_BUF_ERROR && !out.empty());
  return sound && out.size() <= most ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace

std::optional<std::string> inflated(std::string_view stream, std::size_t most) {
  if (stream.size() > std::numeric_limits<uInt>::max()) return std::nullopt;
  constexpr int kGzipOrZlib = 15 + 32, kBare = -15;
  auto result = inflated_as(stream, most, kGzipOrZlib);
  return result || stream.starts_with("\x1F\x8B") ? std::move(result) : inflated_as(stream, most, kBare);
}

std::unique_ptr<Decoder> make_gzip_decoder() { return std::make_unique<GzipDecoder>(); }

std::unique_ptr<Encoder> make_gzip_encoder() { return std::make_unique<GzipEncoder>(); }

}  // namespace nearkin

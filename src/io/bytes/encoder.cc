#include "io/bytes/encoder.h"

#include <algorithm>
#include <limits>
#include <new>
#include <string>

#define ZLIB_CONST
#include <zlib.h>
#include <zstd.h>

namespace nearkin {

namespace {

constexpr std::size_t kBlock = std::size_t{64} << 10;

class GzipEncoder : public Encoder {
 public:
  GzipEncoder() : block_(kBlock, '\0') {
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
      stream_.next_out = reinterpret_cast<Bytef*>(block_.data());
      stream_.avail_out = static_cast<uInt>(block_.size());
      deflate(&stream_, last ? Z_FINISH : Z_NO_FLUSH);
      put(std::string_view(block_).substr(0, block_.size() - stream_.avail_out));
    } while (stream_.avail_out == 0);
  }

  z_stream stream_{};
  std::string block_;
};

class ZstdEncoder : public Encoder {
 public:
  ZstdEncoder() : context_(ZSTD_createCCtx()), block_(kBlock, '\0') {
    if (context_ == nullptr) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(context_, ZSTD_c_compressionLevel, 3);
    ZSTD_CCtx_setParameter(context_, ZSTD_c_checksumFlag, 1);
  }
  ~ZstdEncoder() override { ZSTD_freeCCtx(context_); }
  ZstdEncoder(const ZstdEncoder&) = delete;
  ZstdEncoder& operator=(const ZstdEncoder&) = delete;

  void encode(std::string_view bytes, bool last, const std::function<void(std::string_view)>& put) override {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    std::size_t left = 0;
    do {
      ZSTD_outBuffer out{block_.data(), block_.size(), 0};
      left = ZSTD_compressStream2(context_, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
      // With these settings the only way to fail is to run out of memory.
      if (ZSTD_isError(left)) throw std::bad_alloc();
      put(std::string_view(block_).substr(0, out.pos));
    } while (last ? left > 0 : in.pos < in.size);
  }

 private:
  ZSTD_CCtx* context_;
  std::string block_;
};

}  // namespace

std::unique_ptr<Encoder> make_gzip_encoder() { return std::make_unique<GzipEncoder>(); }
std::unique_ptr<Encoder> make_zstd_encoder() { return std::make_unique<ZstdEncoder>(); }

}  // namespace nearkin

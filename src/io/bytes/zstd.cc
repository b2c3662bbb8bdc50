// Reading zstd: any number of frames, skippable ones among them.
#include <new>

#include <zstd.h>

#include <nearkin/error.h>

#include "io/bytes/byte_stream.h"

namespace nearkin {

namespace {

// Archives made with --long=31 are common among text collections; the window is only allocated for frames that ask for it.
constexpr int kWindowLog = 31;

class ZstdDecoder : public Decoder {
 public:
  ZstdDecoder() : context_(ZSTD_createDCtx()) {
    if (context_ == nullptr) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(context_, ZSTD_d_windowLogMax, kWindowLog);
  }
  ~ZstdDecoder() override { ZSTD_freeDCtx(context_); }
  ZstdDecoder(const ZstdDecoder&) = delete;
  ZstdDecoder& operator=(const ZstdDecoder&) = delete;

  std::size_t read(RawBytes& raw, char* to, std::size_t size) override {
    ZSTD_outBuffer out{to, size, 0};
    while (out.pos < size) {
      // The decoder may hold output after its input is used up, so the end of the file alone is not the end.
      const bool more = raw.refill();
      if (!more && !in_frame_) break;
      const std::string_view bytes = raw.bytes();
      ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
      const std::size_t before = out.pos;
      const std::size_t status = ZSTD_decompressStream(context_, &out, &in);
      if (ZSTD_isError(status)) {
        throw Error(ErrorCode::file, raw.name(), std::string("compressed data is damaged: ") + ZSTD_getErrorName(status));
      }
      raw.use(in.pos);
      in_frame_ = status != 0;
      if (!more && in_frame_ && out.pos == before) {
        throw Error(ErrorCode::file, raw.name(), "compressed data ends early; the file may have been cut short");
      }
    }
    return out.pos;
  }

 private:
  ZSTD_DCtx* context_;
  bool in_frame_ = false;
};

}  // namespace

std::unique_ptr<Decoder> make_zstd_decoder() { return std::make_unique<ZstdDecoder>(); }

}  // namespace nearkin

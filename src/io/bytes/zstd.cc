// zstd: streams of any number of frames, skippable ones among them, and blocks.
#include <new>

#include <zstd.h>

#include <nearkin/error.h>

#include "io/bytes/byte_stream.h"

namespace nearkin {
namespace {

constexpr std::size_t kZstdBuffer = std::size_t{64} << 10;
// Archives made with --long=31 are common among text collections; the window is only allocated for frames that ask for it.
constexpr int kWindowLog = 31;
constexpr char kPlain = 0, kZstd = 1;  // first bytes of blocks

template <typename Context, std::size_t (*Free)(Context*)>
struct FreeContext {
  void operator()(Context* context) const { Free(context); }
};
using Compressor = std::unique_ptr<ZSTD_CCtx, FreeContext<ZSTD_CCtx, &ZSTD_freeCCtx>>;
using Decompressor = std::unique_ptr<ZSTD_DCtx, FreeContext<ZSTD_DCtx, &ZSTD_freeDCtx>>;

Compressor make_compressor() {
  Compressor made(ZSTD_createCCtx());
  if (!made) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(made.get(), ZSTD_c_compressionLevel, 3);
  ZSTD_CCtx_setParameter(made.get(), ZSTD_c_checksumFlag, 1);
  return made;
}

Decompressor make_decompressor() {
  Decompressor made(ZSTD_createDCtx());
  if (!made) throw std::bad_alloc();
  return made;
}

class ZstdDecoder : public Decoder {
 public:
  ZstdDecoder() { ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, kWindowLog); }

  void read(RawBytes& raw, char* to, std::size_t size, std::size_t& done) override {
    ZSTD_outBuffer out{to, size, done};
    while (out.pos < size) {
      // The decoder may hold output after its input is used up, so the end of the file alone is not the end.
      const bool more = raw.refill();
      if (!more && !in_frame_) break;
      const std::string_view bytes = raw.bytes();
      ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
      const std::size_t before = out.pos;
      const std::size_t status = ZSTD_decompressStream(context_.get(), &out, &in);
      done = out.pos;
      if (ZSTD_isError(status)) {
        throw Error(ErrorCode::file, raw.name(), std::string("compressed data is damaged: ") + ZSTD_getErrorName(status));
      }
      raw.use(in.pos);
      in_frame_ = status != 0;
      if (!more && in_frame_ && out.pos == before) {
        throw Error(ErrorCode::file, raw.name(), "compressed data ends early; the file may have been cut short");
      }
    }
  }

 private:
  Decompressor context_ = make_decompressor();
  bool in_frame_ = false;
};

// Threads of their own compress jobs of this size. The bytes depend on the size, and not on the number of threads.
constexpr int kJobBytes = 1 << 20;

class ZstdEncoder : public Encoder {
 public:
  ZstdEncoder() { use_threads(1); }

  // A library that was built without threads refuses both, and compresses as it is called.
  void use_threads(unsigned threads) override {
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_nbWorkers, static_cast<int>(threads));
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_jobSize, kJobBytes);
  }

  void encode(std::string_view bytes, bool last, const std::function<void(std::string_view)>& put) override {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    std::size_t left = 0;
    do {
      ZSTD_outBuffer out{buffer_.data(), buffer_.size(), 0};
      left = ZSTD_compressStream2(context_.get(), &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
      // With these settings the only way to fail is to run out of memory.
      if (ZSTD_isError(left)) throw std::bad_alloc();
      put(std::string_view(buffer_).substr(0, out.pos));
    } while (last ? left > 0 : in.pos < in.size);
  }

 private:
  Compressor context_ = make_compressor();
  std::string buffer_ = std::string(kZstdBuffer, '\0');
};

}  // namespace

std::unique_ptr<Decoder> make_zstd_decoder() { return std::make_unique<ZstdDecoder>(); }

std::unique_ptr<Encoder> make_zstd_encoder() { return std::make_unique<ZstdEncoder>(); }

std::string compress_block(std::string_view bytes) {
  static thread_local const Compressor context = make_compressor();
  std::string block(1 + ZSTD_compressBound(bytes.size()), kZstd);
  const std::size_t size = ZSTD_compress2(context.get(), block.data() + 1, block.size() - 1, bytes.data(), bytes.size());
  if (ZSTD_isError(size)) throw std::bad_alloc();  // there is room for any result
  if (size < bytes.size()) {
    block.resize(1 + size);
    return block;
  }
  block.assign(1, kPlain);
  return block.append(bytes);
}

std::optional<std::string> decompress_block(std::string_view block, std::size_t most) {
  if (block.empty()) return std::nullopt;
  const std::string_view body = block.substr(1);
  if (block.front() == kPlain) return body.size() <= most ? std::optional(std::string(body)) : std::nullopt;
  if (block.front() != kZstd) return std::nullopt;
  // Looked at before so much memory is asked for; an error and "not known" are larger than any size.
  const unsigned long long size = ZSTD_getFrameContentSize(body.data(), body.size());
  if (size > most || size >= ZSTD_CONTENTSIZE_ERROR) return std::nullopt;
  static thread_local const Decompressor context = make_decompressor();
  std::string bytes(static_cast<std::size_t>(size), '\0');
  const std::size_t got = ZSTD_decompressDCtx(context.get(), bytes.data(), bytes.size(), body.data(), body.size());
  if (ZSTD_isError(got) || got != bytes.size()) return std::nullopt;
  return bytes;
}

}  // namespace nearkin

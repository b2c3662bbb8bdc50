#include "io/bytes/block.h"

#include <memory>
#include <new>

#include <zstd.h>

namespace nearkin {

namespace {

constexpr int kLevel = 3;
constexpr char kPlain = 0, kZstd = 1;

ZSTD_CCtx* compressor_of_this_thread() {
  static thread_local const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context = [] {
    std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> made(ZSTD_createCCtx(), &ZSTD_freeCCtx);
    if (!made) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(made.get(), ZSTD_c_compressionLevel, kLevel);
    ZSTD_CCtx_setParameter(made.get(), ZSTD_c_checksumFlag, 1);
    return made;
  }();
  return context.get();
}

ZSTD_DCtx* decompressor_of_this_thread() {
  static thread_local const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), &ZSTD_freeDCtx);
  if (!context) throw std::bad_alloc();
  return context.get();
}

}  // namespace

std::string compress_block(std::string_view bytes) {
  std::string block(1 + ZSTD_compressBound(bytes.size()), kZstd);
  const std::size_t size = ZSTD_compress2(compressor_of_this_thread(), block.data() + 1, block.size() - 1, bytes.data(), bytes.size());
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
  std::string bytes(static_cast<std::size_t>(size), '\0');
  const std::size_t got = ZSTD_decompressDCtx(decompressor_of_this_thread(), bytes.data(), bytes.size(), body.data(), body.size());
  if (ZSTD_isError(got) || got != bytes.size()) return std::nullopt;
  return bytes;
}

}  // namespace nearkin

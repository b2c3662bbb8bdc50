#include "io/bytes/byte_stream.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <unistd.h>

#include <nearkin/error.h>

namespace nearkin {
namespace {

// The first block is small: it is all that a folder of many small files pays for the look at the first bytes.
constexpr std::size_t kFirstBlock = 4096;
constexpr std::size_t kBlock = std::size_t{128} << 10;

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b\x08"); }

bool is_zstd(std::string_view bytes) {
  if (bytes.size() < 4) return false;
  const bool skippable = (static_cast<unsigned char>(bytes[0]) & 0xf0) == 0x50 && bytes.substr(1, 3) == "\x2a\x4d\x18";
  return skippable || bytes.starts_with("\x28\xb5\x2f\xfd");
}

}  // namespace

RawBytes::RawBytes(OpenedFile file, std::string name, std::atomic<std::uint64_t>* count)
    : file_(std::move(file)), name_(std::move(name)), count_(count) {}

bool RawBytes::refill() {
  if (begin_ < end_) return true;
  if (block_.size() < kBlock) block_.resize(block_.empty() ? kFirstBlock : kBlock);
  begin_ = 0;
  end_ = 0;
  end_ = read(block_.data(), block_.size());
  return end_ > 0;
}

std::size_t RawBytes::read(char* to, std::size_t size) {
  const std::size_t got = file_.read(to, size, name_);
  if (count_ != nullptr) count_->fetch_add(got, std::memory_order_relaxed);
  return got;
}

void RawBytes::go_to(std::uint64_t offset) {
  if (::lseek(file_.get(), static_cast<off_t>(offset), SEEK_SET) < 0) throw Error(ErrorCode::file, name_, reason("cannot be read", errno));
  begin_ = end_ = 0;
}

ByteStream::ByteStream(OpenedFile file, const std::string& name, std::atomic<std::uint64_t>* count) : raw_(std::move(file), name, count) {
  if (!raw_.refill()) return;
  if (is_gzip(raw_.bytes())) decoder_ = make_gzip_decoder();
  if (is_zstd(raw_.bytes())) decoder_ = make_zstd_decoder();
}

std::size_t ByteStream::read_sound(char* to, std::size_t size) {
  if (trouble_) throw *trouble_;
  if (!decoder_) return read(to, size);
  std::size_t done = 0;
  try {
    decoder_->read(raw_, to, size, done);
  } catch (const Error& error) {
    trouble_ = error;
    if (done == 0) throw;
  }
  return done;
}

std::size_t ByteStream::read(char* to, std::size_t size) {
  if (decoder_) {
    const std::size_t done = read_sound(to, size);
    if (trouble_) throw *trouble_;
    return done;
  }
  const std::size_t held = std::min(size, raw_.bytes().size());
  if (held > 0) std::memcpy(to, raw_.bytes().data(), held);
  raw_.use(held);
  return held == size ? held : held + raw_.read(to + held, size - held);
}

}  // namespace nearkin

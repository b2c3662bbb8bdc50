#include "io/formats/whole_file.h"

#include <cerrno>

#include <nearkin/error.h>

#include "io/bytes/byte_stream.h"

namespace nearkin {

std::string read_whole_file(const std::string& path) {
  OpenedFile file = OpenedFile::open(path, false);
  if (!file) throw Error(ErrorCode::file, path, reason("cannot be read", errno));
  ByteStream stream(std::move(file), path);
  constexpr std::size_t kReadBlock = std::size_t{1} << 20;
  std::string bytes;
  for (std::size_t got = kReadBlock; got == kReadBlock;) {
    const std::size_t before = bytes.size();
    bytes.resize(before + kReadBlock);
    got = stream.read(bytes.data() + before, kReadBlock);
    bytes.resize(before + got);
  }
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.erase(0, 3);
  return bytes;
}

}  // namespace nearkin

// Any bytes as coded hashes, and any bytes as hashes to be coded.
#include <algorithm>
#include <cstring>
#include <functional>
#include <vector>

#include "base/rice.h"
#include "support.h"

namespace nearkin::fuzz {
namespace {

using Hashes = std::vector<std::uint64_t>;

void check_code(std::span<const std::byte> bytes) {
  Hashes hashes;
  const std::optional<std::size_t> used = decode_rice(bytes, hashes);
  require(hashes.size() <= bytes.size() * 8, "no more hashes than bits");
  if (!used) return require(hashes.empty(), "nothing comes of what is refused");
  require(*used > 0 && *used <= bytes.size(), "a code is part of the bytes");
  require(std::adjacent_find(hashes.begin(), hashes.end(), std::greater_equal<>()) == hashes.end(), "hashes ascend");
}

void check_hashes(std::span<const std::byte> bytes) {
  Hashes hashes(bytes.size() / sizeof(std::uint64_t)), found;
  if (!hashes.empty()) std::memcpy(hashes.data(), bytes.data(), hashes.size() * sizeof(std::uint64_t));
  std::sort(hashes.begin(), hashes.end());
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  std::string code;
  append_rice(code, hashes);
  require(code.size() <= 11 + 8 * hashes.size(), "a code is hardly longer than the hashes");
  const std::span<const std::byte> coded = std::as_bytes(std::span(code));
  require(decode_rice(coded, found) == code.size() && found == hashes, "hashes come back");
  require(!decode_rice(coded.first(bytes.size() % code.size()), found) && found == hashes, "a code that is cut short is refused");
}

}  // namespace
}  // namespace nearkin::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  nearkin::fuzz::check_code(bytes);
  nearkin::fuzz::check_hashes(bytes);
  return 0;
}

// Records of format packed, written byte by byte as the guide describes them.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace nearkin::test {

template <typename Number>
std::string bytes_of(Number number) {
  std::string bytes(sizeof number, '\0');
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

inline std::string packed(std::string_view id, std::optional<std::string_view> text, std::uint64_t tag = 0) {
  return std::string("nkr1") + bytes_of(static_cast<std::uint32_t>(id.size())) +
         bytes_of(text ? std::uint64_t{text->size()} : ~std::uint64_t{0}) + bytes_of(tag) + std::string(id) +
         std::string(text.value_or(""));
}

}  // namespace nearkin::test

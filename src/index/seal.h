// Checksums of what an index keeps. FROZEN for each version of the format.
//
// Each covers the bytes and the place they belong to, so it detects changed bytes and also intact bytes in the wrong place.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/hash.h"

namespace nearkin {

/// What is sealed. The same bytes have a different checksum for each kind.
enum class Sealed : std::uint32_t { setting = 1, record = 2, text = 3, ids = 4, buckets = 5 };

inline constexpr std::size_t kSealBytes = sizeof(std::uint32_t);

inline std::uint32_t checksum32(std::string_view bytes) { return static_cast<std::uint32_t>(checksum64(bytes.data(), bytes.size())); }

/// The checksum of bytes that belong to a name or a key.
inline std::uint32_t seal_of(Sealed what, std::string_view key, std::string_view bytes) {
  return static_cast<std::uint32_t>(
      mix64(checksum64(bytes.data(), bytes.size()) + mix64(checksum64(key.data(), key.size()) + static_cast<std::uint32_t>(what))));
}

/// The seal of bytes that belong to a row is their checksum, which is computed before the row is known, XOR this mark, which differs for
/// each row. The seal of a text is also XORed with the checksum of its record (before the record's mark), so a text is never taken for the
/// text of an earlier record.
inline std::uint32_t mark_of(Sealed what, std::uint32_t row) { return row * 0x9e3779b1u + static_cast<std::uint32_t>(what) * 0x85ebca77u; }

inline std::uint32_t seal_in(std::string_view bytes) {
  std::uint32_t seal = 0;
  std::memcpy(&seal, bytes.data(), kSealBytes);
  return seal;
}

inline void append_seal(std::string& out, std::uint32_t seal) { out.append(reinterpret_cast<const char*>(&seal), kSealBytes); }

}  // namespace nearkin

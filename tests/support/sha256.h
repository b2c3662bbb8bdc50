// SHA-256 (FIPS 180-4) in base64, as a Content-Security-Policy spells it: short and slow.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace nearkin {

/// The first 32 bits of the fractional part of a prime number's square (power 2) or cube root (3), by bisection.
inline std::uint32_t root_fraction(std::uint32_t prime, int power) {
  std::uint64_t low = 0, high = std::uint64_t{1} << 37;  // root·2^32 < 2^37 for primes up to 311
  const auto fits = [&](std::uint64_t root) {
    long double value = 1;
    for (int i = 0; i < power; ++i) value *= static_cast<long double>(root) / 4294967296.0L;
    return value <= static_cast<long double>(prime);
  };
  while (high - low > 1) {
    const std::uint64_t middle = (low + high) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return static_cast<std::uint32_t>(low);
}

class Sha256 {
 public:
  explicit Sha256(std::string_view text) {
    std::string padded(text);
    padded += '\x80';
    while (padded.size() % 64 != 56) padded += '\0';
    for (int shift = 56; shift >= 0; shift -= 8) padded += static_cast<char>(std::uint64_t{text.size()} * 8 >> shift);
    for (std::size_t at = 0; at < padded.size(); at += 64) take(padded.data() + at);
  }

  std::string base64() const {
    static constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes, out;
    for (const std::uint32_t word : state_) {
      for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(word >> shift);
    }
    const auto byte = [&](std::size_t i) { return i < bytes.size() ? std::uint32_t{static_cast<unsigned char>(bytes[i])} : 0; };
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
      const std::uint32_t three = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
      for (int shift = 18; shift >= 0; shift -= 6) out += kLetters[three >> shift & 63];
    }
    out.back() = '=';  // 32 bytes leave one place of the last four empty
    return out;
  }

 private:
  static constexpr std::array<std::uint32_t, 64> kPrimes = {2,   3,   5,   7,   11,  13,  17,  19,  23,  29,  31,  37,  41,  43,  47,  53,
                                                            59,  61,  67,  71,  73,  79,  83,  89,  97,  101, 103, 107, 109, 113, 127, 131,
                                                            137, 139, 149, 151, 157, 163, 167, 173, 179, 181, 191, 193, 197, 199, 211, 223,
                                                            227, 229, 233, 239, 241, 251, 257, 263, 269, 271, 277, 281, 283, 293, 307, 311};

  template <std::size_t count>
  static std::array<std::uint32_t, count> roots(int power) {
    std::array<std::uint32_t, count> out{};
    for (std::size_t i = 0; i < count; ++i) out[i] = root_fraction(kPrimes[i], power);
    return out;
  }

  void take(const char* block) {
    static const std::array<std::uint32_t, 64> kRounds = roots<64>(3);
    std::array<std::uint32_t, 64> w{};
    for (std::size_t i = 0; i < 64; ++i) w[i / 4] |= std::uint32_t{static_cast<unsigned char>(block[i])} << (24 - i % 4 * 8);
    for (std::size_t i = 16; i < 64; ++i) {
      const std::uint32_t a = w[i - 15], b = w[i - 2];
      w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + w[i - 7] + (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
    }
    auto [a, b, c, d, e, f, g, h] = state_;
    for (std::size_t i = 0; i < 64; ++i) {
      const std::uint32_t first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) + kRounds[i] + w[i];
      const std::uint32_t second = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
    }
    const std::array<std::uint32_t, 8> add{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; ++i) state_[i] += add[i];
  }

  std::array<std::uint32_t, 8> state_ = roots<8>(2);
};

}  // namespace nearkin

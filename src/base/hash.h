// Hashes. FROZEN: sketches, band keys, stored features, run files and sketch files depend on every constant here.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace nearkin {

struct Hash128 {
  std::uint64_t low = 0, high = 0;
  auto operator<=>(const Hash128&) const = default;
};

/// Bijective, full avalanche (the finaliser of splitmix64).
inline std::uint64_t mix64(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebu;
  x ^= x >> 31;
  return x;
}

struct Product128 {
  std::uint64_t low, high;
};

inline Product128 multiply128(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return {static_cast<std::uint64_t>(product), static_cast<std::uint64_t>(product >> 64)};
}

/// Both halves of the 128-bit product folded together: one multiplication, not bijective.
inline std::uint64_t fold_multiply(std::uint64_t a, std::uint64_t b) {
  const Product128 product = multiply128(a, b);
  return product.low ^ product.high;
}

/// What splitmix64 adds between two numbers: 2^64 divided by the golden ratio.
inline constexpr std::uint64_t kGoldenStep = 0x9e3779b97f4a7c15u;

/// A stream of random numbers from a seed (splitmix64).
class SplitMix {
 public:
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}
  std::uint64_t operator()() { return mix64(state_ += kGoldenStep); }

 private:
  std::uint64_t state_;
};

/// Tells good bytes from damaged ones: XXH3, 64 bits, seed 0, as fast as memory gives the bytes. Detects damage, not malice.
std::uint64_t checksum64(const void* bytes, std::size_t size);

/// The content of a file in one number, by which a copy of it is known, taken in piece by piece: XXH3 over all bytes.
class ContentHash {
 public:
  ContentHash();
  ~ContentHash();
  ContentHash(ContentHash&&) noexcept;
  ContentHash& operator=(ContentHash&&) noexcept;

  void add(std::string_view bytes);
  /// The hash of the bytes added so far; never 0, which stands for a content that is not known.
  std::uint64_t value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace nearkin

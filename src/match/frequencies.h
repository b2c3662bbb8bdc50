// Frequencies: in about how many sets an element occurs.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "match/row_bytes.h"

namespace nearkin {

/// The key of an element in the index of a join: the upper half of its hash. Elements with equal keys count as one, which may cost an extra
/// verification but never a match.
inline std::uint32_t key_of(std::uint64_t element) { return static_cast<std::uint32_t>(element >> 32); }

/// In how many of the sets a key occurs. Keys that share a counter look more frequent than they are, which changes the order of work, never
/// the result; a count of one is certain. A count has 8 bits of its own and, above those, 32 bits that it shares with 63 neighbours, which
/// are rarely as frequent. That is about one byte per element of all sets, at most 128 MiB.
class Frequencies {
 public:
  /// Counts the sets of `rows`, which ascend. Takes at most `most_bytes`, but at least 4 KiB.
  Frequencies(const RowBytes& sets, std::span<const Row> rows, std::uint64_t most_bytes, unsigned threads);

  std::uint32_t operator()(std::uint32_t key) const {
    const std::uint32_t cell = key >> shift_;
    const std::uint32_t count = low_[cell];
    return count < kFull ? count : kFull + high_[cell / kNeighbours];
  }
  std::uint64_t bytes() const { return low_.size() + sizeof(std::uint32_t) * high_.size(); }

 private:
  static constexpr std::uint32_t kFull = 255, kNeighbours = 64;
  static constexpr unsigned kPartBits = 6;  // bits of a key: keys are counted part by part, to keep few counters in use at a time
  using Buffers = std::array<std::vector<std::uint32_t>, std::size_t{1} << kPartBits>;
  void add(std::span<const std::uint64_t> set, Buffers& buffers);
  void flush(std::size_t part, std::vector<std::uint32_t>& keys);

  std::vector<std::uint8_t> low_;
  std::vector<std::uint32_t> high_;
  std::array<std::mutex, std::size_t{1} << kPartBits> mutexes_;
  unsigned shift_ = 0;
};

/// The keys of a set that can occur in another one among its first `length` in the order of all keys, rarest first: `ranked` holds them as
/// frequency << 32 | key, ascending. Returns how many keys that occur only once precede them. If these are `length` or more, `ranked` is
/// empty, and the number may be too low, but not below `length`.
std::size_t rank_prefix(std::span<const std::uint64_t> set, const Frequencies& frequency, std::size_t length,
                        std::vector<std::uint64_t>& ranked);

}  // namespace nearkin

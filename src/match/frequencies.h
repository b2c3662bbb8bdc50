// Frequencies: in how many sets an element occurs, about.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "match/row_bytes.h"

namespace nearkin {

/// What the index of a join knows of an element: the upper half of its hash. Elements that agree in it count as one, which costs a
/// verification, never a match.
inline std::uint32_t key_of(std::uint64_t element) { return static_cast<std::uint32_t>(element >> 32); }

/// In how many of the sets a key occurs. Keys that share a counter only count as more frequent than they are, which changes the order of
/// work, never the result; and a count of one is certain. A count has 8 bits, and beyond them 32 that it shares with 63 neighbours, of
/// which hardly any is as frequent: about one byte for each element of all sets, 128 MiB at the most.
class Frequencies {
 public:
  /// Of `rows`, which are ascending. Takes `most_bytes` at the most, but 4 KiB and more at any rate.
  Frequencies(const RowBytes& sets, std::span<const Row> rows, std::uint64_t most_bytes, unsigned threads);

  std::uint32_t operator()(std::uint32_t key) const {
    const std::uint32_t cell = key >> shift_;
    const std::uint32_t count = low_[cell];
    return count < kFull ? count : kFull + high_[cell / kNeighbours];
  }
  std::uint64_t bytes() const { return low_.size() + sizeof(std::uint32_t) * high_.size(); }

 private:
  static constexpr std::uint32_t kFull = 255, kNeighbours = 64;
  static constexpr unsigned kPartBits = 6;  // of a key: keys are counted part by part, so that few counters are in use at a time
  using Buffers = std::array<std::vector<std::uint32_t>, std::size_t{1} << kPartBits>;
  void add(std::span<const std::uint64_t> set, Buffers& buffers);
  void flush(std::size_t part, std::vector<std::uint32_t>& keys);

  std::vector<std::uint8_t> low_;
  std::vector<std::uint32_t> high_;
  std::array<std::mutex, std::size_t{1} << kPartBits> mutexes_;
  unsigned shift_ = 0;
};

/// The keys of a set that can occur in another one among its first `length` in the order of all keys, rarest first: `ranked` holds them
/// as frequency << 32 | key, ascending. Returns how many that occur once stand before them; some `length` or more of them where there are
/// so many, and `ranked` is empty then.
std::size_t rank_prefix(std::span<const std::uint64_t> set, const Frequencies& frequency, std::size_t length,
                        std::vector<std::uint64_t>& ranked);

}  // namespace nearkin

// Winnowing: every window of `least` tokens gets one anchor, chosen by the window's content alone, so equal windows have equal anchors at
// equal offsets. Schleimer, Wilkerson, Aiken: "Winnowing: Local Algorithms for Document Fingerprinting", SIGMOD 2003.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace nearkin {

/// For tests: which bits of keys count. With few bits, different grams and windows often have equal keys.
inline std::uint64_t key_bits_in_tests = ~std::uint64_t{0};

struct WinnowPlan {
  explicit WinnowPlan(std::uint32_t least_tokens);

  std::uint32_t least;  ///< tokens of a window
  std::uint32_t gram;   ///< tokens of a gram: about half of a window, and no fewer than 8 of them where a window has so many
  std::uint32_t grams() const { return least - gram + 1; }  ///< in a window
};

/// The least gram of one or more consecutive windows; of equal ones, the rightmost.
struct Anchor {
  std::uint32_t at;           ///< the token that its gram begins with
  std::uint32_t first, last;  ///< the windows, by their first tokens
};

/// One for each thread; it owns the scratch.
class Winnower {
 public:
  explicit Winnower(const WinnowPlan& plan);

  /// Calls use(anchor, key) for the anchors of a text, ascending. Equal grams have equal keys; keys of anchors are spread evenly.
  template <typename Use>
  void anchors(std::span<const std::uint64_t> tokens, Use&& use) {
    if (tokens.size() < plan_.least) return;
    roll(tokens);
    const std::size_t grams = plan_.grams();
    std::size_t best = least_of(0, grams), first = 0;
    for (std::size_t next = grams; next < hashes_.size(); ++next) {
      const std::size_t window = next - grams + 1;
      if (hashes_[next] > hashes_[best] && best >= window) continue;
      use(anchor(best, first, window - 1), key_of(hashes_[best]));
      best = hashes_[next] <= hashes_[best] ? next : least_of(window, next + 1);
      first = window;
    }
    use(anchor(best, first, hashes_.size() - grams), key_of(hashes_[best]));
  }

 private:
  static Anchor anchor(std::size_t at, std::size_t first, std::size_t last) {
    return {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last)};
  }
  static std::uint64_t key_of(std::uint64_t hash);
  void roll(std::span<const std::uint64_t> tokens);
  std::size_t least_of(std::size_t begin, std::size_t end) const;

  WinnowPlan plan_;
  std::uint64_t leaving_factor_;
  std::vector<std::uint64_t> hashes_;  // of the grams of the text at hand
};

/// Hashes of the windows of `least` tokens that begin at first … last, in order. The second and later rounds use another hash function than
/// the first, so different windows that collide in one most likely do not collide in the other.
void window_hashes(std::span<const std::uint64_t> tokens, std::uint32_t least, std::size_t first, std::size_t last, std::uint32_t round,
                   std::vector<std::uint64_t>& out);

}  // namespace nearkin

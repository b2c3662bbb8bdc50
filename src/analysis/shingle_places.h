// Where each shingle of a text is.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include <nearkin/tools/compare.h>

namespace nearkin {

/// The spans of a text by their hash, or by their feature; without ignored ones. The text must outlive it. Memory: about 14 bytes per span.
class ShinglePlaces {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  using Key = std::uint64_t ShingleSpans::Span::*;

  ShinglePlaces(const ShingleSpans& text, Key key)
      : spans_(text.spans),
        key_(key),
        shift_(64 - static_cast<unsigned>(std::bit_width(std::max<std::size_t>(text.spans.size() * 3 / 2, 1)))),
        firsts_(std::size_t{1} << (64 - shift_), kNone),
        nexts_(text.spans.size(), kNone) {
    for (std::size_t i = spans_.size(); i-- > 0;) {
      if (spans_[i].ignored) continue;
      std::uint32_t& first = firsts_[cell_of(spans_[i].*key_)];
      nexts_[i] = first;
      first = static_cast<std::uint32_t>(i);
    }
  }

  /// The first span with this key; kNone: there is none.
  std::uint32_t first(std::uint64_t key) const { return firsts_[cell_of(key)]; }
  /// The next span with the key of this one.
  std::uint32_t next(std::uint32_t span) const { return nexts_[span]; }

 private:
  // That of the key, or the empty one where it would be.
  std::size_t cell_of(std::uint64_t key) const {
    std::size_t cell = key * 0x9e3779b97f4a7c15u >> shift_;
    while (firsts_[cell] != kNone && spans_[firsts_[cell]].*key_ != key) cell = (cell + 1) % firsts_.size();
    return cell;
  }

  const std::vector<ShingleSpans::Span>& spans_;
  Key key_;
  unsigned shift_;
  std::vector<std::uint32_t> firsts_, nexts_;
};

}  // namespace nearkin

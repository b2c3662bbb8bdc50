#include "match/winnow.h"

#include "base/hash.h"

namespace nearkin {
namespace {

constexpr std::uint64_t kGramBase = 0xd6e8feb86659fd93u;
constexpr std::uint64_t kGramFactor = 0xa0761d6478bd642fu;

std::uint64_t power_of_base(std::uint32_t exponent) {
  std::uint64_t result = 1;
  for (std::uint32_t i = 0; i < exponent; ++i) result *= kGramBase;
  return result;
}

}  // namespace

WinnowPlan::WinnowPlan(std::uint32_t least_tokens) : least(least_tokens), gram(std::max(least / 2, std::min(least, 8u))) {}

Winnower::Winnower(const WinnowPlan& plan) : plan_(plan), leaving_factor_(power_of_base(plan.gram)) {}

// Anchors are the least of many hashes, which are small numbers.
std::uint64_t Winnower::key_of(std::uint64_t hash) { return mix64(hash) & key_bits_in_tests; }

void Winnower::roll(std::span<const std::uint64_t> tokens) {
  const std::size_t gram = plan_.gram;
  hashes_.resize(tokens.size() - gram + 1);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < gram; ++i) sum = sum * kGramBase + tokens[i];
  const auto hash_of = [](std::uint64_t value) { return (value ^ value >> 32) * kGramFactor; };
  hashes_[0] = hash_of(sum);
  for (std::size_t i = gram; i < tokens.size(); ++i) {
    sum = sum * kGramBase + (tokens[i] - tokens[i - gram] * leaving_factor_);
    hashes_[i - gram + 1] = hash_of(sum);
  }
}

std::size_t Winnower::least_of(std::size_t begin, std::size_t end) const {
  std::size_t best = begin;
  std::uint64_t least = hashes_[begin];
  for (std::size_t i = begin + 1; i < end; ++i) {
    best = hashes_[i] <= least ? i : best;
    least = std::min(least, hashes_[i]);
  }
  return best;
}

void window_hashes(std::span<const std::uint64_t> tokens, std::uint32_t least, std::size_t first, std::size_t last, std::uint32_t round,
                   std::vector<std::uint64_t>& out) {
  out.clear();
  // A polynomial agrees for some texts made for that, whatever its base: only the first round rolls.
  if (round > 1) {
    for (std::size_t i = first; i <= last; ++i) {
      const std::uint64_t hash = checksum64(tokens.data() + i, least * sizeof(std::uint64_t));
      out.push_back(mix64(hash + round) & key_bits_in_tests);
    }
    return;
  }
  const std::uint64_t leaving = power_of_base(least);
  std::uint64_t sum = 0;
  for (std::size_t i = first; i < first + least; ++i) sum = sum * kGramBase + tokens[i];
  out.resize(last - first + 1);
  const std::uint64_t bits = key_bits_in_tests;
  out[0] = mix64(sum) & bits;
  for (std::size_t i = first + 1; i <= last; ++i) {
    sum = sum * kGramBase + (tokens[i + least - 1] - tokens[i - 1] * leaving);
    out[i - first] = mix64(sum) & bits;
  }
}

}  // namespace nearkin

#include "feature/shingler.h"

#include <algorithm>
#include <bit>

#include <nearkin/error.h>

#include "feature/ignored.h"

namespace nearkin {
namespace {

// FROZEN. A shingle of tokens t0 … tk-1 is mix64(Σ ti·kBase^(k-1-i)); token hashes are 64 random bits, so that two lists of tokens,
// ("ab","c") and ("a","bc") among them, agree by chance alone, 2^-64.
constexpr std::uint64_t kBase = 0x9fb21c651e98df25u;
// Added once for each token of an item that is shorter than a shingle, so that it is no shingle of a longer one.
constexpr std::uint64_t kShort = 0xd1342543de82ef95u;
constexpr std::uint64_t kOccurrence = 0xaf251af3b0f025b5u;

std::uint64_t power(std::uint64_t base, std::uint32_t exponent) {
  std::uint64_t result = 1;
  for (std::uint32_t i = 0; i < exponent; ++i) result *= base;
  return result;
}

}  // namespace

Shingler::Shingler(const ShinglePlan& plan) : plan_(plan), leaving_factor_(power(kBase, plan.size)), tokeniser_(plan) {
  const bool held = plan.ignored ? plan.ignored->identity() == plan.ignore : plan.ignore == 0;
  if (held) return;
  throw Error(ErrorCode::plan, "ignore", "the plan ignores shingles that it does not hold; give what it was made with once more");
}

void Shingler::roll(std::span<const std::uint64_t> tokens) {
  const std::size_t size = plan_.size;
  std::uint64_t sum = 0;
  if (tokens.size() < size) {
    for (const std::uint64_t token : tokens) sum = sum * kBase + token;
    shingles_.assign(tokens.empty() ? 0 : 1, mix64(sum + tokens.size() * kShort));
    return;
  }
  shingles_.resize(tokens.size() - size + 1);
  for (std::size_t i = 0; i < size; ++i) sum = sum * kBase + tokens[i];
  shingles_[0] = mix64(sum);
  for (std::size_t i = size; i < tokens.size(); ++i) {
    sum = sum * kBase + (tokens[i] - tokens[i - size] * leaving_factor_);
    shingles_[i - size + 1] = mix64(sum);
  }
}

std::span<const std::uint64_t> Shingler::shingles(std::string_view text) {
  roll(tokeniser_.tokens(text));
  tokeniser_.give_back();
  if (plan_.ignored) std::erase_if(shingles_, [&](std::uint64_t hash) { return plan_.ignored->contains(hash); });
  if (salt_ != 0) {
    for (std::uint64_t& hash : shingles_) hash = mix64(hash ^ salt_);
  }
  return shingles_;
}

std::span<const std::uint64_t> Shingler::features(std::string_view text) {
  shingles(text);
  sort_hashes(shingles_, scratch_);
  if (!plan_.bag) {
    shingles_.erase(std::unique(shingles_.begin(), shingles_.end()), shingles_.end());
    return shingles_;
  }
  std::uint64_t occurrence = 0, previous = 0;
  for (std::size_t i = 0; i < shingles_.size(); ++i) {
    const std::uint64_t hash = shingles_[i];
    occurrence = i > 0 && hash == previous ? occurrence + 1 : 0;
    previous = hash;
    shingles_[i] = occurrence_hash(hash, occurrence);
  }
  sort_hashes(shingles_, scratch_);
  return shingles_;
}

std::uint64_t occurrence_hash(std::uint64_t shingle, std::uint64_t earlier) {
  return earlier == 0 ? shingle : mix64(shingle + earlier * kOccurrence);
}

Hash128 content_hash(std::span<const std::uint64_t> shingles) {
  // Sums do not depend on order. The second sum is over values that are not a linear function of the first's.
  Hash128 sum{.low = shingles.size(), .high = 0};
  for (const std::uint64_t hash : shingles) {
    sum.low += hash;
    sum.high += fold_multiply(hash ^ kBase, kOccurrence);
  }
  return sum;
}

void sort_hashes(std::vector<std::uint64_t>& hashes, std::vector<std::uint64_t>& scratch) {
  const std::size_t count = hashes.size();
  if (count < 24 || count > (std::size_t{1} << 24)) {
    std::sort(hashes.begin(), hashes.end());
    return;
  }
  // One bucket for about four hashes: then each bucket is sorted where it lies.
  const unsigned bits = static_cast<unsigned>(std::bit_width(count / 4));
  const unsigned shift = 64 - bits;
  static thread_local std::vector<std::uint32_t> places;
  places.assign((std::size_t{1} << bits) + 1, 0);
  for (const std::uint64_t hash : hashes) ++places[(hash >> shift) + 1];
  for (std::size_t i = 1; i < places.size(); ++i) places[i] += places[i - 1];
  scratch.resize(count);
  for (const std::uint64_t hash : hashes) scratch[places[hash >> shift]++] = hash;
  std::size_t begin = 0;
  for (std::size_t bucket = 0; bucket + 1 < places.size(); ++bucket) {
    const std::size_t end = places[bucket];
    if (end - begin > 32) {
      std::sort(scratch.begin() + static_cast<std::ptrdiff_t>(begin), scratch.begin() + static_cast<std::ptrdiff_t>(end));
    } else {
      for (std::size_t i = begin + 1; i < end; ++i) {
        const std::uint64_t hash = scratch[i];
        std::size_t j = i;
        for (; j > begin && scratch[j - 1] > hash; --j) scratch[j] = scratch[j - 1];
        scratch[j] = hash;
      }
    }
    begin = end;
  }
  hashes.swap(scratch);
}

}  // namespace nearkin

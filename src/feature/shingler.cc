#include "feature/shingler.h"

#include <algorithm>
#include <bit>
#include <utility>

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
  throw Error(ErrorCode::plan, "ignore", "the plan ignores shingles but does not contain them; give again what it was made with");
}

void Shingler::roll(std::span<const std::uint64_t> tokens) {
  const std::size_t size = plan_.size;
  if (tokens.size() < size) {
    std::uint64_t sum = 0;
    for (const std::uint64_t token : tokens) sum = sum * kBase + token;
    shingles_.assign(tokens.empty() ? 0 : 1, mix64(sum + tokens.size() * kShort));
    return;
  }
  shingles_.resize(tokens.size() - size + 1);
  const auto sum_at = [&](std::size_t i) {
    std::uint64_t value = 0;
    for (const std::uint64_t token : tokens.subspan(i, size)) value = value * kBase + token;
    return value;
  };
  const auto next = [&](std::uint64_t last, std::size_t i) {
    return last * kBase + (tokens[i + size - 1] - tokens[i - 1] * leaving_factor_);
  };
  // Both halves at once: a sum has to wait for the one before it, and the processor works on the other half meanwhile.
  const std::size_t count = shingles_.size(), half = count / 2;
  std::uint64_t first = sum_at(0), second = sum_at(half);
  for (std::size_t i = 0; i < half; ++i) {
    shingles_[i] = mix64(first);
    shingles_[half + i] = mix64(second);
    first = next(first, i + 1);
    if (half + i + 1 < count) second = next(second, half + i + 1);
  }
  if (count % 2 == 1) shingles_[count - 1] = mix64(second);
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

namespace {

constexpr std::uint32_t kLargeBucket = 32;

// Sorts the buckets that are too large for sort_nearly: those of hashes that come again and again, or were chosen to fall together.
void sort_large_buckets(std::span<std::uint64_t> hashes, std::span<const std::uint32_t> ends) {
  std::size_t begin = 0;
  for (const std::uint32_t end : ends) {
    if (end - begin > kLargeBucket) std::sort(hashes.begin() + static_cast<std::ptrdiff_t>(begin), hashes.begin() + end);
    begin = end;
  }
}

// For hashes of which few are out of order, and none far from its place.
void sort_nearly(std::span<std::uint64_t> hashes) {
  for (std::size_t i = 1; i < hashes.size(); ++i) {
    const std::uint64_t hash = hashes[i];
    std::size_t j = i;
    for (; j > 0 && hashes[j - 1] > hash; --j) hashes[j] = hashes[j - 1];
    hashes[j] = hash;
  }
}

}  // namespace

void sort_hashes(std::vector<std::uint64_t>& hashes, std::vector<std::uint64_t>& scratch) {
  const std::size_t count = hashes.size();
  if (count < 12 || count > (std::size_t{1} << 24)) {
    std::sort(hashes.begin(), hashes.end());
    return;
  }
  // Two to four buckets for each hash, so most hashes are alone and what the processor guesses about their order is right. With fewer
  // buckets, sorting takes twice the time. Of very long texts several hashes share a bucket, or the buckets would take more memory than
  // the hashes.
  constexpr unsigned kManyBits = 18;
  const auto bits_for = [](std::size_t buckets) { return static_cast<unsigned>(std::bit_width(buckets)); };
  const unsigned bits = std::min(bits_for(count) + 1, std::max(kManyBits, bits_for(count / 4)));
  const unsigned shift = 64 - bits;
  static thread_local std::vector<std::uint32_t> places;
  places.assign(std::size_t{1} << bits, 0);
  std::uint32_t largest = 0;
  for (const std::uint64_t hash : hashes) largest = std::max(largest, ++places[hash >> shift]);
  std::uint32_t begin = 0;
  for (std::uint32_t& place : places) begin += std::exchange(place, begin);
  scratch.resize(count);
  for (const std::uint64_t hash : hashes) scratch[places[hash >> shift]++] = hash;
  if (largest > kLargeBucket) sort_large_buckets(scratch, places);
  sort_nearly(scratch);
  hashes.swap(scratch);
}

}  // namespace nearkin

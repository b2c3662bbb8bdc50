#include "feature/shingler.h"

#include <algorithm>
#include <bit>

#include "feature/tokens.h"
#include "kernel/kernel.h"

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

// Words begin where a bit is set and the one before it is not.
std::size_t count_words(std::span<const std::uint64_t> masks) {
  std::size_t words = 0;
  std::uint64_t inside = 0;
  for (const std::uint64_t mask : masks) {
    words += static_cast<std::size_t>(std::popcount(mask & ~(mask << 1 | inside)));
    inside = mask >> 63;
  }
  return words;
}

}  // namespace

void prepare_text(std::string_view text, const ShinglePlan& plan, std::string& out) {
  const bool layout_counts = plan.token == Token::character || plan.token == Token::element;
  if (plan.token == Token::line) {
    std::string line;
    out.clear();
    const ShinglePlan as_characters{.token = Token::character, .normalise = plan.normalise};
    for_each_line(text, [&](const char* begin, const char* end) {
      if (end > begin && end[-1] == '\r') --end;
      prepare_text({begin, static_cast<std::size_t>(end - begin)}, as_characters, line);
      out.append(line).push_back('\n');
    });
  } else if (plan.normalise == Normalise::text) {
    layout_counts ? normalise_text(text, out) : fold_text(text, out);
  } else if (plan.normalise == Normalise::code && layout_counts) {
    collapse_space(text, out);
  } else {
    out.assign(text);
  }
}

// What one very long text needed is not kept for the next.
static constexpr std::size_t kKeptRoom = std::size_t{16} << 20;

template <typename Container>
static void give_back(Container& room) {
  if (room.capacity() * sizeof room[0] > 2 * kKeptRoom) Container().swap(room);
}

Shingler::Shingler(const ShinglePlan& plan) : plan_(plan), leaving_factor_(power(kBase, plan.size)) {}

// Words of pure ASCII, the common case: 64 characters are classified at a time and only the borders of words are visited.
// False when the text is not ASCII.
bool Shingler::tokenise_ascii_words(std::string_view text) {
  // Room to spare, so that it need not grow for every text that is a little longer; not for texts that are few.
  const std::size_t spare = text.size() < kKeptRoom ? text.size() : 0;
  if (buffer_.size() < text.size() + kernel::kOverrun + kTokenPadding)
    buffer_.resize(text.size() + spare + kernel::kOverrun + kTokenPadding);
  const std::size_t blocks = (text.size() + 63) / 64;
  if (masks_.size() < blocks) masks_.resize(blocks + spare / 64);
  if (!kernel::scan_ascii(text.data(), text.size(), plan_.normalise != Normalise::text, buffer_.data(), masks_.data())) return false;
  if (const std::size_t words = count_words({masks_.data(), blocks}); tokens_.size() < words)
    tokens_.resize(words + (spare > 0 ? words / 2 : 0));
  std::uint64_t* out = tokens_.data();
  const char* const base = buffer_.data();
  std::uint64_t inside = 0;  // 1 when the last byte of the block before belongs to a word
  std::size_t begin = 0;
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::uint64_t mask = masks_[block];
    // Set where a word begins or where the byte after a word stands.
    std::uint64_t borders = mask ^ (mask << 1 | inside);
    const char* const p = base + 64 * block;
    if (inside != 0 && borders != 0) {
      const std::size_t end = 64 * block + static_cast<std::size_t>(std::countr_zero(borders));
      borders &= borders - 1;
      *out++ = token_hash(base + begin, end - begin);
    }
    while (borders != 0) {
      const unsigned first = static_cast<unsigned>(std::countr_zero(borders));
      borders &= borders - 1;
      if (borders == 0) {
        begin = 64 * block + first;
        break;
      }
      const unsigned last = static_cast<unsigned>(std::countr_zero(borders));
      borders &= borders - 1;
      *out++ = token_hash(p + first, last - first);
    }
    inside = mask >> 63;
  }
  if (inside != 0) *out++ = token_hash(base + begin, text.size() - begin);
  token_count_ = static_cast<std::size_t>(out - tokens_.data());
  return true;
}

void Shingler::tokenise(std::string_view text) {
  if (plan_.token == Token::word && tokenise_ascii_words(text)) return;
  prepare_text(text, plan_, buffer_);
  const std::size_t size = buffer_.size();
  buffer_.append(kTokenPadding, '\0');
  tokens_.clear();
  for_each_token({buffer_.data(), size}, plan_.token,
                 [&](const char* begin, const char* end) { tokens_.push_back(token_hash(begin, static_cast<std::size_t>(end - begin))); });
  token_count_ = tokens_.size();
}

void Shingler::roll() {
  const std::size_t size = plan_.size;
  std::uint64_t sum = 0;
  if (token_count_ < size) {
    for (std::size_t i = 0; i < token_count_; ++i) sum = sum * kBase + tokens_[i];
    shingles_.assign(token_count_ == 0 ? 0 : 1, mix64(sum + token_count_ * kShort));
    return;
  }
  shingles_.resize(token_count_ - size + 1);
  for (std::size_t i = 0; i < size; ++i) sum = sum * kBase + tokens_[i];
  shingles_[0] = mix64(sum);
  for (std::size_t i = size; i < token_count_; ++i) {
    sum = sum * kBase + (tokens_[i] - tokens_[i - size] * leaving_factor_);
    shingles_[i - size + 1] = mix64(sum);
  }
}

std::span<const std::uint64_t> Shingler::shingles(std::string_view text) {
  tokenise(text);
  give_back(buffer_);
  give_back(masks_);
  roll();
  give_back(tokens_);
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

// Layout: the number of hashes (seven bits a byte, lowest first) and, where that is not 0, the parameter k (one byte), the low k bits of
// all gaps up to a whole byte, then for each gap as many zero bits as its upper part says and a one, up to a whole byte; bits fill
// bytes from the lowest. A gap is what a hash has over the one before it, less one; the first hash is a gap itself. Low and upper
// parts apart can be decoded with a few instructions each. k = 64: the hashes as they are. FROZEN: feature files hold it.
#include "base/rice.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "base/hash.h"

namespace nearkin {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are copied as a little-endian machine has them in memory");

constexpr unsigned kPlain = 64;  // the parameter of hashes that are not coded
constexpr std::size_t kWord = sizeof(std::uint64_t);

constexpr std::uint64_t bytes_for(std::uint64_t bits) { return bits / 8 + (bits % 8 != 0); }

/// A gap like those between random hashes takes k + 1/(1 − e^(−2^k / mean)) bits on average, which is least at the first k with
/// mean · ln((1 + √5)/2) ≤ 2^k.
unsigned parameter_for(std::uint64_t largest, std::uint64_t count) {
  constexpr std::uint64_t kLogarithm = 0x7b30b2bb14582652;  // 0.4812… of 2^64
  const std::uint64_t least = multiply128(largest / count, kLogarithm).high;
  return least <= 1 ? 0 : static_cast<unsigned>(std::bit_width(least - 1));
}

/// The sum of the gaps' upper parts.
std::uint64_t upper_sum(std::span<const std::uint64_t> ascending, unsigned k) {
  std::uint64_t sum = ascending[0] >> k;
  for (std::size_t i = 1; i < ascending.size(); ++i) {
    if (ascending[i] <= ascending[i - 1]) throw std::invalid_argument("hashes to be coded do not ascend");
    sum += (ascending[i] - ascending[i - 1] - 1) >> k;
  }
  return sum;
}

void append_varint(std::string& out, std::uint64_t value) {
  for (; value >= 128; value >>= 7) out += static_cast<char>(value | 128);
  out += static_cast<char>(value);
}

/// Writes the codes of the gaps into bytes that are zero.
void write_gaps(char* to, std::span<const std::uint64_t> ascending, unsigned k) {
  const std::uint64_t mask = (std::uint64_t{1} << k) - 1;
  char* const upper = to + bytes_for(ascending.size() * std::uint64_t{k});
  std::uint64_t word = 0, place = 0, least = 0;
  unsigned filled = 0;
  for (const std::uint64_t hash : ascending) {
    const std::uint64_t gap = hash - least, low = gap & mask;
    least = hash + 1;
    place += gap >> k;
    upper[place / 8] = static_cast<char>(upper[place / 8] | 1 << (place % 8));
    ++place;
    word |= low << filled;
    filled += k;
    if (filled < 64) continue;
    std::memcpy(to, &word, kWord);
    to += kWord;
    filled -= 64;
    word = filled == 0 ? 0 : low >> (k - filled);
  }
  std::memcpy(to, &word, bytes_for(filled));
}

/// The number at the beginning and how many bytes it takes; these are 0 where there is none.
std::pair<std::uint64_t, std::size_t> read_varint(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(bytes.size(), 10); ++i) {
    const auto byte = static_cast<std::uint64_t>(bytes[i]);
    if (i == 9 && byte > 1) break;
    value |= (byte & 127) << (7 * i);
    if (byte < 128) return {value, i + 1};
  }
  return {0, 0};
}

bool ascend(std::span<const std::uint64_t> hashes) {
  return std::adjacent_find(hashes.begin(), hashes.end(), std::greater_equal<>()) == hashes.end();
}

/// The eight bytes from `at` on, zeros in place of those behind the end.
std::uint64_t word_at(std::span<const std::byte> bytes, std::size_t at) {
  std::uint64_t word = 0;
  if (bytes.size() - at >= kWord) {
    std::memcpy(&word, bytes.data() + at, kWord);
  } else {
    std::memcpy(&word, bytes.data() + at, bytes.size() - at);
  }
  return word;
}

/// Fills `to` with the places of the first ones among the bits. False where there are not so many.
bool read_places(std::span<const std::byte> bytes, std::span<std::uint64_t> to) {
  std::size_t found = 0;
  for (std::size_t at = 0; at < bytes.size() && found < to.size(); at += kWord) {
    std::uint64_t word = word_at(bytes, at);
    const std::size_t end = std::min(to.size(), found + static_cast<unsigned>(std::popcount(word)));
    for (; found < end; word &= word - 1) to[found++] = std::uint64_t{at} * 8 + static_cast<unsigned>(std::countr_zero(word));
  }
  return found == to.size();
}

/// Where decoding stands.
struct Gaps {
  unsigned k;
  std::uint64_t bits = 0;           ///< of low parts that were read
  std::uint64_t place = 0;          ///< where a one stands when the next upper part is 0
  std::uint64_t hash = UINT64_MAX;  ///< the last one; −1 before the first, which is a gap itself
  std::uint64_t steps_not_up = 0;   ///< 1 where all is well: that from −1, the greatest of all, to the first
};

/// Makes hashes of the places of their ones. `low`, of which `before` bytes are left out, must have nine bytes from each low part on.
/// `wide`: a low part and the bits before it in its first byte may be more than a word.
template <bool wide>
void add_gaps(Gaps& gaps, const std::byte* low, std::uint64_t before, std::span<std::uint64_t> to) {
  const unsigned k = gaps.k;
  const std::uint64_t mask = (std::uint64_t{1} << k) - 1;
  std::uint64_t bits = gaps.bits - before * 8, place = gaps.place, hash = gaps.hash, not_up = 0;
  for (std::uint64_t& item : to) {
    std::uint64_t word;
    std::memcpy(&word, low + bits / 8, kWord);
    word >>= bits % 8;
    if constexpr (wide) word |= static_cast<std::uint64_t>(low[bits / 8 + kWord]) << 1 << (63 - bits % 8);
    const std::uint64_t next = hash + ((item - place) << k | (word & mask)) + 1;
    not_up += next <= hash;
    bits += k;
    place = item + 1;
    item = hash = next;
  }
  gaps = {k, bits + before * 8, place, hash, gaps.steps_not_up + not_up};
}

/// How many of the low parts have nine bytes from their beginning on.
std::size_t parts_before_end(std::size_t bytes, std::size_t count, unsigned k) {
  if (bytes < kWord + 1) return 0;
  return k == 0 ? count : static_cast<std::size_t>(std::min<std::uint64_t>(count, (bytes - kWord - 1) * 8 / k + 1));
}

/// Bytes used, or nothing: see decode_rice.
std::optional<std::size_t> decode_gaps(std::span<const std::byte> bytes, std::span<std::uint64_t> to, unsigned k) {
  const auto low_bytes = static_cast<std::size_t>(bytes_for(to.size() * std::uint64_t{k}));
  if (!read_places(bytes.subspan(low_bytes), to)) return std::nullopt;
  const std::uint64_t upper = to.back() - (to.size() - 1);  // of all gaps
  if (k > 0 && upper >> (64 - k) != 0) return std::nullopt;
  Gaps gaps{k};
  const std::size_t safe = parts_before_end(bytes.size(), to.size(), k);
  const auto add = k > 57 ? add_gaps<true> : add_gaps<false>;
  add(gaps, bytes.data(), 0, to.first(safe));
  std::array<std::byte, 4 * kWord> end{};  // what is behind, at most nine bytes, and zeros to read on into
  const auto end_begin = static_cast<std::size_t>(std::min<std::uint64_t>(gaps.bits / 8, bytes.size()));
  std::copy(bytes.begin() + end_begin, bytes.begin() + std::min(bytes.size(), end_begin + 2 * kWord), end.begin());
  add(gaps, end.data(), end_begin, to.subspan(safe));
  if (gaps.steps_not_up != 1) return std::nullopt;
  return low_bytes + static_cast<std::size_t>(bytes_for(gaps.place));
}

std::optional<std::size_t> decode_plain(std::span<const std::byte> bytes, std::span<std::uint64_t> to) {
  std::memcpy(to.data(), bytes.data(), to.size_bytes());
  if (!ascend(to)) return std::nullopt;
  return to.size_bytes();
}

}  // namespace

void append_rice(std::string& out, std::span<const std::uint64_t> ascending) {
  if (ascending.empty()) return append_varint(out, 0);
  const unsigned k = parameter_for(ascending.back(), ascending.size());
  const std::uint64_t upper_bits = upper_sum(ascending, k) + ascending.size();
  const std::uint64_t bytes = bytes_for(ascending.size() * std::uint64_t{k}) + bytes_for(upper_bits);
  append_varint(out, ascending.size());
  if (bytes >= ascending.size_bytes()) {
    out += static_cast<char>(kPlain);
    out.append(reinterpret_cast<const char*>(ascending.data()), ascending.size_bytes());
    return;
  }
  out += static_cast<char>(k);
  const std::size_t begin = out.size();
  out.resize(begin + static_cast<std::size_t>(bytes), '\0');
  write_gaps(out.data() + begin, ascending, k);
}

std::optional<std::size_t> decode_rice(std::span<const std::byte> bytes, std::vector<std::uint64_t>& out) {
  const auto [count, count_bytes] = read_varint(bytes);
  if (count_bytes == 0) return std::nullopt;
  if (count == 0) return count_bytes;
  if (bytes.size() == count_bytes) return std::nullopt;
  const auto k = static_cast<unsigned>(bytes[count_bytes]);
  const std::span<const std::byte> rest = bytes.subspan(count_bytes + 1);
  // A gap takes k bits and at least one more, so that the number cannot ask for more memory than its bytes are worth.
  if (k > kPlain || count > std::uint64_t{rest.size()} * 8 / (k == kPlain ? 64 : k + 1)) return std::nullopt;
  const std::size_t before = out.size();
  out.resize(before + static_cast<std::size_t>(count));
  const std::span<std::uint64_t> to = std::span(out).subspan(before);
  const std::optional<std::size_t> used = k == kPlain ? decode_plain(rest, to) : decode_gaps(rest, to, k);
  if (!used) {
    out.resize(before);
    return std::nullopt;
  }
  return count_bytes + 1 + *used;
}

}  // namespace nearkin

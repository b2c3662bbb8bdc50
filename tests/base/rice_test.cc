#include "base/rice.h"

#include <algorithm>
#include <random>
#include <set>
#include <stdexcept>
#include <string_view>

#include <gtest/gtest.h>

#include "support/guarded.h"

namespace nearkin::test::rice_test {
namespace {

using Hashes = std::vector<std::uint64_t>;
constexpr std::uint64_t kMost = UINT64_MAX;

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

std::string coded(const Hashes& hashes) {
  std::string out;
  append_rice(out, hashes);
  return out;
}

Hashes random_hashes(std::size_t count, unsigned seed, unsigned shift = 0) {
  std::mt19937_64 random(seed);
  std::set<std::uint64_t> hashes;
  while (hashes.size() < count) hashes.insert(random() >> shift);
  return {hashes.begin(), hashes.end()};
}

/// Sequences of all shapes.
std::vector<Hashes> shapes() {
  std::vector<Hashes> all{
      {}, {0}, {1}, {kMost}, {0, kMost}, {kMost - 1, kMost}, {0, 1, 2}, {0, 1, 2, kMost}, {kMost - 2, kMost - 1, kMost}};
  Hashes dense, steps, powers, skewed_up, skewed_down;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    dense.push_back(i);
    steps.push_back(i * (kMost / 1000));
    skewed_up.push_back(i);
    skewed_down.push_back(kMost - 999 + i);
  }
  for (unsigned i = 0; i < 64; ++i) powers.push_back(std::uint64_t{1} << i);
  skewed_up.push_back(kMost);
  skewed_down.insert(skewed_down.begin(), 0);
  all.insert(all.end(), {dense, steps, powers, skewed_up, skewed_down});
  for (unsigned shift = 0; shift < 60; ++shift) {
    for (const std::size_t count : {1, 2, 7, 16, 60, 333}) {
      if (shift < 54 || count <= 7) all.push_back(random_hashes(count, shift * 1000 + static_cast<unsigned>(count), shift));
    }
  }
  return all;
}

TEST(Rice, GivesBackEverySequence) {
  for (const Hashes& hashes : shapes()) {
    Hashes found;
    const std::string code = coded(hashes);
    EXPECT_EQ(decode_rice(bytes_of(code), found), code.size());
    EXPECT_EQ(found, hashes);
    EXPECT_LE(code.size(), 11 + 8 * hashes.size());
  }
}

TEST(Rice, CodesFollowOneAnother) {
  std::string code = "some bytes before";
  const std::size_t before = code.size();
  Hashes all, found;
  for (const Hashes& hashes : shapes()) {
    append_rice(code, hashes);
    all.insert(all.end(), hashes.begin(), hashes.end());
  }
  EXPECT_TRUE(code.starts_with("some bytes before"));
  for (std::span<const std::byte> rest = bytes_of(code).subspan(before); !rest.empty();) {
    const std::optional<std::size_t> used = decode_rice(rest, found);
    ASSERT_TRUE(used);
    rest = rest.subspan(*used);
  }
  EXPECT_EQ(found, all);
}

TEST(Rice, TakesLittleMoreThanTheLeast) {
  const auto bytes_a_hash = [](std::size_t count) {
    std::size_t bytes = 0;
    for (unsigned seed = 0; seed < 20; ++seed) bytes += coded(random_hashes(count, seed)).size();
    return static_cast<double>(bytes) / 20 / static_cast<double>(count);
  };
  EXPECT_LT(bytes_a_hash(60), 7.55);
  EXPECT_LT(bytes_a_hash(300), 7.2);
  EXPECT_LT(bytes_a_hash(5000), 6.7);
  Hashes dense(10'000);
  for (std::size_t i = 0; i < dense.size(); ++i) dense[i] = i;
  EXPECT_LT(coded(dense).size(), dense.size() / 8 + 20) << "a bit each";
}

TEST(Rice, IsTheSameOnEveryMachine) {
  const std::string code = coded({3, 1000, 1001, 70'000, 5'000'000'000});
  std::string hex;
  for (const char c : code) {
    constexpr char kDigits[] = "0123456789abcdef";
    hex += kDigits[static_cast<unsigned char>(c) >> 4];
    hex += kDigits[static_cast<unsigned char>(c) & 15];
  }
  EXPECT_EQ(hex, "051d030000807c000000000000c38600f0084ea0000f20");
}

/// Decodes bytes that end where memory ends.
std::optional<std::size_t> decode_at_the_end(std::string_view code, Hashes& out) {
  static Guarded memory(4096);
  std::byte* const begin = memory.back<std::byte>(code.size());
  std::copy_n(std::as_bytes(std::span(code)).begin(), code.size(), begin);
  return decode_rice({begin, code.size()}, out);
}

TEST(Rice, NoticesWhatIsCutOffAnywhere) {
  for (const Hashes& hashes : {random_hashes(60, 1), random_hashes(3, 2), Hashes{kMost}, Hashes{0, 1, 2, 3}, random_hashes(200, 3, 50)}) {
    const std::string code = coded(hashes);
    for (std::size_t size = 0; size < code.size(); ++size) {
      Hashes found{7};
      EXPECT_EQ(decode_at_the_end(std::string_view(code).substr(0, size), found), std::nullopt);
      EXPECT_EQ(found, Hashes{7}) << "nothing is added";
    }
    Hashes found;
    EXPECT_EQ(decode_at_the_end(code, found), code.size());
    EXPECT_EQ(found, hashes);
  }
}

TEST(Rice, NeverGivesHashesThatDoNotAscend) {
  std::mt19937_64 random(9);
  std::size_t refused = 0;
  for (int i = 0; i < 200'000; ++i) {
    const auto seed = static_cast<unsigned>(i);
    std::string code = i % 2 == 0 ? coded(random_hashes(random() % 20, seed, seed % 50)) : std::string(random() % 60, '\0');
    for (std::size_t at = 0; at < code.size(); ++at) {
      if (i % 2 == 1 || random() % 16 == 0) code[at] = static_cast<char>(random() >> (random() % 3 * 8));
    }
    Hashes found;
    const std::optional<std::size_t> used = decode_rice(bytes_of(code), found);
    refused += !used;
    ASSERT_TRUE(!used || *used <= code.size());
    ASSERT_TRUE(used || found.empty());
    ASSERT_EQ(std::adjacent_find(found.begin(), found.end(), std::greater_equal<>()), found.end());
  }
  EXPECT_GT(refused, 10'000U);
}

TEST(Rice, RefusesANumberOfHashesThatTheBytesCannotHold) {
  Hashes found;
  for (const char parameter : {'\0', '\x01', '\x3f', '\x40', '\x41', '\xff'}) {
    const std::string huge = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01" + std::string(1, parameter) + std::string(100, '\x5a');
    EXPECT_EQ(decode_rice(bytes_of(huge), found), std::nullopt);
  }
  EXPECT_EQ(decode_rice(bytes_of(std::string(20, '\xff')), found), std::nullopt) << "a number of more than 64 bits";
  EXPECT_EQ(found.capacity(), 0U) << "no memory was asked for";
}

TEST(Rice, RefusesToCodeWhatDoesNotAscend) {
  for (const Hashes& hashes : {Hashes{1, 1}, Hashes{2, 1}, Hashes{0, 5, 4, 9}, Hashes{kMost, 0}}) {
    std::string out = "as it was";
    EXPECT_THROW(append_rice(out, hashes), std::invalid_argument);
    EXPECT_EQ(out, "as it was");
  }
}

}  // namespace
}  // namespace nearkin::test::rice_test

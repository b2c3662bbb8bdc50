#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "base/hash.h"
#include "kernel/kernel.h"
#include "support/guarded.h"
#include "support/instruction_sets.h"

namespace nearkin::counts_test {
namespace {

TEST(CountKernel, AddsTheBitsOfAnyNumberOfStrings) {
  test::with_each_instruction_set([] {
    SplitMix random(1);
    test::Guarded guarded{1 << 14};
    for (std::size_t words = 0; words <= 20; ++words) {
      for (const std::size_t count : {0, 1, 2, 3, 7, 14, 15, 16, 31, 61}) {
        std::vector<std::vector<std::uint64_t>> strings(count, std::vector<std::uint64_t>(words));
        std::vector<const std::uint64_t*> maps;
        std::uint16_t* const counts = guarded.back<std::uint16_t>(64 * words);
        std::vector<std::uint16_t> expected(64 * words);
        for (std::size_t i = 0; i < expected.size(); ++i) counts[i] = expected[i] = static_cast<std::uint16_t>(random() % 1000);
        for (std::size_t s = 0; s < count; ++s) {
          for (std::uint64_t& word : strings[s]) word = s % 5 == 0 ? ~std::uint64_t{0} : random();
          for (std::size_t i = 0; i < expected.size(); ++i)
            expected[i] = static_cast<std::uint16_t>(expected[i] + (strings[s][i / 64] >> i % 64 & 1));
          maps.push_back(strings[s].data());
        }
        std::vector<std::uint16_t> twin(counts, counts + 64 * words);
        kernel::add_bits(maps.data(), count, words, counts);
        kernel::scalar::add_bits(maps.data(), count, words, twin.data());
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), counts)) << words << " words of " << count;
        ASSERT_EQ(twin, expected);
      }
    }
  });
}

TEST(CountKernel, MarksCountsThatReachABound) {
  test::with_each_instruction_set([] {
    SplitMix random(2);
    test::Guarded guarded{1 << 14};
    for (std::size_t words = 0; words <= 20; ++words) {
      for (const int least : {0, 1, 2, 300, 32767, 32768, 65535}) {
        std::uint16_t* const counts = guarded.back<std::uint16_t>(64 * words);
        for (std::size_t i = 0; i < 64 * words; ++i) {
          counts[i] = static_cast<std::uint16_t>(i % 3 == 0 ? random() : static_cast<std::uint64_t>(least) + random() % 3 - 1);
        }
        std::vector<std::uint64_t> marks(words, 1), twin(words, 2);
        kernel::mark_at_least(counts, words, static_cast<std::uint16_t>(least), marks.data());
        kernel::scalar::mark_at_least(counts, words, static_cast<std::uint16_t>(least), twin.data());
        for (std::size_t i = 0; i < 64 * words; ++i) ASSERT_EQ(marks[i / 64] >> i % 64 & 1, counts[i] >= least) << i;
        ASSERT_EQ(marks, twin);
      }
    }
  });
}

}  // namespace
}  // namespace nearkin::counts_test

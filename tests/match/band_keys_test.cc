// The buckets of one sketch.
#include <gtest/gtest.h>

#include <nearkin/error.h>
#include <nearkin/tools/describe.h>

namespace nearkin::band_keys_test {
namespace {

TEST(BandKeys, ABucketChangesWithTheRowsOfItsBandAlone) {
  const BandPlan plan{.bands = 3, .rows = 2};
  std::vector<std::uint32_t> slots{1, 2, 3, 4, 5, 6, 7};  // the seventh is in no band
  const std::vector<std::uint32_t> before = band_keys(slots, plan);
  ASSERT_EQ(before.size(), 3u);
  for (std::size_t slot = 0; slot < slots.size(); ++slot) {
    std::vector<std::uint32_t> changed = slots;
    ++changed[slot];
    const std::vector<std::uint32_t> after = band_keys(changed, plan);
    for (std::size_t band = 0; band < 3; ++band) EXPECT_EQ(after[band] != before[band], slot / 2 == band) << slot << " " << band;
  }
}

TEST(BandKeys, ItemsThatAgreeInAKeyAreCandidatesAndOthersAreNot) {
  const BandPlan plan{.bands = 2, .rows = 2};
  Sketches sketches{.hashes = 4, .slots = {1, 2, 3, 4, 1, 2, 9, 9, 1, 9, 3, 9}, .empty = {0, 0, 0}};
  EXPECT_EQ(band_keys(sketches[0], plan)[0], band_keys(sketches[1], plan)[0]);
  EXPECT_NE(band_keys(sketches[0], plan)[1], band_keys(sketches[2], plan)[1]);
  EXPECT_EQ(candidates(sketches, plan), (Pairs{{0, 1}}));
}

TEST(BandKeys, TooFewSlotsAreRefused) {
  const std::vector<std::uint32_t> slots(5);
  try {
    band_keys(slots, {.bands = 3, .rows = 2});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "bands: 3 of 2 rows need 6 hashes, the sketch has 5; use fewer of either");
  }
}

}  // namespace
}  // namespace nearkin::band_keys_test

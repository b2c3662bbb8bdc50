#include "query/asking.h"

#include <set>

#include <gtest/gtest.h>

#include "base/hash.h"

namespace nearkin::met_rows_test {
namespace {

TEST(MetRows, AreMetOnceUntilTheyAreForgotten) {
  MetRows met;
  SplitMix random(3);
  for (int round = 0; round < 20; ++round) {
    std::set<Row> model;
    EXPECT_FALSE(met.contains(0));
    for (int i = 0; i < 50 * round; ++i) {
      const Row row = i % 7 == 0 ? UINT32_MAX - static_cast<Row>(random() % 3) : static_cast<Row>(random() % 400);
      EXPECT_EQ(met.contains(row), model.contains(row));
      EXPECT_EQ(met.insert(row), model.insert(row).second);
    }
    met.clear();
  }
}

}  // namespace
}  // namespace nearkin::met_rows_test

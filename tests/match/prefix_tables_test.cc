#include "match/prefix_tables.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "base/hash.h"
#include "match/angle_filter.h"

namespace nearkin::prefix_tables_test {
namespace {

struct Coded {
  PrefixShape shape;
  std::vector<Row> members;
  std::vector<std::uint64_t> codes;  // table after table
  std::uint64_t code(std::uint32_t table, std::size_t i) const { return codes[table * members.size() + i]; }
};

Coded random_codes(const PrefixShape& shape, std::size_t items, std::uint64_t seed) {
  Coded coded{.shape = shape, .members = {}, .codes = {}};
  SplitMix random(seed);
  for (std::size_t i = 0; i < items; ++i) coded.members.push_back(static_cast<Row>(3 * i + random() % 3));
  const unsigned bits = shape.depth * shape.digit_bits;
  for (std::size_t i = 0; i < items * shape.tables; ++i) coded.codes.push_back(random() >> (64 - bits));
  return coded;
}

std::set<Row> sharing(const Coded& coded, std::uint32_t table, std::uint64_t query, std::uint32_t depth) {
  std::set<Row> rows;
  const unsigned shift = (coded.shape.depth - depth) * coded.shape.digit_bits;
  for (std::size_t i = 0; i < coded.members.size(); ++i) {
    if (depth == 0 || coded.code(table, i) >> shift == query >> shift) rows.insert(coded.members[i]);
  }
  return rows;
}

void expect_walk_meets_sharing(const Coded& coded, std::span<const std::uint64_t> query) {
  const PrefixTables tables(coded.shape, coded.codes, coded.members, 2);
  PrefixWalk walk;
  walk.start(tables, query);
  std::vector<std::set<Row>> met(coded.shape.tables);
  for (std::uint32_t depth = coded.shape.depth + 1; depth-- > 0;) {
    for (std::uint32_t table = 0; table < coded.shape.tables; ++table) {
      const PrefixWalk::Added added = walk.extend(table, depth);
      for (const Row row : added.before) EXPECT_TRUE(met[table].insert(row).second) << "met twice";
      for (const Row row : added.behind) EXPECT_TRUE(met[table].insert(row).second) << "met twice";
      EXPECT_EQ(met[table], sharing(coded, table, query[table], depth)) << "table " << table << " depth " << depth;
    }
  }
}

TEST(PrefixTables, WalkMeetsWhatSharesAPrefixEachOnce) {
  for (const PrefixShape shape : {PrefixShape{3, 24, 1}, PrefixShape{2, 16, 2}, PrefixShape{4, 8, 8}, PrefixShape{1, 1, 1}}) {
    for (const std::size_t items : {0u, 1u, 300u}) {
      const Coded coded = random_codes(shape, items, items + shape.depth);
      std::vector<std::uint64_t> query;
      SplitMix random(77);
      for (std::uint32_t table = 0; table < shape.tables; ++table) {
        // A stranger in the first table; in the others close to a member, or the member itself.
        const std::uint64_t stranger = random() >> (64 - shape.depth * shape.digit_bits);
        query.push_back(table == 0 || items == 0 ? stranger : coded.code(table, items / 2) ^ (table % 2));
      }
      expect_walk_meets_sharing(coded, query);
    }
  }
}

TEST(PrefixTables, AreInOrderOfCodeAndThenRow) {
  Coded coded = random_codes({2, 4, 1}, 200, 4);
  const PrefixTables tables(coded.shape, coded.codes, coded.members, 1);
  for (std::uint32_t table = 0; table < 2; ++table) {
    for (std::size_t i = 1; i < tables.items(); ++i) {
      EXPECT_LT(std::pair(tables.codes(table)[i - 1], tables.rows(table)[i - 1]), std::pair(tables.codes(table)[i], tables.rows(table)[i]));
    }
  }
}

double miss(double p, const PrefixShape& shape, std::uint32_t depth, std::uint32_t done) {
  const double first = std::pow(1 - std::pow(p, depth), done);
  return depth == shape.depth ? first : first * std::pow(1 - std::pow(p, depth + 1), shape.tables - done);
}

TEST(StopLevels, AreTheLeastAgreementsThatKeepTheFailureDown) {
  const PrefixShape shape{40, 24, 1};
  const double failure = 0.07;
  const StopLevels levels(shape, failure);
  for (std::uint32_t depth = 1; depth <= shape.depth; ++depth) {
    for (std::uint32_t done = 1; done <= shape.tables; ++done) {
      const double p = levels.least_agreement(depth, done);
      EXPECT_LE(miss(p, shape, depth, done), failure + 1e-9);
      EXPECT_GT(miss(p - 1e-6, shape, depth, done), failure);
    }
  }
}

TEST(StopLevels, LetEverythingStopWhereEverythingWasSeen) { EXPECT_EQ(StopLevels({10, 5, 1}, 0.01).least_agreement(0, 1), 0); }

TEST(StopLevels, NeverStopWithoutFailureAllowedBeforeAllWasSeen) {
  const StopLevels levels({10, 5, 1}, 0.0);
  EXPECT_EQ(levels.least_agreement(5, 1), 1);
  EXPECT_EQ(levels.least_agreement(1, 10), 1);
}

// Σ C(n, i) pⁱ (1−p)^(n−i) over i ≥ k, by logarithms of factorials.
double tail(std::uint32_t n, double p, std::uint32_t k) {
  double sum = 0;
  for (std::uint32_t i = k; i <= n; ++i) {
    sum += std::exp(std::lgamma(n + 1.0) - std::lgamma(i + 1.0) - std::lgamma(n - i + 1.0) + i * std::log(p) + (n - i) * std::log1p(-p));
  }
  return sum;
}

TEST(AngleFilter, PassesOverOnlyWhatANearVectorSeldomIs) {
  for (const std::uint32_t bits : {64u, 512u, 1000u}) {
    const double allowed = 0.02;
    const AngleFilter filter(bits, allowed);
    EXPECT_EQ(filter.bits(), bits);
    EXPECT_EQ(filter.passes_above(0), 1);
    for (std::uint32_t different = 1; different <= bits; different += 7) {
      const double p = std::acos(filter.passes_above(different)) / std::acos(-1.0);
      EXPECT_LE(tail(bits, p, different), allowed * (1 + 1e-6)) << different;
      EXPECT_GT(tail(bits, std::min(p + 1e-5, 1 - 1e-12), different), allowed) << different;
      EXPECT_LE(filter.passes_above(different), filter.passes_above(different - 1)) << different;
    }
  }
}

}  // namespace
}  // namespace nearkin::prefix_tables_test

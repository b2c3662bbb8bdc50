#include <algorithm>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include <nearkin/error.h>
#include <nearkin/tools/theory.h>

namespace nearkin::teaching_test {
namespace {

using Columns = std::vector<std::vector<std::uint32_t>>;

/// Rows of a 0/1 matrix ("1010") to the rows of each column, counted from 0.
Columns columns_of(const std::vector<std::string>& rows) {
  Columns columns(rows[0].size());
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (rows[row][c] == '1') columns[c].push_back(row);
    }
  }
  return columns;
}

/// The ranks of rows that are looked at in the given order (rows counted from 1).
std::vector<std::uint32_t> ranks_of_order(const std::vector<std::uint32_t>& order) {
  std::vector<std::uint32_t> ranks(order.size());
  for (std::uint32_t place = 0; place < order.size(); ++place) ranks[order[place] - 1] = place + 1;
  return ranks;
}

template <typename Signature>
double agreement(const Signature& signature, std::size_t a, std::size_t b) {
  double equal = 0;
  for (const auto& line : signature) equal += line[a] == line[b];
  return equal / static_cast<double>(signature.size());
}

/// The share of all permutations of the rows in which two columns have the same min-hash: their Jaccard similarity, exactly.
double agreement_over_all_permutations(const Columns& columns, std::uint32_t rows, std::size_t a, std::size_t b) {
  std::vector<std::uint32_t> rank(rows);
  std::iota(rank.begin(), rank.end(), 1);
  std::vector<std::vector<std::uint32_t>> all;
  do all.push_back(rank);
  while (std::next_permutation(rank.begin(), rank.end()));
  return agreement(minhash_by_permutations(columns, all), a, b);
}

TEST(HammingDistance, CountsThePositionsThatDiffer) {
  EXPECT_EQ(hamming_distance("1011101", "1001001"), 2u);
  EXPECT_EQ(hamming_distance("1110101", "1111101"), 1u);
  EXPECT_EQ(hamming_distance("", ""), 0u);
}

TEST(HammingDistance, RefusesUnequalLengths) {
  try {
    hamming_distance("101", "1010");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::data);
    EXPECT_STREQ(error.what(), "hamming distance: the bit strings have 3 and 4 positions; they must be equally long");
  }
}

TEST(MinHash, AgreesOverAllPermutationsAsOftenAsJaccardSays) {
  const Columns columns = columns_of({"1110", "1101", "0101", "0001", "1001", "1110", "1010"});
  EXPECT_DOUBLE_EQ(agreement_over_all_permutations(columns, 7, 0, 1), 1.0 / 2);
  EXPECT_DOUBLE_EQ(agreement_over_all_permutations(columns, 7, 0, 2), 3.0 / 5);
  EXPECT_DOUBLE_EQ(agreement_over_all_permutations(columns, 7, 0, 3), 2.0 / 7);
  EXPECT_DOUBLE_EQ(agreement_over_all_permutations(columns, 7, 1, 2), 2.0 / 5);
  EXPECT_DOUBLE_EQ(agreement_over_all_permutations(columns, 7, 1, 3), 1.0 / 3);
  EXPECT_DOUBLE_EQ(agreement_over_all_permutations(columns, 7, 2, 3), 0.0);
}

TEST(MinHash, GivesThreeEighthsForThreeOfEightAndThreeQuartersForTheBitStrings) {
  const Columns sets = {{0, 1, 2, 3, 4}, {2, 3, 4, 5, 6, 7}};
  EXPECT_DOUBLE_EQ(agreement_over_all_permutations(sets, 8, 0, 1), 3.0 / 8);
  const Columns strings = columns_of({"11", "00", "10", "11", "11"});  // 10111 against 10011
  EXPECT_DOUBLE_EQ(agreement_over_all_permutations(strings, 5, 0, 1), 3.0 / 4);
}

TEST(MinHashByPermutations, GivesTheSignaturesOfTheSevenRowMatrix) {
  const Columns columns = columns_of({"1010", "1001", "0101", "0101", "0101", "1010", "1010"});
  const std::vector<std::vector<std::uint32_t>> ranks = {{2, 3, 7, 6, 1, 5, 4}, {4, 2, 1, 3, 6, 7, 5}, {3, 4, 7, 2, 6, 1, 5}};
  const auto signature = minhash_by_permutations(columns, ranks);
  EXPECT_EQ(signature, (std::vector<std::vector<std::uint32_t>>{{2, 1, 2, 1}, {2, 1, 4, 1}, {1, 2, 1, 2}}));
  EXPECT_DOUBLE_EQ(agreement(signature, 0, 2), 2.0 / 3);
  EXPECT_DOUBLE_EQ(agreement(signature, 1, 3), 1);
  EXPECT_DOUBLE_EQ(agreement(signature, 0, 1), 0);
  EXPECT_DOUBLE_EQ(agreement(signature, 2, 3), 0);
  EXPECT_DOUBLE_EQ(agreement_over_all_permutations(columns, 7, 0, 2), 0.75);
  EXPECT_DOUBLE_EQ(agreement_over_all_permutations(columns, 7, 1, 3), 0.75);
  EXPECT_DOUBLE_EQ(agreement_over_all_permutations(columns, 7, 0, 1), 0);
  EXPECT_DOUBLE_EQ(agreement_over_all_permutations(columns, 7, 2, 3), 0);
}

TEST(MinHashByPermutations, GivesTheSignaturesOfTheThreeRowOrders) {
  const Columns columns = columns_of({"101", "011", "100", "101", "010"});
  const std::vector<std::vector<std::uint32_t>> orders = {{1, 2, 3, 4, 5}, {5, 4, 3, 2, 1}, {3, 4, 5, 1, 2}};
  std::vector<std::vector<std::uint32_t>> ranks;
  for (const auto& order : orders) ranks.push_back(ranks_of_order(order));
  auto signature = minhash_by_permutations(columns, ranks);
  EXPECT_DOUBLE_EQ(agreement(signature, 0, 1), 0);
  EXPECT_DOUBLE_EQ(agreement(signature, 0, 2), 2.0 / 3);
  EXPECT_DOUBLE_EQ(agreement(signature, 1, 2), 0);
  for (std::size_t p = 0; p < orders.size(); ++p) {
    for (std::uint32_t& value : signature[p]) value = orders[p][value - 1];  // the row instead of its rank
  }
  EXPECT_EQ(signature, (std::vector<std::vector<std::uint32_t>>{{1, 2, 1}, {4, 5, 4}, {3, 5, 4}}));
  EXPECT_DOUBLE_EQ(agreement_over_all_permutations(columns, 5, 0, 1), 0);
  EXPECT_DOUBLE_EQ(agreement_over_all_permutations(columns, 5, 0, 2), 1.0 / 2);
  EXPECT_DOUBLE_EQ(agreement_over_all_permutations(columns, 5, 1, 2), 1.0 / 4);
}

TEST(MinHashByPermutations, GivesTheMinHashesOfFourSmallSets) {
  const Columns columns = {{0, 3}, {2}, {1, 3, 4}, {0, 2, 3}};
  const std::vector<std::uint32_t> order = {2, 5, 1, 4, 3};
  const std::vector<std::vector<std::uint32_t>> ranks = {ranks_of_order(order)};
  const auto signature = minhash_by_permutations(columns, ranks);
  std::vector<std::uint32_t> first_rows;
  for (const std::uint32_t rank : signature[0]) first_rows.push_back(order[rank - 1]);
  EXPECT_EQ(first_rows, (std::vector<std::uint32_t>{1, 3, 2, 1}));
  EXPECT_DOUBLE_EQ(agreement_over_all_permutations(columns, 5, 0, 3), 2.0 / 3);
}

TEST(MinHashByPermutations, RefusesARowOutsideThePermutation) {
  const Columns columns = {{0, 3}};
  const std::vector<std::vector<std::uint32_t>> ranks = {{1, 2, 3}};
  EXPECT_THROW(minhash_by_permutations(columns, ranks), Error);
}

TEST(MinHashByFunctions, GivesTheSlotsOfTheOnePassExample) {
  const Columns columns = columns_of({"1001", "0010", "0101", "1011", "0010"});
  const std::vector<LinearHash> functions = {{1, 1, 5}, {3, 1, 5}};
  EXPECT_EQ(minhash_by_functions(columns, functions), (std::vector<std::vector<std::uint64_t>>{{1, 3, 0, 1}, {0, 2, 0, 0}}));
}

TEST(MinHashByFunctions, GivesTheSlotsOfTheTwoColumnExample) {
  const Columns columns = {{1, 3, 4}, {2, 3, 5}};
  const std::vector<LinearHash> functions = {{1, 0, 5}, {2, 1, 5}};
  const auto signature = minhash_by_functions(columns, functions);
  EXPECT_EQ(signature, (std::vector<std::vector<std::uint64_t>>{{1, 0}, {2, 0}}));  // C1 (1, 2), C2 (0, 0)
}

TEST(MinHashByFunctions, DoesNotLoseTheHighHalfOfTheProduct) {
  constexpr std::uint64_t kMersenne = (std::uint64_t{1} << 61) - 1;
  __extension__ using Wide = unsigned __int128;
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    const LinearHash hash{random(), random(), i % 2 ? kMersenne : random() | 1};
    const auto row = static_cast<std::uint32_t>(random());
    const Columns column = {{row}};
    const auto expected = static_cast<std::uint64_t>((static_cast<Wide>(hash.a) * row + hash.b) % hash.m);
    ASSERT_EQ(minhash_by_functions(column, std::span(&hash, 1))[0][0], expected);
  }
}

TEST(MinHashByFunctions, RefusesAZeroModulus) {
  const Columns columns = {{1}};
  const LinearHash hash{1, 1, 0};
  EXPECT_THROW(minhash_by_functions(columns, std::span(&hash, 1)), Error);
}

}  // namespace
}  // namespace nearkin::teaching_test

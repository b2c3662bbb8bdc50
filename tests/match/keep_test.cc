#include "match/keep.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <nearkin/error.h>
#include <nearkin/tools/names.h>

namespace nearkin::keep_test {
namespace {

using Rows = std::vector<Row>;
using Rule = Keep::Rule;

constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Rows order_of(Rule rule, const std::vector<std::uint64_t>& sizes, const std::vector<double>& numbers = {}) {
  return keep_order({.rule = rule, .field = ""}, sizes, numbers);
}

TEST(KeepOrder, FollowsInputOrderForwardsOrBackwards) {
  EXPECT_EQ(order_of(Rule::first, {5, 1, 9}), (Rows{0, 1, 2}));
  EXPECT_EQ(order_of(Rule::last, {5, 1, 9}), (Rows{2, 1, 0}));
}

TEST(KeepOrder, PutsLongOrShortTextsFirstAndTiesInInputOrder) {
  EXPECT_EQ(order_of(Rule::longest, {5, 9, 1, 9, 5}), (Rows{1, 3, 0, 4, 2}));
  EXPECT_EQ(order_of(Rule::shortest, {5, 9, 1, 9, 5}), (Rows{2, 0, 4, 1, 3}));
}

TEST(KeepOrder, PutsHighOrLowNumbersFirstAndTiesInInputOrder) {
  const std::vector<std::uint64_t> sizes(5);
  EXPECT_EQ(order_of(Rule::max, sizes, {0.5, -2, 7, 0.5, -0.0}), (Rows{2, 0, 3, 4, 1}));
  EXPECT_EQ(order_of(Rule::min, sizes, {0.5, -2, 7, 0.5, -0.0}), (Rows{1, 4, 0, 3, 2}));
}

TEST(KeepOrder, PutsItemsWithoutANumberLastByAnyRule) {
  const std::vector<std::uint64_t> sizes(6);
  EXPECT_EQ(order_of(Rule::max, sizes, {kAbsent, 1, -kInfinity, kAbsent, kInfinity, 1}), (Rows{4, 1, 5, 2, 0, 3}));
  EXPECT_EQ(order_of(Rule::min, sizes, {kAbsent, 1, -kInfinity, kAbsent, kInfinity, 1}), (Rows{2, 1, 5, 4, 0, 3}));
  EXPECT_EQ(order_of(Rule::max, {1, 2}, {kAbsent, kAbsent}), (Rows{0, 1}));
}

TEST(KeepOrder, OfNothingIsNothing) {
  for (const Rule rule : {Rule::first, Rule::last, Rule::longest, Rule::shortest, Rule::max, Rule::min}) {
    EXPECT_TRUE(order_of(rule, {}).empty());
  }
}

TEST(ParseKeep, ReadsEveryRuleAndWritesItBack) {
  for (const char* text : {"first", "last", "longest", "shortest", "max:score", "min:meta.date", "max:a:b"}) {
    EXPECT_EQ(to_string(parse_keep(text)), text);
  }
  EXPECT_EQ(parse_keep("max:score").rule, Rule::max);
  EXPECT_EQ(parse_keep("max:score").field, "score");
  EXPECT_EQ(parse_keep("max:a:b").field, "a:b");
}

std::string refusal(const char* text) {
  try {
    parse_keep(text, "--keep");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::plan);
    EXPECT_EQ(error.subject(), "--keep");
    return error.message();
  }
  return "accepted";
}

TEST(ParseKeep, SaysWhatIsWrong) {
  for (const char* text : {"", "First", "best", ":score", "first:score", "longest:", "max score", "first,last"}) {
    EXPECT_EQ(refusal(text), "\"" + std::string(text) + "\" is not first, last, longest, shortest, max:FIELD or min:FIELD");
  }
  EXPECT_EQ(refusal("max"), "\"max\" names no field; write max:FIELD");
  EXPECT_EQ(refusal("max:"), "\"max:\" names no field; write max:FIELD");
  EXPECT_EQ(refusal("min"), "\"min\" names no field; write min:FIELD");
}

}  // namespace
}  // namespace nearkin::keep_test

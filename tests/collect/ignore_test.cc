#include <nearkin/ignore.h>

#include <array>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include <nearkin/error.h>

#include "base/hash.h"
#include "feature/shingler.h"
#include "support/temp_dir.h"

namespace nearkin::ignore_test {
namespace {

// Words of which few are in many texts and many in few, and more of them than the smallest filter has counters.
std::vector<std::string> texts_of(std::size_t count) {
  SplitMix random(11);
  std::vector<std::string> texts(count);
  for (std::string& text : texts) {
    for (int word = 0; word < 60; ++word) {
      const std::uint64_t rare = random() % 200'000, common = random() % 40;
      text += (random() % 6 == 0 ? "c" + std::to_string(common * common) : "r" + std::to_string(rare)) + " ";
    }
  }
  return texts;
}

Input memory_input(const std::vector<std::string>& texts, const std::vector<std::string>& scopes = {}) {
  auto items = std::make_shared<MemoryItems>();
  items->texts.assign(texts.begin(), texts.end());
  items->scopes = scopes;
  Input input;
  input.memory = std::move(items);
  if (!scopes.empty()) input.scope = {Scope::Rule::across, "author"};
  return input;
}

// Shingles in more than `most` of the scopes.
std::vector<std::uint64_t> by_brute_force(const std::vector<std::string>& texts, const std::vector<std::string>& scopes,
                                          std::uint64_t most) {
  std::map<std::uint64_t, std::set<std::string>> met;
  Shingler shingler(ShinglePlan{.size = 1});
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (const std::uint64_t hash : shingler.features(texts[i])) met[hash].insert(scopes[i]);
  }
  std::vector<std::uint64_t> common;
  for (const auto& [hash, in] : met) {
    if (in.size() > most) common.push_back(hash);
  }
  return common;
}

std::vector<std::string> numbers(std::size_t count, std::size_t modulo) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(std::to_string(i % modulo));
  return names;
}

TEST(IgnoreCommon, CountsExactlyWhateverTheThreads) {
  const std::vector<std::string> texts = texts_of(3000);
  const std::vector<std::string> each = numbers(texts.size(), texts.size());
  for (const unsigned threads : {1u, 3u}) {
    for (const std::uint64_t most : {1u, 7u, 40u, 2999u}) {
      const ShinglePlan plan = ignore_common({.size = 1}, memory_input(texts), nullptr, {.items = most}, {.threads = threads});
      EXPECT_EQ(ignored_hashes(plan), by_brute_force(texts, each, most)) << most;
    }
    const ShinglePlan plan = ignore_common({.size = 1}, memory_input(texts), nullptr, {.share = ratio(0.01)}, {.threads = threads});
    EXPECT_EQ(ignored_hashes(plan), by_brute_force(texts, each, 30));
  }
}

TEST(IgnoreCommon, CountsScopesWhereTheseAreCrossed) {
  const std::vector<std::string> texts = texts_of(3000), scopes = numbers(texts.size(), 10);
  for (const std::uint64_t most : {1u, 5u, 9u}) {
    const ShinglePlan plan = ignore_common({.size = 1}, memory_input(texts, scopes), nullptr, {.items = most});
    EXPECT_EQ(ignored_hashes(plan), by_brute_force(texts, scopes, most)) << most;
  }
  const ShinglePlan half = ignore_common({.size = 1}, memory_input(texts, scopes), nullptr, {.share = ratio(0.5)});
  EXPECT_EQ(ignored_hashes(half), by_brute_force(texts, scopes, 5));
}

TEST(IgnoreCommon, CountsBothInputsAndKeepsWhatWasIgnored) {
  const std::vector<std::string> left{"a b c", "a d"}, right{"a b", "e"};
  const Input other = memory_input(right);
  ShinglePlan plan = ignore_templates({.size = 1}, memory_input({"e f"}));
  EXPECT_EQ(ignored_count(plan), 2u);
  plan = ignore_common(plan, memory_input(left), &other, {.items = 1});
  EXPECT_EQ(ignored_count(plan), 4u);  // a and b too
  const std::vector<IgnoredShingle> list = list_ignored(plan, memory_input(left), &other);
  ASSERT_EQ(list.size(), 3u);  // f occurs nowhere
  EXPECT_EQ(list[0].text, "a");
  EXPECT_EQ(list[0].items, 3u);
  EXPECT_EQ(list[1].text, "b");
  EXPECT_EQ(list[2].text, "e");
}

TEST(IgnoreCommon, TheListOfWhatWasIgnoredIsATemplateForTheSame) {
  SplitMix random(5);
  std::vector<std::string> texts(60);
  for (std::string& text : texts) {
    for (int i = 0; i < 40; ++i) text += std::array<std::string_view, 7>{"a", "a", "b", " ", "\u00E9", ", ", "."}[random() % 7];
  }
  for (const Token token : {Token::character, Token::word}) {
    for (const std::uint32_t size : {1u, 3u, 5u}) {
      const ShinglePlan plan = ignore_common({.token = token, .size = size}, memory_input(texts), nullptr, {.items = 5});
      std::vector<std::string> list;
      for (const IgnoredShingle& shingle : list_ignored(plan, memory_input(texts), nullptr)) list.push_back(shingle.text);
      ASSERT_EQ(list.size(), ignored_count(plan));
      if (list.empty()) continue;
      EXPECT_EQ(ignored_hashes(ignore_templates({.token = token, .size = size}, memory_input(list))), ignored_hashes(plan)) << size;
    }
  }
}

TEST(IgnoreCommon, AListInAFileIsReadExactlyWhateverTheInputIs) {
  const std::vector<std::string> texts(3, "int a = I(S); \u00E9\u00DF f(x, y)");
  const test::TempDir dir;
  for (const Normalise normalise : {Normalise::text, Normalise::code_identifiers}) {
    const ShinglePlan wanted{.token = Token::code, .size = 3, .normalise = normalise};
    const ShinglePlan plan = ignore_common(wanted, memory_input(texts), nullptr, {.items = 2});
    Input list;
    list.paths = {dir.write("list", ignored_list(plan, list_ignored(plan, memory_input(texts), nullptr)))};
    list.encoding = "utf-16";
    list.text = "body";
    EXPECT_GT(ignored_count(plan), 3u);
    EXPECT_EQ(ignored_hashes(ignore_templates(wanted, list)), ignored_hashes(plan));
    EXPECT_THROW(ignore_templates({.token = Token::code, .size = 2, .normalise = normalise}, list), Error);
    list.paths = {dir.write("list", ignored_list(plan, {{.items = 1, .text = "a", .hash = 1}}) + "int b;\n")};
    EXPECT_THROW(ignore_templates(wanted, list), Error);
  }
}

TEST(IgnoreCommon, RefusesWhatIsNoLimit) {
  const Input input = memory_input({"a b"});
  EXPECT_THROW(ignore_common({}, input, nullptr, {.share = Ratio{1, 1}}), Error);
  EXPECT_THROW(ignore_templates({}, memory_input({"", "  "})), Error);
}

}  // namespace
}  // namespace nearkin::ignore_test

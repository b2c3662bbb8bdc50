// Runs that fail leave nothing behind, and say why.
#include <filesystem>
#include <functional>

#include <nearkin/index.h>
#include <nearkin/tools/lists.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/report.h>
#include <nearkin/tools/sketch_file.h>

#include "support/run_support.h"

namespace nearkin::failures_test {
namespace {

using test::exact_plan;
using test::json_record;
using test::sure_plan;

class Failures : public test::Runs {
 protected:
  std::size_t files_in_folder() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(dir_.path())) ++count;
    return count;
  }
};

TEST_F(Failures, LeaveAnOutputThatExistsAsItWas) {
  dir_.write("kept", "old");
  dir_.write("removed", "old removed");
  Input input = file("docs.jsonl", json_record("a", "x") + "broken\n");
  input.strict = true;
  const Error error = test::error_of([&] { kept(input, sure_plan(), {.removed = dir_.path("removed")}); });
  EXPECT_EQ(error.code(), ErrorCode::data);
  EXPECT_EQ(without_folder(error.subject()), "docs.jsonl:2");
  EXPECT_EQ(dir_.read("kept"), "old");
  EXPECT_EQ(dir_.read("removed"), "old removed");
  EXPECT_EQ(files_in_folder(), 3u) << "temporary files are gone";
}

TEST_F(Failures, BeforeAnOutputIsPutInPlaceLeaveItAsItWas) {
  const Input input = file("docs.jsonl", json_record("a", "one two three") + json_record("b", "one two three"));
  const std::string output = dir_.write("output", "old");
  struct Stopped {};
  const RunOptions run{.before_output = [] { throw Stopped{}; }};
  Index index = Index::create(dir_.path("index"), tune({}));
  const std::vector<std::function<void()>> runs{
      [&] { dedup(input, output, sure_plan(), {}, run); },
      [&] { dedup(input, output, tune({.measure = Measure::exact}), {.bloom = 0.01}, run); },
      [&] { dedup_with_index(index, input, output, {}, run); },
      [&] { query_index(index, input, output, RowStyle::tsv, {}, run); },
      [&] { list_pairs(input, sure_plan(), {.path = output}, run); },
      [&] { list_clusters(input, sure_plan(), {.path = output}, {}, run); },
      [&] { write_sketches(input, output, tune({}), run); },
  };
  for (std::size_t i = 0; i < runs.size(); ++i) {
    EXPECT_THROW(runs[i](), Stopped) << i;
    EXPECT_EQ(dir_.read("output"), "old") << i;
  }
}

TEST_F(Failures, OfOneOutputLeaveTheOthersAsTheyWere) {
  const Input input = file("docs.jsonl", json_record("a", "x") + json_record("b", "x"));
  dir_.write("kept", "old");
  dir_.write("removed", "old removed");
  const DedupOptions options{.removed = dir_.path("removed"), .skipped = dir_.path("no/such/folder/skipped")};
  EXPECT_EQ(test::error_of([&] { kept(input, sure_plan(), options); }).code(), ErrorCode::file);
  EXPECT_EQ(dir_.read("kept"), "old");
  EXPECT_EQ(dir_.read("removed"), "old removed");
  EXPECT_EQ(files_in_folder(), 3u);
}

TEST_F(Failures, OfAFullDiskAtTheVeryEndLeaveTheOthersAsTheyWere) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  const Input input = file("docs.jsonl", json_record("a", "x") + json_record("b", "x"));
  dir_.write("removed", "old removed");
  const DedupOptions options{.removed = dir_.path("removed")};
  EXPECT_EQ(test::error_of([&] { dedup(input, "/dev/full", sure_plan(), options); }).code(), ErrorCode::file);
  EXPECT_EQ(dir_.read("removed"), "old removed");
}

TEST_F(Failures, ForAnOutputThatCannotBeWrittenComeBeforeTheWork) {
  const Input input = file("docs.jsonl", json_record("a", "x"));
  bool worked = false;
  const RunOptions run{.progress = [&](const char*, std::uint64_t, std::uint64_t) { worked = true; }};
  const std::string nowhere = dir_.path("no/such/folder/file");
  EXPECT_THROW(dedup(input, nowhere, sure_plan(), {}, run), Error);
  EXPECT_THROW(dedup(input, dir_.path("kept"), sure_plan(), {.removed = nowhere}, run), Error);
  EXPECT_THROW(dedup(input, dir_.path("kept"), sure_plan(), {.skipped = nowhere}, run), Error);
  EXPECT_FALSE(worked);
}

TEST_F(Failures, NameAnInputThatIsNotThere) {
  const Error error = test::error_of([&] { kept(test::input_from(dir_.path("none.jsonl")), sure_plan()); });
  EXPECT_EQ(error.code(), ErrorCode::file);
  EXPECT_EQ(without_folder(error.subject()), "none.jsonl");
  EXPECT_EQ(files_in_folder(), 0u);
}

TEST_F(Failures, OfStrictRunsNameARepeatedId) {
  Input input = file("docs.jsonl", json_record("a", "x") + json_record("a", "y"));
  input.strict = true;
  const Error error = test::error_of([&] { listed(input, sure_plan()); });
  EXPECT_EQ(without_folder(error.what()), "docs.jsonl:2: id \"a\" was used before, at docs.jsonl:1");
}

TEST_F(Failures, ComeWhenAFileChangesBetweenItsTwoReadings) {
  const std::string text = "one two three four five six seven eight nine ten ";
  const std::string records = json_record("a", text + "x") + json_record("b", text + "y");
  for (const bool shorter : {true, false}) {
    const Input input = file("docs.jsonl", records);
    const RunOptions run{.progress = [&](const char* stage, std::uint64_t, std::uint64_t) {
      if (std::string_view(stage) == "search") dir_.write("docs.jsonl", shorter ? "" : records + json_record("c", text));
    }};
    const Plan plan = tune({.threshold = 0.5}, {.shingle = parse_shingle("word:2")});
    const Error error = test::error_of([&] { dedup(input, dir_.path("kept"), plan, {}, run); });
    EXPECT_EQ(error.code(), ErrorCode::file);
    EXPECT_EQ(without_folder(error.what()), "docs.jsonl: changed while it was being read; run again");
    EXPECT_FALSE(std::filesystem::exists(dir_.path("kept")));
  }
}

TEST_F(Failures, OfPairsComeBeforeTooManyAreListed) {
  Input input = file("docs", "x y\nx y\nx y\nx y\n");
  input.format = Format::lines;
  EXPECT_EQ(pairs(input, sure_plan(), {.max_pairs = 6}).matches.size(), 6u);
  const Error error = test::error_of([&] { pairs(input, sure_plan(), {.max_pairs = 5}); });
  EXPECT_EQ(error.code(), ErrorCode::plan);
  EXPECT_EQ(error.subject(), "max_pairs");
  EXPECT_NE(error.message().find("6 pairs to list, the limit is 5"), std::string::npos) << error.what();
}

// Groups need enough pairs of equal items to connect them; what asks for all pairs gets all or is refused, never groups of some.
TEST_F(Failures, GroupsOfEqualItemsAcrossScopesAreWhole) {
  const MemoryItems items{.texts = {"x", "x", "x", "x"}, .scopes = {"1", "2", "3", "4"}};
  const Input scoped{.scope = {.rule = Scope::Rule::across, .field = "s"}, .memory = std::make_shared<const MemoryItems>(items)};
  const std::vector<Row> all_of_one = {0, 0, 0, 0};
  const DedupRows plain = dedup_rows(scoped, exact_plan(), {}, {.max_pairs = 5});
  EXPECT_EQ(plain.keeper, all_of_one);
  EXPECT_FALSE(plain.stats.every_pair);
  Report report;
  const DedupRows reported = dedup_rows(scoped, exact_plan(), {}, {.max_pairs = 6, .report = &report});
  EXPECT_EQ(reported.keeper, all_of_one);
  EXPECT_FALSE(reported.stats.every_pair);
  EXPECT_EQ(test::error_of([&] { dedup_rows(scoped, exact_plan(), {}, {.max_pairs = 5, .report = &report}); }).subject(), "report");
  EXPECT_EQ(test::error_of([&] { dedup_rows(scoped, exact_plan(), {}, {.max_pairs = 5, .audit = 1}); }).subject(), "audit");
}

}  // namespace
}  // namespace nearkin::failures_test

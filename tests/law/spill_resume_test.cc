// Runs that are ended in their middle and gone on with.
#include <memory>

#include <nearkin/tools/forecast.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/sketch_file.h>

#include "law/spill_support.h"

namespace nearkin::test::spill_resume_test {
namespace {

constexpr std::uint64_t kTiny = 16 << 10, kLarger = 4 << 20;  // of candidates, one part is enough with the second

struct Stopped {};

/// A run with these options, ended at the k-th word about its progress (counted from 1); 0: never.
RunOptions stopped_at(RunOptions options, std::size_t k, std::size_t* seen = nullptr) {
  const auto calls = std::make_shared<std::size_t>(0);
  options.progress = [=](const char*, std::uint64_t, std::uint64_t) {
    if (seen != nullptr) *seen = *calls + 1;
    if (++*calls == k) throw Stopped{};
  };
  return options;
}

RunOptions stopped_before_output(RunOptions options) {
  options.before_output = [] { throw Stopped{}; };
  return options;
}

RunOptions resumed(RunOptions options) {
  options.resume = true;
  return options;
}

/// Points at which to stop, all of them where they are few.
std::vector<std::size_t> points(std::size_t count, std::size_t most) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < std::min(count, most); ++i)
    chosen.push_back(1 + i * (count - 1) / std::max<std::size_t>(1, std::min(count, most) - 1));
  return chosen;
}

class Resumed : public testing::Test {
 protected:
  RunOptions options(unsigned threads = 1) const {
    return {.threads = threads, .memory = least_memory(threads), .scratch = dir_.path("scratch")};
  }
  Files units() const { return units_in(run_folder(dir_.path("scratch"))); }

  /// The run was ended: it is refused without `resume`, and gives the answer with it, taking over every unit.
  void expect_goes_on(const SpillRun& run, const Road& road, const Answer& expected, bool takes_over = true) const {
    const Files left = units();
    if (!left.empty()) {
      const std::string folder = run_folder(dir_.path("scratch"));
      const Error error = error_of([&] { run(road); });
      EXPECT_EQ(error.code(), ErrorCode::file);
      EXPECT_EQ(error.subject(), folder);
      EXPECT_NE(error.message().find("resume"), std::string::npos) << error.message();
      EXPECT_EQ(units(), left);
    }
    const Answer found = run({.options = resumed(road.options), .stage_bytes = road.stage_bytes});
    expect_same(found, expected, !road.stage_bytes);
    if (takes_over) {
      EXPECT_EQ(found.stats.resumed, left.size());
    }
    EXPECT_TRUE(is_empty_folder(dir_.path("scratch")));
  }

  void expect_goes_on_from_everywhere(const SpillRun& run, const Road& road, std::size_t most = 40, bool takes_over = true) const {
    const Answer expected = run({});
    std::size_t calls = 0;
    run({.options = stopped_at(road.options, 0, &calls), .stage_bytes = road.stage_bytes});
    ASSERT_GT(calls, 2u);
    std::size_t with_units = 0;
    for (const std::size_t k : points(calls, most)) {
      SCOPED_TRACE("stopped at " + std::to_string(k) + " of " + std::to_string(calls));
      try {
        run({.options = stopped_at(road.options, k), .stage_bytes = road.stage_bytes});
      } catch (const Stopped&) {
      }
      with_units += !units().empty();
      expect_goes_on(run, road, expected, takes_over);
    }
    EXPECT_GT(with_units, 1u);
    EXPECT_THROW(run({.options = stopped_before_output(road.options), .stage_bytes = road.stage_bytes}), Stopped);
    EXPECT_FALSE(units().empty());
    expect_goes_on(run, road, expected, takes_over);
  }

  Input mixed(int blocks = 12) const { return input_from(dir_.write("mixed.jsonl", mixed_documents(1, blocks))); }

  QuickDir dir_;
};

Plan quick_plan(const Choices& more = {}) {
  Choices choices = more;
  if (!choices.shingle) choices.shingle = parse_shingle("word:2");
  return tune({.threshold = 0.6}, choices);
}

/// Large enough for several segments, by their sketches.
Plan wide_plan() { return quick_plan({.hashes = 1024, .verify = Verify::estimate}); }

Input several_chunks(const TempDir& dir, std::uint64_t seed, bool compressed) {
  Input input;
  for (std::uint64_t i = 0; i < 5; ++i) {
    std::string bytes;
    for (const std::string& line : lines_of(mixed_documents(seed + i, 9))) {
      bytes += line.starts_with("{\"id\":\"") ? "{\"id\":\"" + std::to_string(i) + " " + line.substr(7) + "\n" : line + "\n";
    }
    const std::string name = std::to_string(seed + i) + ".jsonl";
    input.paths.push_back(compressed && i % 2 == 0 ? dir.write(name + ".gz", gzip(bytes)) : dir.write(name, bytes));
  }
  return input;
}

TEST_F(Resumed, PairsAreListedFromEveryPoint) {
  expect_goes_on_from_everywhere(pairs_run(mixed(), quick_plan()), {.options = options(1)});
  expect_goes_on_from_everywhere(pairs_run(mixed(), quick_plan()), {.options = options(2)}, 12);
}

TEST_F(Resumed, ClustersAreFormedFromEveryPoint) {
  expect_goes_on_from_everywhere(clusters_run(mixed(), quick_plan(), {.keep = {Keep::Rule::longest}}), {.options = options(2)}, 20);
}

TEST_F(Resumed, RecordsAreKeptFromEveryPoint) {
  const Input packed = input_from(dir_.write("packed.jsonl.gz", gzip(mixed_documents(2, 12))));
  expect_goes_on_from_everywhere(dedup_run(packed, quick_plan(), {.keep = {Keep::Rule::max, "n"}}), {.options = options()}, 20);
  expect_goes_on_from_everywhere(dedup_run(packed, quick_plan(), {.against = mixed()}), {.options = options()}, 20);
  expect_goes_on_from_everywhere(dedup_run(packed, tune({.measure = Measure::exact}), {.against = mixed()}), {.options = options()}, 20,
                                 false);
}

TEST_F(Resumed, SegmentsAreCollectedFromEveryPoint) {
  expect_goes_on_from_everywhere(dedup_run(several_chunks(dir_, 10, false), wide_plan()), {.options = options()}, 8);
  expect_goes_on_from_everywhere(dedup_run(several_chunks(dir_, 20, true), wide_plan(), {.against = several_chunks(dir_, 30, true)}),
                                 {.options = options(2)}, 8);
}

TEST_F(Resumed, StandardInputIsReadOnFromEveryPoint) {
  Random random(5);
  std::string all, text;  // texts so long that what is kept of them makes several segments
  for (int i = 0; i < 60; ++i) {
    text = i % 3 == 1 ? "the one before, once more: " + text : "";
    while (text.size() < 150'000) text += std::to_string(random.below(100'000)) + ' ';
    all += numbered_record(random, std::to_string(i), text) + "no record\n";
  }
  const std::string file = dir_.write("stream.jsonl", all);
  const SpillRun run = [&](const Road& road) {
    const StandardInput standard_input(file);
    return dedup_run(input_from("-"), quick_plan())(road);
  };
  RunOptions looking = options();
  looking.before_output = [&] { EXPECT_GT(count_kinds(units())["segment"], 1u); };
  EXPECT_GT(run({.options = looking}).counts.at("removed"), 0u);
  expect_goes_on_from_everywhere(run, {.options = options()}, 10);
}

TEST_F(Resumed, AGraphIsReadFromItsBeginning) {
  std::string edges;
  Random random(6);
  for (int i = 0; i < 300; ++i) {
    for (int k = 0; k < 5; ++k) edges += "n" + std::to_string(i) + " m" + std::to_string(random.below(9)) + '\n';
  }
  const Plan elements = quick_plan({.shingle = ShinglePlan{.token = Token::element, .size = 1}});
  expect_goes_on_from_everywhere(clusters_run(input_from(dir_.write("a.edges", edges)), elements), {.options = options()}, 12);
}

TEST_F(Resumed, SmallPartsAreTakenOverEachByItself) {
  const Road road{.options = options(2), .stage_bytes = kTiny};
  expect_goes_on_from_everywhere(pairs_run(mixed(40), quick_plan()), road, 16);
  expect_goes_on_from_everywhere(dedup_run(mixed(40), quick_plan(), {.linkage = Linkage::connected}), road, 8);
}

TEST_F(Resumed, SketchesAreWrittenFromEveryPoint) {
  const Input input = several_chunks(dir_, 50, true);
  const SpillRun run = [&](const Road& road) {
    const QuickDir out;
    RunStats stats = write_sketches(input, out.path("all.sketch"), wide_plan(), road.options);
    const Answer pairs = pairs_run(input_from(out.path("all.sketch")), wide_plan())({});
    return Answer{.outputs = pairs.outputs, .counts = {}, .stats = std::move(stats)};
  };
  expect_goes_on_from_everywhere(run, {.options = options()}, 8);
}

TEST_F(Resumed, WorkThatIsCutInOtherPlacesIsDoneAgain) {
  const SpillRun run = pairs_run(mixed(60), quick_plan());
  const Answer expected = run({});
  for (const auto& [before, after] : {std::pair{kTiny, kLarger}, std::pair{kLarger, kTiny}}) {
    std::size_t calls = 0;
    run({.options = stopped_at(options(), 0, &calls), .stage_bytes = before});
    std::map<std::string, std::size_t> left;
    for (const std::size_t k : points(calls, 40)) {
      SCOPED_TRACE("stopped at " + std::to_string(k) + " of " + std::to_string(calls));
      EXPECT_THROW(run({.options = stopped_at(options(), k), .stage_bytes = before}), Stopped);
      left = count_kinds(units());
      expect_same(run({.options = resumed(options()), .stage_bytes = after}), expected, false);
    }
    EXPECT_GT(left["matches"], 0u);
    EXPECT_EQ(left["candidates"] > 1, before == kTiny) << "the parts are the same";
  }
}

// Every process has other threads and another memory than the one before.
TEST_F(Resumed, MayBeEndedAgainAndAgain) {
  for (const SpillRun& run : {pairs_run(mixed(40), quick_plan()), dedup_run(mixed(40), quick_plan(), {.keep = {Keep::Rule::last}})}) {
    const Answer expected = run({});
    std::size_t ended = 0;
    std::uint64_t taken_over = 0;
    for (;;) {
      const std::size_t k = 3 + ended / 4;  // what was taken over is told of again: with the same k it would not end
      const auto threads = static_cast<unsigned>(1 + ended % 3);
      const Road road{.options = resumed(stopped_at(options(threads), k)), .stage_bytes = ended % 2 == 0 ? kTiny : kLarger};
      try {
        const Answer found = run(road);
        expect_same(found, expected, false);
        taken_over = found.stats.resumed;
        break;
      } catch (const Stopped&) {
        ++ended;
      }
    }
    EXPECT_GT(ended, 5u);
    EXPECT_GT(taken_over, quick_plan().band.bands);
    EXPECT_TRUE(is_empty_folder(dir_.path("scratch")));
  }
}

// Whatever was in the middle of being written, and whatever someone took away.
TEST_F(Resumed, AFileThatIsGoneIsMadeAgain) {
  const SpillRun run = dedup_run(several_chunks(dir_, 60, true), wide_plan());
  const Answer expected = run({});
  EXPECT_THROW(run({.options = stopped_before_output(options())}), Stopped);
  const std::string folder = run_folder(dir_.path("scratch"));
  const Files all = units();
  for (const auto& [name, bytes] : all) {
    SCOPED_TRACE(name);
    std::filesystem::create_directories(folder);
    for (const auto& [other, content] : all) put_bytes(folder + '/' + other, content);
    std::filesystem::remove(folder + '/' + name);
    put_bytes(folder + '/' + name + ".part", bytes.substr(0, bytes.size() / 2));
    expect_same(run({.options = resumed(options())}), expected);
    EXPECT_TRUE(is_empty_folder(dir_.path("scratch")));
  }
}

TEST_F(Resumed, AnInputThatChangedIsNamed) {
  const Input input = mixed();
  const SpillRun run = pairs_run(input, quick_plan());
  EXPECT_THROW(run({.options = stopped_before_output(options())}), Stopped);
  dir_.write("mixed.jsonl", mixed_documents(9, 12));
  const Error error = error_of([&] { run({.options = resumed(options())}); });
  EXPECT_EQ(error.code(), ErrorCode::file);
  EXPECT_EQ(error.subject(), input.paths[0]);
}

TEST_F(Resumed, AnotherPlanOrKeepRuleHasAFolderOfItsOwn) {
  EXPECT_THROW(dedup_run(mixed(), quick_plan())({.options = stopped_before_output(options())}), Stopped);
  const std::string folder = run_folder(dir_.path("scratch"));
  const Files left = units();
  for (const SpillRun& run :
       {dedup_run(mixed(), quick_plan({.seed = 7})), dedup_run(mixed(), quick_plan(), {.keep = {Keep::Rule::last}})}) {
    const Answer found = run({.options = options()});
    expect_same(found, run({}));
    EXPECT_EQ(found.stats.resumed, 0u);
    EXPECT_EQ(run_folder(dir_.path("scratch")), folder);
    EXPECT_EQ(units(), left);
  }
}

TEST_F(Resumed, ARunThatIsStillGoingOnIsLeftAlone) {
  const SpillRun run = pairs_run(mixed(2), quick_plan());
  std::optional<Error> error;
  RunOptions outer = options();
  outer.before_output = [&] { error = error_of([&] { run({.options = resumed(options())}); }); };
  expect_same(run({.options = outer}), run({}));
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code(), ErrorCode::file);
  EXPECT_NE(error->message().find("in use"), std::string::npos) << error->message();
}

TEST_F(Resumed, WithNothingToGoOnWithARunJustBegins) {
  const SpillRun run = pairs_run(mixed(2), quick_plan());
  const Answer found = run({.options = resumed(options())});
  expect_same(found, run({}));
  EXPECT_EQ(found.stats.resumed, 0u);
  EXPECT_TRUE(is_empty_folder(dir_.path("scratch")));
}

}  // namespace
}  // namespace nearkin::test::spill_resume_test

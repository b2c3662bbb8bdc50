// The stages of a run in files, given so little memory that each of them works in many parts.
#include <set>

#include <nearkin/tools/forecast.h>
#include <nearkin/tools/lists.h>
#include <nearkin/tools/names.h>

#include "law/spill_support.h"
#include "search/file_search.h"
#include "search/local_join.h"

namespace nearkin::test::spill_stages_test {
namespace {

constexpr std::uint64_t kTiny = 16 << 10;

/// How the work was divided, as its files show it.
struct Parts {
  std::map<std::string, std::size_t> files;    ///< by kind
  std::size_t small_runs = 0, large_runs = 0;  ///< the most of one pair file
};

Parts parts_in(const std::string& folder) {
  Parts parts;
  for (const auto& [name, bytes] : units_in(folder)) {
    ++parts.files[kind_of(name)];
    if (kind_of(name) != "pairs") continue;
    const RunFile file(folder + '/' + name);
    const auto runs = [&](std::uint32_t kind) {
      const auto is_of_kind = [&](const Section& section) { return section.kind == kind; };
      return static_cast<std::size_t>(std::count_if(file.sections().begin(), file.sections().end(), is_of_kind));
    };
    parts.small_runs = std::max(parts.small_runs, runs(kSmallPairs));
    parts.large_runs = std::max(parts.large_runs, runs(kLargePairs));
  }
  return parts;
}

/// The same answer in parts of this size as in memory. The recall comes from some of the matches only.
Parts expect_same_in_parts(const SpillRun& run, std::uint64_t stage_bytes = kTiny) {
  const QuickDir dir;
  const Answer expected = run({});
  Parts parts;
  const auto look = [&] { parts = parts_in(run_folder(dir.path("scratch"))); };
  for (const unsigned threads : {1u, 3u}) {
    SCOPED_TRACE(std::to_string(threads) + " threads");
    const RunOptions options{.threads = threads, .scratch = dir.path("scratch"), .before_output = look};
    expect_same(run({.options = options, .stage_bytes = stage_bytes}), expected, false);
    EXPECT_TRUE(is_empty_folder(dir.path("scratch")));
  }
  return parts;
}

class Stages : public testing::Test {
 protected:
  Stages()
      : mixed_(input_from(dir_.write("mixed.jsonl", mixed_documents(1, 60)))),
        boilerplate_(input_from(dir_.write("boilerplate.jsonl", boilerplate_documents(2, 300)))) {}

  QuickDir dir_;
  Input mixed_, boilerplate_;
};

Plan quick_plan(const Choices& more = {}) {
  Choices choices = more;
  choices.shingle = parse_shingle("word:2");
  return tune({.threshold = 0.6}, choices);
}

TEST_F(Stages, ListTheSamePairsInManyParts) {
  const SpillRun run = pairs_run(mixed_, quick_plan());
  const Parts parts = expect_same_in_parts(run);
  EXPECT_GT(parts.files.at("candidates"), 3u);
  EXPECT_GT(parts.files.at("sets"), 3u);
  EXPECT_EQ(parts.files.at("matches"), parts.files.at("candidates"));
  EXPECT_GT(parts.small_runs, 1u);
  const Answer answer = run({});
  EXPECT_GT(answer.stats.items * 72, 4 * kTiny) << "copies are folded in one pass";
  EXPECT_GT(answer.stats.pairs, 2048u) << "rows are listed in one part, which has 1,024 of them at the least";
}

TEST_F(Stages, ListTheSamePairsOfTwoInputsInManyParts) {
  const Parts parts =
      expect_same_in_parts(pairs_run(mixed_, quick_plan(), RowStyle::json, input_from(dir_.write("other.jsonl", mixed_documents(1, 40)))));
  EXPECT_GT(parts.files.at("candidates"), 1u);
  EXPECT_GT(parts.small_runs, 1u);
}

TEST_F(Stages, FormTheSameClustersInManyParts) {
  for (const Keep& keep : {Keep{}, Keep{Keep::Rule::longest}, Keep{Keep::Rule::max, "n"}}) {
    for (const Linkage linkage : {Linkage::connected, Linkage::star}) {
      SCOPED_TRACE(to_string(keep));
      const Parts parts = expect_same_in_parts(clusters_run(mixed_, quick_plan(), {.linkage = linkage, .keep = keep}), 4 << 10);
      EXPECT_GT(parts.files.at("candidates"), 3u);
    }
  }
  EXPECT_GT(pairs_run(mixed_, quick_plan())({}).stats.pairs, 4u * (4 << 10) / 16) << "stars are formed in one range of ranks";
}

TEST_F(Stages, KeepTheSameRecordsInManyParts) {
  expect_same_in_parts(dedup_run(mixed_, quick_plan()), 4 << 10);
  expect_same_in_parts(dedup_run(mixed_, quick_plan(), {.annotate = true}));
  expect_same_in_parts(dedup_run(mixed_, tune({.measure = Measure::exact})));
  expect_same_in_parts(dedup_run(mixed_, quick_plan(), {.keep = {Keep::Rule::last}, .against = boilerplate_}));
}

TEST_F(Stages, TakeTheSamePairsOfLargeBucketsInSlices) {
  const Plan plan = quick_plan({.large_bucket = 8});
  const Parts parts = expect_same_in_parts(pairs_run(boilerplate_, plan));
  EXPECT_GT(parts.large_runs, 1u);
  EXPECT_GT(pairs_run(boilerplate_, plan)({}).stats.buckets.not_compared, 0u);
}

TEST_F(Stages, CompareSketchesInManyParts) {
  for (const Verify verify : {Verify::estimate, Verify::none}) {
    EXPECT_GT(expect_same_in_parts(pairs_run(mixed_, quick_plan({.verify = verify}))).files.at("matches"), 3u);
    expect_same_in_parts(clusters_run(mixed_, quick_plan({.verify = verify}), {.linkage = Linkage::connected}));
  }
}

TEST_F(Stages, SayHowNearTheClosestCandidateCame) {
  const Plan plan = tune({.threshold = 0.99}, {.shingle = parse_shingle("word:2"), .bands = 40, .rows = 2});
  const SpillRun run = pairs_run(input_from(dir_.write("far.jsonl", boilerplate_documents(3, 120, 40, 12))), plan);
  EXPECT_GT(run({}).stats.closest_below, 0.8);
  EXPECT_EQ(run({}).stats.pairs, run({}).stats.copies);
  EXPECT_GT(expect_same_in_parts(run).files.at("candidates"), 1u);
}

/// The documents of `mixed_documents` in so many sources, some compressed, that they are collected in several segments.
Input many_sources(const TempDir& dir, std::uint64_t seed) {
  Input input;
  for (std::uint64_t i = 0; i < 20; ++i) {
    std::string bytes = mixed_documents(seed + i, 9);
    const std::string own = "{\"id\":\"" + std::to_string(i) + " ";
    for (std::size_t at = bytes.find("{\"id\":\""); at != std::string::npos; at = bytes.find("{\"id\":\"", at + own.size()))
      bytes.replace(at, 7, own);
    const std::string name = std::to_string(seed) + "-" + std::to_string(i) + ".jsonl";
    input.paths.push_back(i % 3 == 0 ? dir.write(name + ".gz", gzip(bytes)) : dir.write(name, bytes));
  }
  return input;
}

TEST_F(Stages, CollectInManySegments) {
  const Plan plan = quick_plan({.hashes = 1024});
  const Input input = many_sources(dir_, 100), against = many_sources(dir_, 150);
  for (const SpillRun& run : {dedup_run(input, plan), dedup_run(input, plan, {.keep = {Keep::Rule::max, "n"}}),
                              pairs_run(input, plan, RowStyle::tsv, against), dedup_run(input, plan, {.against = against})}) {
    const QuickDir scratch;
    const Answer expected = run({});
    EXPECT_GT(expected.stats.faults.count, 100u);
    for (const unsigned threads : {1u, 2u}) {
      std::size_t segments = 0;
      const auto look = [&] { segments = parts_in(run_folder(scratch.path())).files.at("segment"); };
      expect_same(run({.options = {.threads = threads, .memory = least_memory(threads), .scratch = scratch.path(), .before_output = look}}),
                  expected);
      EXPECT_GT(segments, 1u);
    }
  }
}

TEST(LocalJoin, BringsEveryPairTogetherOnceHoweverLittleFits) {
  Random random(1);
  std::vector<std::vector<std::uint64_t>> rows(300);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].assign(random.below(9), i);
  std::set<std::uint64_t> different;
  while (different.size() < 3000) {
    const std::uint64_t a = random.below(299);
    different.insert(a << 32 | random.between(a + 1, 299));
  }
  const std::vector<std::uint64_t> pairs(different.begin(), different.end());
  for (const auto& [memory, least_batches] : {std::pair<std::uint64_t, std::size_t>{1, 290}, {500, 15}, {5000, 2}, {1 << 20, 1}}) {
    std::size_t reads = 0;
    const RowBytes bytes{.size = [&](Row row) { return 8 * rows[row].size(); },
                         .read =
                             [&](std::span<const Row> wanted, const RowBytes::Use& use) {
                               ++reads;
                               EXPECT_TRUE(std::is_sorted(wanted.begin(), wanted.end()));
                               for (std::size_t i = 0; i < wanted.size(); ++i) use(0, i, std::as_bytes(std::span(rows[wanted[i]])));
                             }};
    std::vector<int> judged(pairs.size());
    join_local(pairs, bytes, memory, 1, [&](unsigned, std::size_t i, std::span<const std::byte> a, std::span<const std::byte> b) {
      ++judged[i];
      EXPECT_TRUE(std::ranges::equal(a, std::as_bytes(std::span(rows[pairs[i] >> 32]))));
      EXPECT_TRUE(std::ranges::equal(b, std::as_bytes(std::span(rows[static_cast<Row>(pairs[i])]))));
    });
    EXPECT_EQ(std::count(judged.begin(), judged.end(), 1), static_cast<std::ptrdiff_t>(pairs.size()));
    EXPECT_GE(reads / 2, least_batches) << memory;
  }
}

}  // namespace
}  // namespace nearkin::test::spill_stages_test

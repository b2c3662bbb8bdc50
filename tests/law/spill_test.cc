// One answer, in memory and in files: the same bytes and figures whatever the memory, the threads and the folder.
#include <limits>

#include <nearkin/tools/forecast.h>
#include <nearkin/tools/lists.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/sketch_file.h>

#include "law/spill_support.h"

namespace nearkin::test::spill_test {
namespace {

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;

std::vector<std::uint64_t> budgets(unsigned threads) {
  const std::uint64_t least = least_memory(threads);
  return {least, least + 16 * kMebibyte, 256 * kMebibyte, std::numeric_limits<std::uint64_t>::max()};
}

/// The answer of the run in memory, after all other roads gave the same.
Answer expect_one_answer(const SpillRun& run) {
  const QuickDir dir;
  std::filesystem::create_directory(dir.path("elsewhere"));
  const Environment temporary("TMPDIR", dir.path("elsewhere"));
  const Answer expected = run({.options = {.threads = 1}});
  EXPECT_EQ(expected.stats.scratch_bytes, 0u) << "the first run is to be held in memory";
  for (const unsigned threads : {1u, 2u, 3u}) {
    for (const std::uint64_t memory : budgets(threads)) {
      SCOPED_TRACE(std::to_string(threads) + " threads, " + bytes_text(memory));
      const Answer in_files = run({.options = {.threads = threads, .memory = memory, .scratch = dir.path("scratch")}});
      expect_same(in_files, expected);
      EXPECT_GT(in_files.stats.scratch_bytes, 0u);
      expect_same(run({.options = {.threads = threads, .memory = memory}}), expected);
      EXPECT_TRUE(is_empty_folder(dir.path("scratch")));
      EXPECT_TRUE(is_empty_folder(dir.path("elsewhere")));
    }
  }
  return expected;
}

/// Files that memory alone asks for, in the folder that the environment names.
Answer expect_forced_to_files(const SpillRun& run, bool with_recall = true) {
  const QuickDir dir;
  const Environment temporary("TMPDIR", dir.path());
  const Answer expected = run({.options = {.threads = 1}});
  EXPECT_EQ(expected.stats.scratch_bytes, 0u);
  for (const unsigned threads : {1u, 2u}) {
    SCOPED_TRACE(std::to_string(threads) + " threads");
    std::size_t folders = 0;
    const auto look = [&] { folders += !run_folder(dir.path()).empty(); };
    const Answer found = run({.options = {.threads = threads, .memory = least_memory(threads), .before_output = look}});
    expect_same(found, expected, with_recall);
    EXPECT_GT(found.stats.scratch_bytes, 0u);
    EXPECT_EQ(folders, 1u) << "no files while the outputs were not yet in place";
    EXPECT_TRUE(is_empty_folder(dir.path()));
  }
  return expected;
}

Plan quick_plan(const Choices& more = {}) {
  Choices choices = more;
  if (!choices.shingle) choices.shingle = parse_shingle("word:2");
  return tune({.threshold = 0.6}, choices);
}

class InFiles : public testing::Test {
 protected:
  Input mixed(int blocks = 24) const { return input_from(dir_.write("mixed.jsonl", mixed_documents(1, blocks))); }
  Input other() const { return input_from(dir_.write("other.jsonl", mixed_documents(2, 6) + mixed_documents(1, 4))); }
  Input boilerplate(std::size_t count, std::size_t edits = 4) const {
    return input_from(dir_.write("boilerplate.jsonl", boilerplate_documents(3, count, 40, edits)));
  }
  Input named(const std::string& name, const std::string& bytes) const { return input_from(dir_.write(name, bytes)); }

  QuickDir dir_;
};

TEST_F(InFiles, PairsAreThoseInMemory) {
  const Answer found = expect_one_answer(pairs_run(mixed(), quick_plan()));
  EXPECT_GT(found.stats.pairs, 500u);
  EXPECT_GT(found.stats.copies, 10u);
  EXPECT_GT(found.stats.faults.count, 10u);
  EXPECT_GT(found.stats.empty, 10u);
  EXPECT_TRUE(found.stats.recall.has_value());
}

TEST_F(InFiles, PairsBetweenTwoInputsAreThoseInMemory) {
  const Answer found = expect_one_answer(pairs_run(mixed(), quick_plan(), RowStyle::json, other()));
  EXPECT_GT(found.stats.pairs, 50u);
}

TEST_F(InFiles, ClustersAreThoseInMemory) {
  for (const Linkage linkage : {Linkage::connected, Linkage::star}) {
    const Answer found = expect_one_answer(clusters_run(mixed(), quick_plan(), {.linkage = linkage}));
    EXPECT_GT(found.counts.at("clusters"), 20u);
    EXPECT_FALSE(found.outputs.at("summary").empty());
  }
  expect_one_answer(clusters_run(mixed(), quick_plan(), {.keep = {.rule = Keep::Rule::longest}}, RowStyle::tsv, 3));
}

TEST_F(InFiles, DedupKeepsWhatItKeepsInMemory) {
  const Answer found = expect_one_answer(dedup_run(mixed(), quick_plan()));
  EXPECT_GT(found.counts.at("removed"), 100u);
  EXPECT_FALSE(found.outputs.at("skipped").empty());
  expect_one_answer(dedup_run(mixed(), quick_plan(), {.linkage = Linkage::connected, .removed_as_json = true}, "kept.jsonl.gz"));
}

TEST_F(InFiles, EveryRuleOfKeepingKeepsTheSame) {
  for (const Keep& keep : {Keep{Keep::Rule::last}, Keep{Keep::Rule::longest}, Keep{Keep::Rule::shortest}, Keep{Keep::Rule::max, "n"},
                           Keep{Keep::Rule::min, "n"}}) {
    SCOPED_TRACE(to_string(keep));
    const Answer found = expect_one_answer(dedup_run(mixed(8), quick_plan(), {.keep = keep}));
    EXPECT_EQ(found.stats.numbers > 0, !keep.field.empty());
  }
  expect_one_answer(clusters_run(mixed(8), quick_plan(), {.linkage = Linkage::star, .keep = {Keep::Rule::max, "n"}}));
}

TEST_F(InFiles, DedupAgainstAnotherInputRemovesTheSame) {
  const Answer found = expect_one_answer(dedup_run(mixed(), quick_plan(), {.against = other()}));
  EXPECT_GT(found.counts.at("removed"), 20u);
  EXPECT_LT(found.counts.at("removed"), found.stats.items / 2);
}

TEST_F(InFiles, RecordsAreAnnotatedAlike) { expect_one_answer(dedup_run(mixed(), quick_plan(), {.annotate = true})); }

TEST_F(InFiles, EqualContentsAreFoundAlike) {
  const Plan exact = tune({.measure = Measure::exact});
  EXPECT_GT(expect_one_answer(dedup_run(mixed(), exact)).counts.at("removed"), 20u);
  EXPECT_GT(expect_one_answer(dedup_run(mixed(), exact, {.against = other()})).counts.at("removed"), 20u);
  EXPECT_GT(expect_one_answer(pairs_run(mixed(), exact)).stats.pairs, 20u);
  expect_one_answer(pairs_run(mixed(), exact, RowStyle::json, other()));
  expect_one_answer(clusters_run(mixed(), exact, {.keep = {Keep::Rule::last}}));
}

TEST_F(InFiles, PairsThatAreNotComparedExactlyAreTheSame) {
  for (const Verify verify : {Verify::estimate, Verify::none}) {
    const Plan plan = quick_plan({.verify = verify});
    expect_one_answer(pairs_run(mixed(12), plan));
    expect_one_answer(clusters_run(mixed(12), plan, {.linkage = Linkage::connected}));
    expect_one_answer(dedup_run(mixed(12), plan, {.against = other()}));
  }
}

TEST_F(InFiles, BagsAndWeightsAreComparedAlike) {
  ShinglePlan bag = parse_shingle("word:1");
  bag.bag = true;
  expect_one_answer(pairs_run(mixed(12), quick_plan({.shingle = bag})));
  expect_one_answer(pairs_run(mixed(12), tune({.measure = Measure::weighted_jaccard, .threshold = 0.6}, {.shingle = bag})));
}

TEST_F(InFiles, LargeBucketsGiveTheSameCandidates) {
  const Plan plan = quick_plan({.large_bucket = 8});
  const Answer found = expect_one_answer(pairs_run(boilerplate(400), plan));
  EXPECT_GT(found.stats.buckets.large, 10u);
  EXPECT_GT(found.stats.buckets.not_compared, 1000u);
  EXPECT_GT(found.stats.pairs, 400u);
  expect_one_answer(dedup_run(boilerplate(400), plan, {.keep = {Keep::Rule::longest}}));
  expect_one_answer(pairs_run(boilerplate(300), plan, RowStyle::tsv, named("others.jsonl", boilerplate_documents(4, 200))));
}

TEST_F(InFiles, NoMatchAtAllComesAsNearAsInMemory) {
  const Plan plan = tune({.threshold = 0.97}, {.shingle = parse_shingle("word:2"), .bands = 30, .rows = 2});
  const Answer found = expect_one_answer(pairs_run(boilerplate(40), plan));
  for (const std::string& row : lines_of(found.outputs.at("pairs"))) EXPECT_TRUE(row.ends_with("\t1")) << "not a copy: " << row;
  EXPECT_GT(found.stats.closest_below, 0.5);
}

TEST_F(InFiles, EveryFormatGivesTheSame) {
  const std::string documents = mixed_documents(5, 8);
  expect_one_answer(dedup_run(named("a.jsonl.gz", gzip(documents)), quick_plan()));
  expect_one_answer(dedup_run(named("a.jsonl.zst", zstd(documents)), quick_plan()));
  Random random(6);
  std::string lines, csv = "id,text,n\n", sets, edges, table = "id,a,b,c,d,e,f\n";
  for (int block = 0; block < 5; ++block) {
    for (const std::string& text : random_texts(random)) {
      std::string line;
      for (const char c : text) line += c == '\n' ? ' ' : c;
      lines += line + '\n';
      csv += std::to_string(csv.size()) + ",\"" + line + "\"," + std::to_string(random.below(9)) + '\n';
    }
  }
  for (int i = 0; i < 200; ++i) {
    sets += "s" + std::to_string(i);
    table += "t" + std::to_string(i);
    for (int k = 0; k < 6; ++k) {
      sets += ' ' + std::to_string(random.below(9));
      table += ',' + std::string(1, static_cast<char>('p' + random.below(2)));
      edges +=
          "n" + std::to_string(i) + " m" + std::to_string(random.chance(90) ? i % 40 * 6 + k : static_cast<int>(random.below(240))) + '\n';
    }
    sets += '\n';
    table += '\n';
  }
  expect_one_answer(dedup_run(named("a.lines", lines), quick_plan()));
  expect_one_answer(dedup_run(named("a.csv", csv), quick_plan(), {.keep = {Keep::Rule::max, "n"}, .annotate = true}));
  const Plan elements = quick_plan({.shingle = ShinglePlan{.token = Token::element, .size = 1}});
  EXPECT_GT(expect_one_answer(pairs_run(named("a.sets", sets), elements)).stats.pairs, 10u);
  EXPECT_GT(expect_one_answer(clusters_run(named("a.edges", edges), elements)).counts.at("clusters"), 1u);
  const Plan hamming = tune({.measure = Measure::hamming, .radius = 1}, {.kind = Kind::shingles, .dimensions = 6});
  EXPECT_GT(expect_one_answer(dedup_run(named("a.table", table), hamming)).counts.at("removed"), 10u);
}

TEST_F(InFiles, SeveralSourcesStandardInputAndSketchesGiveTheSame) {
  const std::string documents = mixed_documents(7, 12);
  Input several;
  several.paths = {dir_.write("1.jsonl", documents), dir_.write("2.jsonl.gz", gzip(mixed_documents(8, 4)))};
  expect_one_answer(dedup_run(several, quick_plan()));
  const SpillRun from_stream = [&](const Road& road) {
    const StandardInput standard_input(several.paths[0]);
    return dedup_run(input_from("-"), quick_plan())(road);
  };
  expect_one_answer(from_stream);
  write_sketches(several, dir_.path("all.sketch"), quick_plan());
  expect_one_answer(dedup_run(input_from(dir_.path("all.sketch")), quick_plan()));
  const Answer by_sketch = dedup_run(input_from(dir_.path("all.sketch")), quick_plan())({});
  EXPECT_EQ(by_sketch.outputs.at("kept"), dedup_run(several, quick_plan())({}).outputs.at("kept"));
}

TEST_F(InFiles, InputsWithoutPairsGiveTheSame) {
  const std::string one = json_record("one", "a text that stands alone");
  for (const std::string& bytes :
       {std::string(), one, "no record\n" + one, json_record("nothing", ""), one + json_record("two", "a text that stands alone")}) {
    SCOPED_TRACE(bytes);
    const Input input = named("few.jsonl", bytes);
    expect_one_answer(pairs_run(input, quick_plan()));
    expect_one_answer(clusters_run(input, quick_plan()));
    expect_one_answer(dedup_run(input, quick_plan()));
    expect_one_answer(dedup_run(input, quick_plan(), {.against = named("one.jsonl", one)}));
    expect_one_answer(pairs_run(named("one.jsonl", one), quick_plan(), RowStyle::tsv, input));
    expect_one_answer(dedup_run(input, tune({.measure = Measure::exact}), {.against = named("one.jsonl", one)}));
  }
}

TEST_F(InFiles, GoesWhatMemoryCannotHold) {
  const Plan plan = quick_plan({.hashes = 1024, .verify = Verify::estimate});  // five bytes a hash
  const Answer found = expect_forced_to_files(dedup_run(mixed(140), plan));
  EXPECT_GT(found.stats.items, 4000u);
  expect_forced_to_files(clusters_run(named("packed.jsonl.gz", gzip(mixed_documents(9, 140))), plan));  // how much it is shows late
}

TEST_F(InFiles, GoesTheSecondInputAndThenTheFirst) {
  const Plan plan = quick_plan({.hashes = 1024, .verify = Verify::estimate});
  const Input large = named("large.jsonl.gz", gzip(mixed_documents(10, 120)));
  expect_forced_to_files(dedup_run(mixed(12), plan, {.against = large}));
  expect_forced_to_files(pairs_run(mixed(12), plan, RowStyle::json, large));
}

// The recall comes from some of the matches where they are as many as here.
TEST_F(InFiles, GoCandidatesThatMemoryCannotHold) {
  const Plan plan = quick_plan({.bands = 4, .rows = 1, .large_bucket = 100'000});
  const Answer found = expect_forced_to_files(pairs_run(boilerplate(900, 2), plan), false);
  EXPECT_GT(found.stats.candidates, 300'000u);
  expect_forced_to_files(dedup_run(boilerplate(700, 2), plan, {.against = named("others.jsonl", boilerplate_documents(11, 700, 40, 2))}),
                         false);
  expect_forced_to_files(
      clusters_run(named("b.jsonl.zst", zstd(boilerplate_documents(12, 900, 40, 2))), plan, {.keep = {Keep::Rule::longest}}), false);
}

/// Lines of numbers, every third near the one before.
std::string near_numbers(std::size_t rows, std::size_t places, double apart) {
  Random random(31);
  std::string lines;
  std::vector<double> row(places);
  const auto share = [&] { return static_cast<double>(random.below(1000)) / 1000; };
  for (std::size_t i = 0; i < rows; ++i) {
    for (double& number : row) number = i % 3 == 1 ? number + apart * share() : 2 * share() - 1;
    for (std::size_t k = 0; k < places; ++k) lines += (k == 0 ? "" : ",") + std::to_string(row[k]);
    lines += i % 20 == 7 ? ",5\n" : "\n";  // one number too many
  }
  return lines;
}

/// index:value, every third like the one before but for one entry.
std::string near_entries(std::size_t rows) {
  Random random(32);
  std::string lines;
  std::map<std::uint64_t, std::uint64_t> row;
  for (std::size_t i = 0; i < rows; ++i) {
    if (i % 3 != 1) row.clear();
    for (std::size_t k = 0; k < (i % 3 == 1 ? 1 : 3 + random.below(9)); ++k) row[random.below(400)] = 1 + random.below(9);
    for (const auto& [index, value] : row) lines += std::to_string(index) + ':' + std::to_string(value) + ' ';
    lines += '\n';
  }
  return lines;
}

std::string near_bits(std::size_t rows, std::size_t places) {
  Random random(33);
  std::string lines, row(places, '0');
  for (std::size_t i = 0; i < rows; ++i) {
    for (char& bit : row) bit = i % 3 != 1 ? static_cast<char>('0' + random.below(2)) : bit;
    row[random.below(places)] ^= 1;
    lines += row + '\n';
  }
  return lines;
}

/// Every command over vectors, in parts too small for two of them as well.
void expect_alike(const Input& input, const Input& other, const Plan& plan) {
  SCOPED_TRACE(to_string(plan));
  const QuickDir dir;
  for (const SpillRun& run : {pairs_run(input, plan), pairs_run(input, plan, RowStyle::json, other), dedup_run(input, plan),
                              dedup_run(input, plan, {.keep = {Keep::Rule::last}, .against = other}),
                              clusters_run(input, plan, {.linkage = Linkage::star}), clusters_run(input, plan)}) {
    const Answer found = expect_one_answer(run);
    EXPECT_GT(found.stats.items, 100u);
    const Answer in_parts = run({.options = {.threads = 2, .scratch = dir.path("scratch")}, .stage_bytes = 2000});
    EXPECT_EQ(in_parts.outputs, found.outputs);
  }
}

TEST_F(InFiles, VectorsAreComparedAsInMemory) {
  const auto numbers = [&](const std::string& name, std::size_t rows, double apart) {
    Input input = named(name, near_numbers(rows, 12, apart));
    input.format = Format::dense;
    input.header = false;
    return input;
  };
  const Input dense = numbers("a.csv", 240, 0.01), other = numbers("b.csv", 120, 0.02);
  for (const double recall : {0.9, 1.0}) {
    expect_alike(dense, other, tune({.measure = Measure::cosine, .threshold = 0.95, .recall = recall}, {.kind = Kind::numbers}));
    expect_alike(dense, other, tune({.measure = Measure::euclidean, .recall = recall, .radius = 0.1}, {.kind = Kind::numbers}));
    expect_alike(dense, other, tune({.measure = Measure::manhattan, .recall = recall, .radius = 0.2}, {.kind = Kind::numbers}));
    expect_alike(dense, other,
                 tune({.measure = Measure::hamming, .recall = recall, .radius = 1}, {.binarise = Binarise::sign, .dimensions = 12}));
    const Input sparse = named("a.sparse", near_entries(240)), more = named("b.sparse", near_entries(120));
    expect_alike(sparse, more, tune({.measure = Measure::cosine, .threshold = 0.8, .recall = recall}, {.kind = Kind::numbers}));
    expect_alike(sparse, more, tune({.measure = Measure::weighted_jaccard, .threshold = 0.6, .recall = recall}, {.kind = Kind::numbers}));
    expect_alike(named("a.bits", near_bits(240, 100)), named("b.bits", near_bits(120, 100)),
                 tune({.measure = Measure::hamming, .recall = recall, .radius = 3}, {.kind = Kind::bits, .dimensions = 100}));
  }
}

TEST_F(InFiles, ContainmentFindsTheSame) {
  const Plan plan = tune({.measure = Measure::containment, .threshold = 0.6}, {.shingle = parse_shingle("word:2")});
  EXPECT_GT(expect_one_answer(pairs_run(mixed(12), plan)).stats.pairs, 100u);
  expect_alike(mixed(12), other(), plan);
}

TEST_F(InFiles, GoVectorsThatMemoryCannotHold) {
  Input input = named("large.csv.gz", gzip(near_numbers(60'000, 24, 0.01)));
  input.format = Format::dense;
  input.header = false;
  expect_forced_to_files(dedup_run(input, tune({.measure = Measure::cosine, .threshold = 0.99}, {.kind = Kind::numbers})));
}

TEST_F(InFiles, RunsThatCannotGoThereSayWhatTheyNeed) {
  const Plan weighed = tune({.measure = Measure::cosine, .threshold = 0.6}, {.shingle = parse_shingle("word:2"), .kind = Kind::tfidf});
  const RunOptions scratch{.scratch = dir_.path("scratch")};
  const Error refused = error_of([&] { list_pairs(mixed(1), weighed, {.path = dir_.path("out")}, scratch); });
  EXPECT_EQ(refused.code(), ErrorCode::plan);
  EXPECT_EQ(refused.subject(), "scratch");
  const Error too_little =
      error_of([&] { list_pairs(mixed(1), quick_plan(), {.path = dir_.path("out")}, {.threads = 2, .memory = least_memory(2) - 1}); });
  EXPECT_EQ(too_little.code(), ErrorCode::plan);
  EXPECT_EQ(too_little.subject(), "memory");
  EXPECT_NE(too_little.message().find(bytes_text(least_memory(2))), std::string::npos) << too_little.message();
  EXPECT_TRUE(is_empty_folder(dir_.path("scratch")));
}

}  // namespace
}  // namespace nearkin::test::spill_test

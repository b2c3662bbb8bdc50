#include "io/source/for_each_batch.h"

#include <atomic>

#include "io/io_support.h"

namespace nearkin::test::for_each_batch_test {
namespace {

std::string many_lines(std::size_t count) {
  std::string lines;
  for (std::size_t i = 0; i < count; ++i) lines += "line number " + std::to_string(i) + " with some words behind it\n";
  return lines;
}

TEST(ForEachBatch, UsesBatchesInOrderWhateverTheThreads) {
  TempDir dir;
  const Input input = input_of(dir.write("a.lines", many_lines(100'000)));
  const Items expected = read_items(input);
  for (const unsigned threads : {1U, 2U, 5U}) {
    struct Copy : ReadBatch {
      Texts texts;
    };
    Sources sources(input, false);
    RunStats stats;
    Texts all;
    std::uint64_t told = 0;
    Reading reading{.threads = threads, .stats = &stats};
    reading.progress = [&](const char*, std::uint64_t done, std::uint64_t) { told = done; };
    const auto tools = for_each_batch(
        sources, reading, [](unsigned) { return Copy(); },
        [](Copy& copy) {
          copy.texts.clear();
          for (Row i = 0; i < copy.batch.items.size(); ++i) copy.texts.emplace_back(copy.batch.items.text(i));
        },
        [&](const Copy& copy) { all.insert(all.end(), copy.texts.begin(), copy.texts.end()); });
    EXPECT_LE(tools.size(), threads);
    EXPECT_EQ(stats.items, expected.size());
    EXPECT_EQ(told, sources.total_bytes());
    ASSERT_EQ(all.size(), expected.size());
    for (Row i = 0; i < expected.size(); ++i) ASSERT_EQ(all[i], expected.text(i));
  }
}

TEST(ForEachBatch, AsksAboutEachSourceOnceAndThrowsTheFirstErrorInOrder) {
  TempDir dir;
  Input input = input_of(dir.write("a.lines", many_lines(50'000)));
  input.paths.push_back(dir.write("b.lines", "b\n"));
  input.paths.push_back(dir.write("c.lines", "c\n"));
  Sources sources(input, false);
  std::vector<std::size_t> asked;
  std::uint64_t used = 0;
  Reading reading{.threads = 3};
  reading.on_source = [&](std::size_t source) {
    asked.push_back(source);
    if (source == 1) throw Error(ErrorCode::plan, sources.name(source), "refused");
  };
  const Error error = error_of([&] { for_each_batch(sources, reading, [&](const ReadBatch& read) { used += read.batch.items.size(); }); });
  EXPECT_EQ(error.subject(), input.paths[1]);
  EXPECT_EQ(asked, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(used, 50'000U) << "all before the error is used";
}

TEST(ForEachBatch, EndsWhereEnoughIsReadAndWhereItIsStopped) {
  TempDir dir;
  const Input input = input_of(dir.write("a.lines", many_lines(100'000)));
  Sources sources(input, false);
  std::uint64_t used = 0;
  Reading reading;
  reading.enough = [&] { return used > 0; };
  for_each_batch(sources, reading, [&](const ReadBatch& read) { used += read.batch.items.size(); });
  EXPECT_GT(used, 0U);
  EXPECT_LT(used, 100'000U);
  std::atomic<bool> stop = true;
  stop_flag = &stop;
  Sources again(input, false);
  EXPECT_EQ(error_of([&] { for_each_batch(again, {}, [](const ReadBatch&) {}); }).code(), ErrorCode::stopped);
  stop_flag = nullptr;
}

}  // namespace
}  // namespace nearkin::test::for_each_batch_test

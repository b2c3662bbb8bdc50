#include "base/parallel.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace nearkin {
namespace {

TEST(ParallelFor, CoversEachIndexOnce) {
  for (const std::size_t count : {0u, 1u, 2u, 5u, 63u, 64u, 65u, 1000u, 4097u}) {
    for (const std::size_t block : {1u, 3u, 64u, 10'000u}) {
      for (const unsigned threads : {1u, 2u, 5u, 16u}) {
        std::vector<int> visits(count);  // not atomic: each index belongs to one worker
        std::atomic<unsigned> worst{0};
        parallel_for(count, block, threads, [&](std::size_t begin, std::size_t end, unsigned worker) {
          EXPECT_LT(begin, end);
          EXPECT_LE(end - begin, block);
          EXPECT_EQ(begin % block, 0u);
          for (std::size_t i = begin; i < end; ++i) ++visits[i];
          for (unsigned seen = worst; seen < worker && !worst.compare_exchange_weak(seen, worker);) {
          }
        });
        ASSERT_EQ(visits, std::vector<int>(count, 1)) << count << " in blocks of " << block << " on " << threads;
        ASSERT_LT(worst, threads);
      }
    }
  }
}

TEST(ParallelFor, RethrowsAnException) {
  for (const unsigned threads : {1u, 4u}) {
    EXPECT_THROW(parallel_for(100, 1, threads,
                              [](std::size_t begin, std::size_t, unsigned) {
                                if (begin == 41) throw std::runtime_error("forty-one");
                              }),
                 std::runtime_error);
  }
}

TEST(RunOnThreads, RunsEachWorkerOnceAndWaitsForAll) {
  std::atomic<int> done{0};
  EXPECT_THROW(run_on_threads(4,
                              [&](unsigned worker) {
                                if (worker == 2) throw std::runtime_error("two");
                                std::this_thread::sleep_for(std::chrono::milliseconds(5));
                                ++done;
                              }),
               std::runtime_error);
  EXPECT_EQ(done, 3);
}

TEST(ThreadCount, TakesZeroAsOneForEachCore) {
  EXPECT_GE(thread_count(0), 1u);
  EXPECT_EQ(thread_count(7), 7u);
}

// Pieces 0 … count-1, of which some take longer than those after them.
struct Line {
  int count;
  int next = 0;
  std::optional<int> operator()() { return next < count ? std::optional<int>(next++) : std::nullopt; }
};

void take_a_while(int piece) {
  if (piece % 7 == 0) std::this_thread::sleep_for(std::chrono::microseconds(300));
}

TEST(OrderedPipeline, ConsumesInTheOrderOfProduction) {
  for (const int count : {0, 1, 2, 10, 500}) {
    for (const unsigned threads : {1u, 2u, 8u}) {
      Line line{count};
      std::vector<std::string> consumed, expected;
      for (int i = 0; i < count; ++i) expected.push_back(std::to_string(i));
      ordered_pipeline(
          threads, line,
          [](int&& piece, unsigned) {
            take_a_while(piece);
            return std::to_string(piece);
          },
          [&](std::string&& out) { consumed.push_back(std::move(out)); });
      ASSERT_EQ(consumed, expected) << count << " on " << threads;
    }
  }
}

TEST(OrderedPipeline, MovesPiecesThatCannotBeCopied) {
  int left = 20, sum = 0;
  ordered_pipeline(
      3, [&]() -> std::optional<std::unique_ptr<int>> { return left == 0 ? std::nullopt : std::optional(std::make_unique<int>(left--)); },
      [](std::unique_ptr<int>&& piece, unsigned) { return std::make_unique<int>(*piece * 2); },
      [&](std::unique_ptr<int>&& piece) { sum += *piece; });
  EXPECT_EQ(sum, 420);
}

enum class Place { produce, work, consume };

// Fails at piece 40 in one place and at every later piece in work; says what was consumed and thrown.
std::pair<int, std::string> run_failing(Place place, unsigned threads) {
  constexpr int kFails = 40;
  const auto fail = [](const std::string& what, int piece) { throw std::runtime_error(what + std::to_string(piece)); };
  Line line{200};
  int consumed = 0;
  try {
    ordered_pipeline(
        threads,
        [&] {
          const std::optional<int> piece = line();
          if (place == Place::produce && piece == kFails) fail("produce ", kFails);
          return piece;
        },
        [&](int&& piece, unsigned) {
          if (piece == kFails) std::this_thread::sleep_for(std::chrono::milliseconds(2));
          if (piece > kFails || (piece == kFails && place == Place::work)) fail("work ", piece);
          take_a_while(piece);
          return piece;
        },
        [&](int&& piece) {
          if (piece == kFails) fail("consume ", piece);
          ++consumed;
        });
  } catch (const std::runtime_error& error) {
    return {consumed, error.what()};
  }
  return {consumed, "nothing"};
}

TEST(OrderedPipeline, ThrowsTheErrorOfTheEarliestPieceWhateverTheThreads) {
  for (const unsigned threads : {1u, 2u, 3u, 8u}) {
    for (int turn = 0; turn < 10; ++turn) {
      ASSERT_EQ(run_failing(Place::produce, threads), std::pair(40, std::string("produce 40"))) << threads;
      ASSERT_EQ(run_failing(Place::work, threads), std::pair(40, std::string("work 40"))) << threads;
      ASSERT_EQ(run_failing(Place::consume, threads), std::pair(40, std::string("consume 40"))) << threads;
    }
  }
}

}  // namespace
}  // namespace nearkin

#include "base/parallel.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include <nearkin/error.h>

namespace nearkin::parallel_test {
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

void wait_for_up_to(unsigned microseconds, std::uint64_t seed) {
  std::this_thread::sleep_for(std::chrono::microseconds(std::minstd_rand(static_cast<unsigned>(seed * 7919 + 1))() % (microseconds + 1)));
}

// What parallel_for threw when the given blocks fail after random delays, and the blocks that were completed.
struct Outcome {
  std::string error;
  std::set<std::size_t> completed;
};

Outcome run_with_failing_blocks(const std::set<std::size_t>& failing, std::size_t count, unsigned threads, std::uint64_t seed) {
  std::mutex mutex;
  Outcome outcome;
  try {
    parallel_for(count, 1, threads, [&](std::size_t block, std::size_t, unsigned) {
      wait_for_up_to(300, seed * count + block);
      if (failing.contains(block)) throw std::runtime_error(std::to_string(block));
      const std::lock_guard lock(mutex);
      outcome.completed.insert(block);
    });
  } catch (const std::runtime_error& error) {
    outcome.error = error.what();
  }
  return outcome;
}

TEST(ParallelFor, ThrowsTheErrorOfTheLowestFailingBlockWhateverTheThreads) {
  for (const unsigned threads : {1u, 2u, 5u, 16u}) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      std::mt19937 random(static_cast<unsigned>(seed));
      std::set<std::size_t> failing;
      for (int i = 0; i < 6; ++i) failing.insert(20 + random() % 40);
      const Outcome outcome = run_with_failing_blocks(failing, 100, threads, seed);
      ASSERT_EQ(outcome.error, std::to_string(*failing.begin())) << threads << " threads, seed " << seed;
      for (std::size_t block = 0; block < *failing.begin(); ++block) ASSERT_TRUE(outcome.completed.contains(block)) << block;
    }
  }
}

TEST(ParallelFor, BeginsNoFurtherBlockAfterAFailure) {
  constexpr std::size_t kBlocks = 100'000;  // many times what can begin while the failure is noted
  std::atomic<std::size_t> begun{0};
  EXPECT_THROW(parallel_for(kBlocks, 1, 8,
                            [&](std::size_t block, std::size_t, unsigned) {
                              ++begun;
                              if (block == 20) throw std::runtime_error("twenty");
                              std::this_thread::sleep_for(std::chrono::microseconds(20));
                            }),
               std::runtime_error);
  EXPECT_LT(begun, kBlocks);
}

TEST(ParallelFor, EndsWhenTheStopFlagIsSet) {
  for (const unsigned threads : {1u, 4u}) {
    std::atomic<bool> stop{false};
    std::atomic<int> begun{0};
    stop_flag = &stop;
    try {
      parallel_for(100'000, 1, threads, [&](std::size_t, std::size_t, unsigned) { stop = ++begun >= 10; });
      ADD_FAILURE() << "was not stopped";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::stopped);
    }
    stop_flag = nullptr;
    EXPECT_LT(begun, 100'000);
  }
}

TEST(RunOnThreads, ThrowsTheErrorOfTheLowestWorkerThatFailed) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    try {
      run_on_threads(8, [&](unsigned worker) {
        wait_for_up_to(500, seed * 8 + worker);
        if (worker >= 3) throw std::runtime_error(std::to_string(worker));
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      ASSERT_STREQ(error.what(), "3");
    }
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

// Pieces that were produced although the work on piece 1 had failed while that on piece 0 went on.
int produced_after_a_failure() {
  std::atomic<bool> failing{false};
  int produced = 0;
  EXPECT_THROW(ordered_pipeline(
                   2, [&] { return produced < 1000 ? std::optional<int>(produced++) : std::nullopt; },
                   [&](int&& piece, unsigned) {
                     if (piece == 1) {
                       failing = true;
                       throw std::runtime_error("one");
                     }
                     while (!failing) std::this_thread::yield();
                     std::this_thread::sleep_for(std::chrono::milliseconds(10));
                     return piece;
                   },
                   [](int&&) {}),
               std::runtime_error);
  return produced - 2;
}

TEST(OrderedPipeline, ProducesNothingMoreAfterAFailure) {
  int fewest = produced_after_a_failure();  // a busy machine may note a failure late, but not every time
  for (int turn = 0; turn < 20 && fewest > 0; ++turn) fewest = std::min(fewest, produced_after_a_failure());
  EXPECT_EQ(fewest, 0);
}

}  // namespace
}  // namespace nearkin::parallel_test

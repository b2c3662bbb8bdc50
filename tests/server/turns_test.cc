// Who may ask the index now.
#include "server/turns.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace nearkin::server_test::turns_test {
namespace {

using server::Turns;

/// Threads that carry what is posted, until the end.
class Carriers {
 public:
  explicit Carriers(int count) {
    for (int i = 0; i < count; ++i) threads_.emplace_back([this] { carry(); });
  }
  ~Carriers() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  void post(Turns::Job job) {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    changed_.notify_one();
  }
  std::function<void(Turns::Job)> poster() {
    return [this](Turns::Job job) { post(std::move(job)); };
  }

 private:
  void carry() {
    for (std::unique_lock lock(mutex_);; lock.lock()) {
      changed_.wait(lock, [this] { return over_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      const Turns::Job job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Turns::Job> jobs_;
  bool over_ = false;
  std::vector<std::thread> threads_;
};

TEST(ServerTurns, JobsWithoutATurnWaitInOrderWhileOtherWorkGoesOn) {
  Carriers carriers(2);
  Turns turns(carriers.poster(), 1);
  std::promise<void> begun, go_on, carried;
  std::vector<int> order;  // one job at a time
  carriers.post([&] {
    turns.run("client", [&] {
      begun.set_value();
      go_on.get_future().wait();
      order.push_back(0);
    });
  });
  begun.get_future().wait();
  for (int i = 1; i < 10; ++i) turns.run_later("client", [&, i] { order.push_back(i); });
  carriers.post([&] { carried.set_value(); });
  EXPECT_EQ(carried.get_future().wait_for(std::chrono::seconds(20)), std::future_status::ready);
  EXPECT_TRUE(order.empty());
  go_on.set_value();
  turns.wait_until_still();
  std::vector<int> expected(10);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(order, expected);
}

TEST(ServerTurns, ClientsTakeTurnsHoweverMuchOneOfThemAsks) {
  Carriers carriers(2);
  Turns turns(carriers.poster(), 1);
  std::promise<void> begun, go_on;
  std::vector<std::string> order;  // one job at a time
  turns.run_later("greedy", [&] {
    begun.set_value();
    go_on.get_future().wait();
  });
  begun.get_future().wait();
  for (int i = 0; i < 100; ++i) turns.run_later("greedy", [&] { order.emplace_back("greedy"); });
  for (const char* modest : {"b", "c", "b"}) turns.run_later(modest, [&order, modest] { order.emplace_back(modest); });
  go_on.set_value();
  turns.wait_until_still();
  ASSERT_EQ(order.size(), 103U);
  EXPECT_EQ((std::vector<std::string>(order.begin(), order.begin() + 6)),
            (std::vector<std::string>{"greedy", "b", "c", "greedy", "b", "greedy"}));
}

TEST(ServerTurns, NoMoreJobsRunAtOneTimeThanThereAreTurns) {
  constexpr int kTurns = 3, kJobs = 300;
  std::atomic<int> running{0}, most{0}, done{0};
  {
    Carriers carriers(kTurns + 2);
    Turns turns(carriers.poster(), kTurns);
    std::promise<void> all;
    for (int i = 0; i < kJobs; ++i) {
      carriers.post([&] {
        turns.run("client", [&] {
          const int now = ++running;
          for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
          }
          std::this_thread::sleep_for(std::chrono::microseconds(100));
          --running;
          if (++done == kJobs) all.set_value();
        });
      });
    }
    all.get_future().wait();
    turns.wait_until_still();
  }
  EXPECT_EQ(done, kJobs);
  EXPECT_LE(most, kTurns);
  EXPECT_GE(most, 2);
}

}  // namespace
}  // namespace nearkin::server_test::turns_test

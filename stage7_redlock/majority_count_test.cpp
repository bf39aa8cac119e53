#include "stage7_redlock/majority_count.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "core/testing/eventually.h"

namespace stage7 {
namespace {

using std::chrono::steady_clock;

class Stage7MajorityCount : public testing::Test {
 protected:
  // A node announces the release of the hold `token`.
  void announce(int node, const std::string& token) {
    count.receive({.host = "node", .port = node}, token);
  }

  MajorityCount count{3};
};

TEST_F(Stage7MajorityCount, CountsAReleaseOnce) {
  announce(1, "hold");
  announce(2, "hold");
  EXPECT_EQ(count.get(), 0) << "two of five are no majority";
  announce(3, "hold");
  EXPECT_EQ(count.get(), 1);
  announce(4, "hold");
  announce(5, "hold");
  EXPECT_EQ(count.get(), 1);
}

TEST_F(Stage7MajorityCount, CountsNodesAndNotMessages) {
  for (int i = 0; i < 3; ++i) announce(1, "hold");
  EXPECT_EQ(count.get(), 0);
}

TEST_F(Stage7MajorityCount, AddsUpNoTwoReleases) {
  announce(4, "earlier");
  announce(5, "earlier");
  announce(1, "hold");
  EXPECT_EQ(count.get(), 0);
}

TEST_F(Stage7MajorityCount, AddsUpNewSubscriptions) {
  announce(1, "");
  announce(2, "");
  announce(4, "");
  EXPECT_EQ(count.get(), 1);
  announce(1, "");
  EXPECT_EQ(count.get(), 1);
}

TEST_F(Stage7MajorityCount, CountsEachReleaseAmongManyOthers) {
  for (int i = 1; i <= 200; ++i) {
    for (const int node : {1, 2, 3}) {
      announce(node, "hold" + std::to_string(i));
      announce(node, "rolled back by " + std::to_string(node) + " of " + std::to_string(i));
    }
    ASSERT_EQ(count.get(), static_cast<unsigned>(i));
  }
}

TEST_F(Stage7MajorityCount, ForgetsWhatIsOld) {
  announce(1, "old");
  announce(2, "old");
  for (int i = 0; i < 1'000; ++i) announce(1, "minority" + std::to_string(i));
  announce(3, "old");
  EXPECT_EQ(count.get(), 0);
}

TEST_F(Stage7MajorityCount, WakesAWaiter) {
  std::jthread waiter([&] {
    const auto start = steady_clock::now();
    count.wait(0, core::condition_limit, {});
    EXPECT_LT(steady_clock::now() - start, core::condition_limit) << "nothing woke it";
  });
  for (const int node : {1, 2, 3}) announce(node, "hold");
}

TEST_F(Stage7MajorityCount, StopsWaiting) {
  std::stop_source stop;
  std::jthread waiter([&] {
    const auto start = steady_clock::now();
    count.wait(0, core::condition_limit, stop.get_token());
    EXPECT_LT(steady_clock::now() - start, core::condition_limit) << "nothing stopped it";
  });
  stop.request_stop();
}

}  // namespace
}  // namespace stage7

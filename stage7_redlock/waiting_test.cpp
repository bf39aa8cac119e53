// How a lock on a quorum is waited for: with real nodes, and messages that are lost or late.
#include <gtest/gtest.h>

#include <deque>
#include <set>
#include <thread>

#include "faults/testing/quorum_test.h"
#include "stage7_redlock/lock.h"
#include "stage7_redlock/quorum_subscription.h"
#include "stage7_redlock/scripts.h"

namespace {

using core::eventually;
using faults::Action;
using faults::Direction;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds waiting_lease{2 * core::longest_wait};

// A hold of another client, "H", is on every node; a thread waits for the lock through the links.
class Stage7Notified : public faults::QuorumTest {
 protected:
  stage7::Quorum quorum{addresses(), {.node_timeout = milliseconds(10'000)}};
  stage7::Lock lock{quorum, "orders", {.lease = waiting_lease}};

  void SetUp() override {
    at_each({"SET", quorum.marker(), "1"});
    at_each({"HSET", "orders", "token", "H", "h:1", "1", "who", "h", "since", "1", "lease",
             std::to_string(waiting_lease.count())});
    at_each({"PEXPIRE", "orders", std::to_string(waiting_lease.count())});
  }
  // The release of H at one node.
  void release_at(std::size_t i) {
    const auto removed = node(i).direct().run(stage7::scripts::release, {"orders"},
                                              {"H", "h:1", "0", "orders:released"});
    EXPECT_EQ(removed.integer(), 1);
  }
  void release_everywhere() {
    for (std::size_t i = 0; i < count; ++i) release_at(i);
  }
  // A thread that was refused after this process had subscribed, and waits.
  [[nodiscard]] std::jthread wait_for_release() {
    using core::Waiting;
    EXPECT_EQ(lock.acquire(Waiting::fixed(milliseconds(1)).tries(2)), core::Acquire::contended);
    for (std::size_t i = 0; i < count; ++i) {
      eventually("it listens", [&] {
        const auto listeners = node(i).direct().command({"PUBSUB", "NUMSUB", "orders:released"});
        return listeners.integer(1) == 1 && link(i).all_answered();
      });
    }
    const auto before = commands(0);
    std::jthread waiter([this] { gets_in_soon(); });
    eventually("it waits", [&] { return commands(0) > before && link(0).all_answered(); });
    return waiter;
  }
  // A waiter that nothing wakes asks again only when its time has passed.
  void gets_in_soon() {
    const auto start = steady_clock::now();
    EXPECT_TRUE(lock.try_lock_for(core::condition_limit)) << "waited in vain";
    EXPECT_LT(steady_clock::now() - start, core::condition_limit) << "nothing woke the waiter";
  }
};

TEST_F(Stage7Notified, IsWokenByARelease) {
  const auto waiter = wait_for_release();
  release_everywhere();
}

TEST_F(Stage7Notified, IsWokenByAForcedRelease) {
  const auto waiter = wait_for_release();
  stage7::Quorum others(past_the_links());
  EXPECT_TRUE(stage7::Lock(others, "orders").force_release());
}

// Others have rolled back too by then, and no message says so.
TEST_F(Stage7Notified, AsksAgainSoonWhenTheVotesAreSplit) {
  for (const auto i : {2U, 3U}) node(i).direct().command({"HSET", "orders", "token", "I"});
  release_at(4);
  const auto before = commands(4);
  const std::jthread waiter([this] { gets_in_soon(); });
  eventually("it asks again and again", [&] { return commands(4) >= before + 20; });
  at_each({"DEL", "orders"});
}

TEST_F(Stage7Notified, IsWokenThoughAMinorityIsFrozen) {
  auto waiter = wait_for_release();
  for (const auto i : {0U, 4U}) node(i).freeze();
  for (std::size_t i = 1; i < 4; ++i) release_at(i);
  waiter.join();
  for (const auto i : {0U, 4U}) node(i).thaw();
}

TEST_F(Stage7Notified, IsWokenThoughAMinorityIsCutOff) {
  const auto waiter = wait_for_release();
  for (const auto i : {0U, 1U}) link(i).cut_off(Direction::reply);
  release_everywhere();
}

TEST_F(Stage7Notified, IsWokenThoughAMinoritysMessageIsLost) {
  auto waiter = wait_for_release();
  const faults::FaultPoint message{.direction = Direction::reply, .command = "message"};
  const auto first = link(0).arm(message, Action::drop);
  const auto second = link(1).arm(message, Action::drop);
  release_everywhere();
  waiter.join();
}

TEST_F(Stage7Notified, MissesNoReleaseBeforeItListens) {
  std::deque<faults::Fault> subscribing;
  for (std::size_t i = 0; i < count; ++i) {
    subscribing.push_back(
        link(i).arm({.direction = Direction::command, .command = "SUBSCRIBE"}, Action::hold_back));
  }
  const std::jthread waiter([this] { gets_in_soon(); });
  for (auto& held : subscribing) held.await(core::condition_limit);
  release_everywhere();
  for (auto& held : subscribing) held.deliver();
}

// Nothing is to be rolled back at the majority that said no.
TEST_F(Stage7Notified, IsRolledBackOnlyWhereItMayBeIn) {
  EXPECT_FALSE(lock.try_lock());
  std::size_t sent = 0;
  for (std::size_t i = 0; i < count; ++i) sent += commands(i);
  EXPECT_LE(sent, count + 2);
}

TEST_F(Stage7Notified, LeavesNothingWhereItWasLetIn) {
  for (const auto i : {3U, 4U}) release_at(i);
  EXPECT_FALSE(lock.try_lock());
  eventually("it is rolled back", [&] { return nodes_with("orders") == 3; });
}

TEST(Stage7Delay, DiffersFromTryToTry) {
  std::set<std::chrono::microseconds> delays;
  for (int i = 0; i < 100; ++i) delays.insert(stage7::QuorumSubscription::random_delay());
  EXPECT_GT(delays.size(), 50);
  EXPECT_GT(*delays.rbegin() - *delays.begin(), milliseconds(5));
  EXPECT_LE(*delays.rbegin(), milliseconds(15));
}

}  // namespace

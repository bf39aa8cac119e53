// How a lock on a quorum is waited for: with real nodes, and messages that are lost, late or too
// many.
#include <gmock/gmock.h>

#include <thread>

#include "faults/testing/eventually.h"
#include "faults/testing/quorum_test.h"
#include "stage7_redlock/lock.h"

namespace {

using core::Acquire;
using core::Release;
using faults::Action;
using faults::Direction;
using faults::eventually;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds long_lease{2 * faults::longest_wait};

class Stage7Waiting : public faults::QuorumTest {
 protected:
  stage7::Quorum quorum{addresses(), {.node_timeout = milliseconds(10'000)}};
  // Another process would do the same; here it is another handle.
  stage7::Quorum others{past_the_links(), {.node_timeout = milliseconds(10'000)}};

  void SetUp() override { others.provision(); }

  [[nodiscard]] std::size_t in_line(std::size_t i) {
    return static_cast<std::size_t>(
        node(i).direct().command({"ZCARD", "orders:waiters"}).integer());
  }
  [[nodiscard]] std::size_t listeners(std::size_t i) {
    const auto told = node(i).direct().command({"PUBSUB", "NUMSUB", "orders:released"});
    return static_cast<std::size_t>(told.integer(1));
  }
  // Waits until everybody listens, so that no subscription wakes anybody later.
  void listen_everywhere(std::size_t processes) {
    for (std::size_t i = 0; i < count; ++i) {
      eventually("all listen", [&] { return listeners(i) == processes; });
    }
  }
  // A waiter that nothing wakes has the lock no sooner than this.
  static void gets_in_soon(stage7::Lock& lock) {
    constexpr std::chrono::seconds limit{30};
    const auto start = steady_clock::now();
    EXPECT_TRUE(lock.try_lock_for(limit)) << "waited in vain";
    EXPECT_LT(steady_clock::now() - start, limit) << "nothing woke the waiter";
  }
};

TEST_F(Stage7Waiting, IsWokenByARelease) {
  stage7::Lock holder(others, "orders", {.lease = long_lease});
  stage7::Lock lock(quorum, "orders", {.lease = long_lease});
  ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
  std::jthread waiter([&] { gets_in_soon(lock); });
  eventually("it is in line", [&] { return in_line(0) == 1; });
  listen_everywhere(1);
  EXPECT_EQ(holder.release(), Release::released);
}

TEST_F(Stage7Waiting, IsWokenThoughAMinorityIsFrozen) {
  stage7::Lock holder(others, "orders", {.lease = long_lease});
  stage7::Lock lock(quorum, "orders", {.lease = long_lease});
  ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
  std::jthread waiter([&] { gets_in_soon(lock); });
  eventually("it is in line", [&] { return in_line(0) == 1; });
  listen_everywhere(1);
  node(0).freeze();  // where the line is
  node(4).freeze();
  EXPECT_EQ(holder.release(), Release::released);
  waiter.join();
  node(0).thaw();
  node(4).thaw();
}

TEST_F(Stage7Waiting, IsWokenThoughAMinoritysMessagesAreLost) {
  stage7::Lock holder(others, "orders", {.lease = long_lease});
  stage7::Lock lock(quorum, "orders", {.lease = long_lease});
  ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
  std::jthread waiter([&] { gets_in_soon(lock); });
  eventually("it is in line", [&] { return in_line(0) == 1; });
  listen_everywhere(1);
  const faults::Where message{.direction = Direction::reply, .command = "message"};
  const auto first = link(0).arm(message, Action::drop);
  const auto second = link(1).arm(message, Action::drop);
  EXPECT_EQ(holder.release(), Release::released);
  waiter.join();
}

// Three threads: the first hands nothing over, it knows nobody; the second knows the third.
TEST_F(Stage7Waiting, IsHandedTheLockByTheNextHolder) {
  stage7::Lock holder(others, "orders", {.lease = long_lease});
  stage7::Lock lock(quorum, "orders", {.lease = long_lease});
  stage7::Lock last(quorum, "orders", {.lease = long_lease});
  ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
  std::size_t before = 0;
  std::jthread second([&] {
    gets_in_soon(lock);
    eventually("the third is in line", [&] { return in_line(0) == 1; });
    eventually("all is answered", [&] { return link(1).all_answered(); });
    before = commands(1);
    EXPECT_EQ(lock.release(), Release::released);
  });
  eventually("it is in line", [&] { return in_line(0) == 1; });
  std::jthread third([&] {
    gets_in_soon(last);
    EXPECT_EQ(commands(1), before + 1) << "it has asked, and was handed the lock";
    EXPECT_EQ(last.release(), Release::released);
  });
  eventually("both are in line", [&] { return in_line(0) == 2; });
  listen_everywhere(1);
  EXPECT_EQ(holder.release(), Release::released);
}

}  // namespace

// How a lock on a quorum is waited for: with real nodes, and messages that are lost, late or too
// many.
#include <gmock/gmock.h>

#include <deque>
#include <memory>
#include <thread>

#include "faults/testing/quorum_test.h"
#include "stage7_redlock/lock.h"
#include "stage7_redlock/scripts.h"

namespace {

using core::Acquire;
using core::Release;
using faults::Action;
using faults::Direction;
using faults::eventually;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds waiting_lease{2 * faults::longest_wait};

// A hold of somebody else, "H", is on every node; a thread waits for the lock behind the links.
class Stage7Line : public faults::QuorumTest {
 protected:
  stage7::Quorum quorum{
      addresses(), {.node_timeout = milliseconds(10'000), .line_timeout = milliseconds(10'000)}};
  // The same, of a process that soon looks for another line than at a node that does not answer.
  stage7::Quorum hasty{addresses(),
                       {.node_timeout = milliseconds(2'000), .line_timeout = milliseconds(100)}};
  stage7::Lock lock{quorum, "orders", {.lease = waiting_lease}};

  void SetUp() override { at_each({"SET", quorum.marker(), "1"}); }

  void hold_at(std::size_t i) {
    node(i).direct().command({"HSET", "orders", "token", "H", "h:1", "1", "who", "h", "since", "1",
                              "lease", std::to_string(waiting_lease.count())});
    node(i).direct().command({"PEXPIRE", "orders", std::to_string(waiting_lease.count())});
  }
  void hold_everywhere() {
    for (std::size_t i = 0; i < count; ++i) hold_at(i);
  }
  // Its release at one node; `waiter`: to be handed the lock there.
  long long release_at(std::size_t i, std::string_view waiter = "") {
    return node(i)
        .direct()
        .run(stage7::scripts::release, {"orders", "orders:waiters"},
             {"H", "h:1", "0", "release", "orders:released", waiter})
        .integer();
  }
  void release_everywhere(std::string_view waiter = "") {
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(release_at(i, waiter), 1);
  }

  [[nodiscard]] std::size_t in_line(std::size_t i) {
    return static_cast<std::size_t>(
        node(i).direct().command({"ZCARD", "orders:waiters"}).integer());
  }
  // Not at the first node. On a busy machine the second may be too late as well.
  [[nodiscard]] bool stands_in_line_elsewhere() {
    for (std::size_t i = 1; i < count; ++i) {
      if (in_line(i) == 1) return true;
    }
    return false;
  }
  [[nodiscard]] std::string first_in_line(std::size_t i) {
    return std::string(node(i).direct().command({"ZRANGE", "orders:waiters", "0", "0"}).text(0));
  }
  // This process has heard all that was announced at node `i`: it reads in order, and gives back
  // what is handed to nobody.
  void hear_all(std::size_t i) {
    const auto channels = [&] {
      return node(i).direct().command({"PUBSUB", "CHANNELS", "orders:released:*"});
    };
    eventually("it listens", [&] { return channels().parts() == 1 && link(i).all_answered(); });
    const auto before = commands(i);
    const std::string handed_to_nobody = "X\nT line p:1 600 who\n1\n";
    node(i).direct().command({"PUBLISH", std::string(channels().text(0)), handed_to_nobody});
    eventually("it has heard", [&] { return commands(i) > before && link(i).all_answered(); });
  }
  // It has heard that it listens, which wakes a waiter.
  void listen() {
    EXPECT_FALSE(lock.try_lock_for(milliseconds(1)));
    for (std::size_t i = 0; i < count; ++i) hear_all(i);
    at_each({"DEL", "orders:waiters"});
  }
  // A thread that stands in line, was refused when it asked after a while, and waits.
  template <typename Body>
  [[nodiscard]] std::jthread wait_in_line(Body body) {
    const auto before = commands(0);
    std::jthread waiter(body);
    eventually("it waits", [&] { return commands(0) >= before + 4 && link(0).all_answered(); });
    return waiter;
  }
  // A waiter that nothing wakes asks once more when its time is over.
  static void gets_in_soon(stage7::Lock& lock) {
    const auto start = steady_clock::now();
    EXPECT_TRUE(lock.try_lock_for(faults::condition_limit)) << "waited in vain";
    EXPECT_LT(steady_clock::now() - start, faults::condition_limit) << "nothing woke the waiter";
  }
};

TEST_F(Stage7Line, IsWokenByARelease) {
  hold_everywhere();
  listen();
  auto waiter = wait_in_line([&] { gets_in_soon(lock); });
  release_everywhere();
}

TEST_F(Stage7Line, IsWokenThoughAMinorityIsFrozen) {
  hold_everywhere();
  listen();
  auto waiter = wait_in_line([&] { gets_in_soon(lock); });
  node(0).freeze();  // where the line is
  node(4).freeze();
  for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(release_at(i), 1);
  waiter.join();
  node(0).thaw();
  node(4).thaw();
}

TEST_F(Stage7Line, StandsInLineAtANodeThatAnswers) {
  stage7::Lock quick(hasty, "orders", {.lease = waiting_lease});
  hold_everywhere();
  node(0).freeze();
  std::jthread waiter([&] { gets_in_soon(quick); });
  eventually("it stands in line", [&] { return stands_in_line_elsewhere(); });
  for (std::size_t i = 1; i < count; ++i) EXPECT_EQ(release_at(i), 1);
  waiter.join();
  node(0).thaw();
}

TEST_F(Stage7Line, IsWokenThoughAMinorityIsSlow) {
  stage7::Lock quick(hasty, "orders", {.lease = waiting_lease});
  hold_everywhere();
  link(0).set_latency(milliseconds(500));
  std::jthread waiter([&] { gets_in_soon(quick); });
  eventually("it stands in line", [&] { return stands_in_line_elsewhere(); });
  release_everywhere();
}

TEST_F(Stage7Line, IsWokenThoughAMinorityIsCutOff) {
  hold_everywhere();
  listen();
  auto waiter = wait_in_line([&] { gets_in_soon(lock); });
  for (const auto i : {0U, 1U}) link(i).cut_off(Direction::reply);
  release_everywhere();
}

TEST_F(Stage7Line, IsWokenThoughAMinoritysWordIsLost) {
  hold_everywhere();
  listen();
  auto waiter = wait_in_line([&] { gets_in_soon(lock); });
  const faults::Where message{.direction = Direction::reply, .command = "message"};
  const auto first = link(0).arm(message, Action::drop);
  const auto second = link(1).arm(message, Action::drop);
  release_everywhere();
  waiter.join();
}

TEST_F(Stage7Line, MissesNoReleaseBeforeItListens) {
  hold_everywhere();
  std::deque<faults::Fault> subscribing;
  for (std::size_t i = 0; i < count; ++i) {
    subscribing.push_back(
        link(i).arm({.direction = Direction::command, .command = "SUBSCRIBE"}, Action::hold_back));
  }
  std::jthread waiter([&] { gets_in_soon(lock); });
  eventually("it stands in line", [&] { return in_line(0) == 1; });
  for (auto& held : subscribing) held.await(faults::condition_limit);
  release_everywhere();
  for (auto& held : subscribing) held.deliver();
}

TEST_F(Stage7Line, IsHandedTheLock) {
  hold_everywhere();
  listen();
  auto waiter = wait_in_line([&] { gets_in_soon(lock); });
  const auto before = commands(1);
  const auto named = first_in_line(0);
  release_everywhere(named);
  waiter.join();
  EXPECT_EQ(commands(1), before) << "it asked for what it was handed";
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_EQ(field(i, "orders", "token"), stage7::token_of(named));
  }
}

TEST_F(Stage7Line, KeepsNoPlaceForItsHolder) {
  hold_everywhere();
  listen();
  auto waiter = wait_in_line([&] { gets_in_soon(lock); });
  const auto named = first_in_line(0);
  node(0).direct().command({"ZADD", "orders:waiters", "1", "H line p:1 600 h"});
  release_everywhere(named);
  waiter.join();
  EXPECT_EQ(in_line(0), 0);
}

TEST_F(Stage7Line, HandsTheLockToTheNextInLine) {
  hold_everywhere();
  listen();
  stage7::Lock other(quorum, "orders", {.lease = waiting_lease});
  auto first = wait_in_line([&] {
    gets_in_soon(lock);
    hear_all(0);  // which waiter is behind it
    EXPECT_EQ(lock.release(), Release::released);
  });
  std::string former;
  auto second = wait_in_line([&] {
    gets_in_soon(other);
    former = field(1, "orders", "former");
    EXPECT_EQ(other.release(), Release::released);
  });
  const auto waiter = first_in_line(0);
  release_everywhere(waiter);
  first.join();
  second.join();
  EXPECT_EQ(former, stage7::token_of(waiter)) << "it was not handed over";
}

TEST_F(Stage7Line, AsksWhereOnlyAMinorityHandedOver) {
  hold_everywhere();
  listen();
  auto waiter = wait_in_line([&] {
    gets_in_soon(lock);
    EXPECT_GE(nodes_with("orders"), 3);
    EXPECT_EQ(lock.release(), Release::released);
  });
  const auto before = commands(1);
  const auto named = first_in_line(0);
  at_each({"DEL", "orders"}, 2, count);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(release_at(i, named), 1);
  EXPECT_EQ(release_at(2, named), 0);
  waiter.join();
  EXPECT_GE(commands(1), before + 2) << "two of five are no majority";
  eventually("nothing is left", [&] { return nodes_with("orders") == 0; });
}

TEST_F(Stage7Line, CountsItsLeaseFromBeforeTheHandover) {
  hold_everywhere();
  listen();
  std::deque<faults::Fault> told;
  auto waiter = wait_in_line([&] {
    ASSERT_TRUE(lock.try_lock_for(waiting_lease));
    const auto left = *lock.remaining();
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_LE(left.count(), node(i).direct().command({"PTTL", "orders"}).integer());
    }
  });
  for (std::size_t i = 0; i < count; ++i) {
    told.push_back(
        link(i).arm({.direction = Direction::reply, .command = "message"}, Action::hold_back));
  }
  release_everywhere(first_in_line(0));
  // More than the margin for the drift of clocks.
  const auto later = waiting_lease - waiting_lease / 50;
  eventually("the new lease is partly over", [&] {
    return node(0).direct().command({"PTTL", "orders"}).integer() < later.count();
  });
  for (auto& held : told) held.deliver();
}

TEST_F(Stage7Line, KeepsItsHoldAfterALateRollBack) {
  stage7::Lock late(hasty, "orders", {.lease = waiting_lease});
  hold_everywhere();
  auto roll_back = link(4).arm({.direction = Direction::command, .nth = 2, .command = "EVAL"},
                               Action::hold_back);
  std::jthread waiter([&] { gets_in_soon(late); });
  roll_back.await(faults::condition_limit);
  eventually("it stands in line", [&] { return in_line(0) == 1; });
  release_everywhere(first_in_line(0));
  waiter.join();
  const auto answer =
      link(4).arm({.direction = Direction::reply, .command = "EVAL"}, Action::forward);
  roll_back.deliver();
  answer.await(faults::condition_limit);
  EXPECT_TRUE(has(4, "orders")) << "the roll-back has removed what was handed over";
}

TEST_F(Stage7Line, GivesBackWhatComesTooLate) {
  hold_everywhere();
  listen();
  EXPECT_FALSE(lock.try_lock_for(milliseconds(1)));
  release_everywhere(first_in_line(0));
  eventually("it is free", [&] { return nodes_with("orders") == 0; });
}

TEST_F(Stage7Line, GivesBackThoughItsLockIsGone) {
  // Something else keeps the connections open.
  stage7::Lock elsewhere(quorum, "elsewhere", {.lease = waiting_lease});
  at_each({"HSET", "elsewhere", "token", "H", "h:1", "1", "lease", "60000"});
  at_each({"HSET", "brief", "token", "H", "h:1", "1", "who", "h", "since", "1", "lease", "60000"});
  EXPECT_FALSE(elsewhere.try_lock_for(milliseconds(1)));
  auto brief =
      std::make_unique<stage7::Lock>(quorum, "brief", stage7::Options{.lease = waiting_lease});
  EXPECT_FALSE(brief->try_lock_for(milliseconds(1)));
  const std::string waiter(node(0).direct().command({"ZRANGE", "brief:waiters", "0", "0"}).text(0));
  std::deque<faults::Fault> told;
  for (std::size_t i = 0; i < count; ++i) {
    const auto heard = [&] {
      const auto reply = node(i).direct().command({"PUBSUB", "CHANNELS", "brief:released:*"});
      return reply.parts() == 1 && link(i).all_answered();
    };
    eventually("it listens", heard);
    told.push_back(
        link(i).arm({.direction = Direction::reply, .command = "message"}, Action::hold_back));
    EXPECT_EQ(node(i)
                  .direct()
                  .run(stage7::scripts::release, {"brief", "brief:waiters"},
                       {"H", "h:1", "0", "release", "brief:released", waiter})
                  .integer(),
              1);
  }
  EXPECT_EQ(nodes_with("brief"), 5) << "it was handed over";
  brief.reset();
  for (auto& held : told) held.deliver();
  eventually("it is free", [&] { return nodes_with("brief") == 0; });
}

TEST_F(Stage7Line, PassesOnWhatItIsToldInVain) {
  stage7::Quorum one({addresses().front()});
  node(0).direct().command({"SET", one.marker(), "1"});
  stage7::Lock patient(one, "orders", {.lease = waiting_lease});
  hold_at(0);
  EXPECT_FALSE(patient.try_lock_for(milliseconds(1)));
  auto waiter = wait_in_line([&] { gets_in_soon(patient); });
  eventually("both stand in line", [&] { return in_line(0) == 2; });
  EXPECT_EQ(release_at(0), 1);  // tells the one that has given up
}

TEST_F(Stage7Line, PassesOverAWaiterThatIsGone) {
  hold_everywhere();
  listen();
  auto waiter = wait_in_line([&] { gets_in_soon(lock); });
  node(0).direct().command({"ZADD", "orders:waiters", "1", "T nobody p:1 600 who"});
  EXPECT_EQ(release_at(0), 1);
  EXPECT_EQ(in_line(0), 0);
  for (std::size_t i = 1; i < count; ++i) EXPECT_EQ(release_at(i), 1);
}

TEST_F(Stage7Line, HandsNothingToAWaiterThatIsGone) {
  hold_at(0);
  EXPECT_EQ(release_at(0, "T nobody p:1 600 who"), 1);
  EXPECT_FALSE(has(0, "orders"));
}

TEST_F(Stage7Line, IsReleasedToTheSecondRequestToo) {
  hold_everywhere();
  listen();
  auto waiter = wait_in_line([&] { gets_in_soon(lock); });
  const auto named = first_in_line(0);
  release_everywhere(named);
  waiter.join();
  EXPECT_EQ(release_at(0, named), 1);
  EXPECT_TRUE(has(0, "orders"));
}

}  // namespace

#include <gmock/gmock.h>

#include <deque>
#include <latch>

#include "core/error.h"
#include "core/testing/lock_contract.h"
#include "faults/running/result_text.h"
#include "faults/running/run_scenario.h"
#include "faults/testing/cpu_share.h"
#include "faults/testing/quorum_test.h"
#include "faults/testing/renewal.h"
#include "stage7_redlock/lock.h"
#include "stage7_redlock/scripts.h"
#include "stage7_redlock/testing/quorum_of_one.h"

namespace {

using core::Acquire;
using core::eventually;
using core::LeaseContract;
using core::LockContract;
using core::on_another_thread;
using core::OwnerContract;
using core::ReentrantContract;
using core::Release;
using faults::Action;
using faults::Direction;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::HasSubstr;

constexpr milliseconds lease{600};
constexpr milliseconds long_lease{2 * core::longest_wait};
// Many renewals for each lease, so that a slow machine misses some and loses nothing.
const stage7::Options renewed_often{.default_lease = 3 * lease, .renew_every = lease / 3};
// The same where no lease has to pass: nothing is lost, however slow the machine.
const stage7::Options never_late{.default_lease = long_lease, .renew_every = lease / 3};
constexpr milliseconds period{1'000};  // time to do something between two renewals

const core::LockUnderTest stage7_lock{.name = "stage7",
                                      .make =
                                          [](auto& server, auto key, auto time) {
                                            return std::make_unique<stage7::Lock>(
                                                stage7::quorum_of_one(server), std::move(key),
                                                stage7::Options{.lease = time});
                                          },
                                      .acquiring = {"EVALSHA"},
                                      .contended = {"EVALSHA"},
                                      .releasing = {"EVALSHA"},
                                      .not_releasing = {"EVALSHA"},
                                      .reentrant = true};

INSTANTIATE_TEST_SUITE_P(Stage7, LockContract, testing::Values(stage7_lock));
INSTANTIATE_TEST_SUITE_P(Stage7, LeaseContract, testing::Values(stage7_lock));
INSTANTIATE_TEST_SUITE_P(Stage7, OwnerContract, testing::Values(stage7_lock));
INSTANTIATE_TEST_SUITE_P(Stage7, ReentrantContract, testing::Values(stage7_lock));

class Stage7 : public faults::QuorumTest {
 protected:
  // Long: what has to come comes, however slow everything is.
  stage7::Quorum quorum{addresses(), {.node_timeout = milliseconds(10'000)}};
  // A stranger's lock, set past the links.
  stage7::Quorum others{past_the_links(), {.node_timeout = milliseconds(10'000)}};

  void SetUp() override {
    others.provision();
    // Or the first renewal is two commands.
    at_each({"SCRIPT", "LOAD", std::string(stage7::scripts::renew.text)});
  }

  // A round of renewal that begins now has been heard by every node.
  void wait_for_a_round() {
    eventually("all have it", [&] { return nodes_with("orders") == 5; });
    std::vector<std::size_t> before;
    for (std::size_t i = 0; i < count; ++i) before.push_back(commands(i));
    for (std::size_t i = 0; i < count; ++i) {
      eventually("a round has passed", [&] { return commands(i) > before[i] && all_answered(i); });
    }
  }
  [[nodiscard]] bool all_answered(std::size_t i) { return link(i).all_answered(); }
  void wait_for_commands(std::size_t i, std::size_t more) {
    const auto wanted = commands(i) + more;
    eventually("renewals have been sent", [&] { return commands(i) >= wanted; });
  }
};

using Stage7Quorum = Stage7;
using Stage7Acquiring = Stage7;
using Stage7Releasing = Stage7;
using Stage7Entering = Stage7;
using Stage7Renewing = Stage7;
using Stage7Amnesia = Stage7;
using Stage7Script = Stage7;

TEST_F(Stage7Acquiring, AsksEveryNodeOnce) {
  stage7::Lock lock(quorum, "orders", {.lease = long_lease});
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  eventually("all have it", [&] { return nodes_with("orders") == 5; });
  ASSERT_EQ(lock.release(), Release::released);
  eventually("nobody has it", [&] { return nodes_with("orders") == 0; });
  std::vector<std::size_t> before;
  for (std::size_t i = 0; i < count; ++i) before.push_back(commands(i));
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  ASSERT_EQ(lock.release(), Release::released);
  for (std::size_t i = 0; i < count; ++i) {
    eventually("both commands have come", [&] { return commands(i) == before[i] + 2; });
  }
}

// Two votes for each of two, and no fifth that decides.
TEST(Stage7EvenNodes, SettleASplitVote) {
  faults::Reaper reaper;
  const faults::TempDir runs(reaper);
  auto stage = faults::load_tested_lock(STAGE_DIRECTORY, {STAGE_CLIENT});
  stage.nodes = 4;
  const auto result =
      faults::run_scenario(stage, *faults::find_scenario("split_vote"),
                           {.redis = faults::find_redis(), .runs = runs.path()}, reaper);
  EXPECT_EQ(result.verdict(), faults::Verdict::holds) << describe_result(result, faults::Paint{});
}

TEST_F(Stage7Acquiring, NeedsAMajority) {
  stage7::Lock lock(quorum, "orders", {.lease = long_lease});
  node(0).kill();
  node(1).kill();
  EXPECT_EQ(lock.try_acquire(), Acquire::acquired);
  EXPECT_EQ(lock.release(), Release::released);
  eventually("nobody has it", [&] { return nodes_with("orders") == 0; });
  node(2).kill();
  EXPECT_EQ(lock.try_acquire(), Acquire::unknown) << "the link took the command";
  EXPECT_EQ(nodes_with("orders"), 0);
  stage7::Lock direct_lock(others, "orders", {.lease = long_lease});
  EXPECT_THROW((void)direct_lock.try_acquire(), core::Unreachable);
  EXPECT_EQ(nodes_with("orders"), 0);
}

TEST_F(Stage7Acquiring, IsRefusedByThreeOfFive) {
  at_each({"HSET", "orders", "token", "somebody else"}, 0, 3);
  at_each({"PEXPIRE", "orders", std::to_string(long_lease.count())}, 0, 3);
  stage7::Lock lock(quorum, "orders", {.lease = long_lease});
  EXPECT_EQ(lock.try_acquire(), Acquire::contended);
  eventually("what two nodes had given is given back", [&] { return nodes_with("orders") == 3; });
  at_each({"DEL", "orders"}, 0, 1);
  EXPECT_EQ(lock.try_acquire(), Acquire::acquired);
}

TEST_F(Stage7Acquiring, IsUnknownWhereItMayNotHaveBeenTakenBack) {
  at_each({"HSET", "orders", "token", "somebody else"}, 0, 1);
  std::deque<faults::Fault> lost;
  for (std::size_t i = 1; i < count; ++i) {
    if (i > 2) lost.push_back(link(i).arm({.direction = Direction::reply}, Action::reset));
    lost.push_back(link(i).arm({.direction = Direction::command, .nth = 2}, Action::reset));
  }
  stage7::Lock lock(quorum, "orders", {.lease = long_lease});
  EXPECT_EQ(lock.try_acquire(), Acquire::unknown);
  EXPECT_EQ(nodes_with("orders"), 5);
}

TEST_F(Stage7Acquiring, DoesNotWaitForAMinorityThatIsStuck) {
  stage7::Lock lock(quorum, "orders", {.lease = long_lease});
  stage7::Lock other(others, "orders", {.lease = long_lease});
  node(3).freeze();
  node(4).freeze();
  for (int round = 0; round < 100; ++round) {
    const auto start = steady_clock::now();
    ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
    on_another_thread([&] { EXPECT_EQ(other.try_acquire(), Acquire::contended); });
    ASSERT_EQ(lock.release(), Release::released);
    ASSERT_LT(steady_clock::now() - start, milliseconds(10'000)) << "it waited for a stuck node";
  }
  node(3).thaw();
  node(4).thaw();
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  ASSERT_EQ(lock.release(), Release::released);
  eventually("they have caught up", [&] { return nodes_with("orders") == 0; });
}

TEST_F(Stage7Acquiring, WaitsForItsNodeTimeoutAtMost) {
  stage7::Quorum hasty(addresses(), {.node_timeout = milliseconds(100)});
  stage7::Lock lock(hasty, "orders", {.lease = long_lease});
  for (std::size_t i = 2; i < count; ++i) node(i).freeze();
  const auto start = steady_clock::now();
  EXPECT_EQ(lock.try_acquire(), Acquire::unknown);
  EXPECT_GE(steady_clock::now() - start, milliseconds(100));
  EXPECT_LT(steady_clock::now() - start, milliseconds(5'000));
  EXPECT_EQ(lock.hold_count(), 0);
  for (std::size_t i = 2; i < count; ++i) node(i).thaw();
  eventually("what came late was given back", [&] { return nodes_with("orders") == 0; });
}

TEST_F(Stage7Acquiring, SleepsUntilAMajorityHasAnswered) {
  stage7::Lock lock(quorum, "orders", {.lease = long_lease});
  for (std::size_t i = 2; i < count; ++i) node(i).freeze();
  std::jthread asking([&] { EXPECT_EQ(lock.try_acquire(), Acquire::acquired); });
  for (std::size_t i = 0; i < 2; ++i) {
    eventually("the others have answered", [&] { return commands(i) == 1 && all_answered(i); });
  }
  EXPECT_LT(faults::cpu_share(), faults::hardly_any_cpu);
  for (std::size_t i = 2; i < count; ++i) node(i).thaw();
}

TEST_F(Stage7Acquiring, IsNotBelievedAfterItsLease) {
  stage7::Lock lock(quorum, "orders", {.lease = milliseconds(100)});
  std::vector<faults::Fault> late;
  for (std::size_t i = 0; i < 3; ++i) {
    late.push_back(link(i).arm({.direction = Direction::reply}, Action::delay, milliseconds(150)));
  }
  EXPECT_EQ(lock.try_acquire(), Acquire::unknown);
  EXPECT_EQ(lock.hold_count(), 0);
  EXPECT_EQ(lock.remaining(), std::nullopt);
}

TEST_F(Stage7Acquiring, IsTakenBackWhereItCameTooLate) {
  stage7::Lock lock(quorum, "orders", {.lease = milliseconds(500)});
  std::vector<faults::Fault> late;
  for (std::size_t i = 0; i < 3; ++i) {
    late.push_back(link(i).arm({}, Action::delay, milliseconds(500)));
  }
  EXPECT_EQ(lock.try_acquire(), Acquire::unknown);
  EXPECT_EQ(nodes_with("orders"), 0);
}

TEST_F(Stage7Acquiring, LeavesTheDriftOfTheClocksOut) {
  stage7::Lock lock(quorum, "orders", {.lease = long_lease});
  const auto before = steady_clock::now();
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  const auto left = *lock.remaining();
  const auto took = std::chrono::ceil<milliseconds>(steady_clock::now() - before);
  const auto valid = long_lease - long_lease / 100 - milliseconds(2);
  EXPECT_LE(left, valid);
  EXPECT_GE(left, valid - milliseconds(1) - took);
}

TEST_F(Stage7Releasing, NeverOvertakesItsOwnAcquire) {
  stage7::Lock lock(quorum, "orders", {.lease = long_lease});
  auto slow = link(4).arm({.direction = Direction::command}, Action::hold_back);
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  slow.await(milliseconds(10'000));
  ASSERT_EQ(lock.release(), Release::released);
  slow.deliver();
  eventually("both have come", [&] { return commands(4) >= 2 && all_answered(4); });
  EXPECT_FALSE(has(4, "orders"));
}

TEST_F(Stage7Releasing, NeverOvertakesItsAcquire) {
  stage7::Lock lock(quorum, "orders", {.lease = long_lease});
  stage7::Lock other(quorum, "invoices", {.lease = long_lease});
  std::deque<faults::Fault> held;
  for (std::size_t i = 0; i < 3; ++i) held.push_back(link(i).arm({}, Action::hold_back));
  std::jthread asking([&] { EXPECT_EQ(other.try_acquire(), Acquire::acquired); });
  for (const auto& command : held) command.await(milliseconds(10'000));
  eventually("the last has heard of it", [&] { return commands(4) == 1; });
  auto slow = link(4).arm({}, Action::hold_back);
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  slow.await(milliseconds(10'000));
  for (auto& command : held) command.deliver();
  asking.join();
  ASSERT_EQ(lock.release(), Release::released);
  slow.deliver();
  eventually("all have come", [&] { return commands(4) >= 3 && all_answered(4); });
  EXPECT_FALSE(has(4, "orders"));
}

TEST_F(Stage7Releasing, NeedsAMajority) {
  stage7::Lock lock(others, "orders", {.lease = long_lease});
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  eventually("all have it", [&] { return nodes_with("orders") == 5; });
  for (std::size_t i = 0; i < 3; ++i) node(i).kill();
  EXPECT_EQ(lock.release(), Release::unknown);
  for (std::size_t i = 3; i < count; ++i) node(i).kill();
  EXPECT_THROW((void)lock.release(), core::Unreachable);
}

TEST_F(Stage7Releasing, StaysHeldIfItCannotBeAnnounced) {
  stage7::Lock lock(quorum, "orders", {.lease = long_lease});
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  eventually("all have it", [&] { return nodes_with("orders") == 5; });
  at_each({"ACL", "SETUSER", "default", "-publish"});
  EXPECT_THROW((void)lock.release(), core::ErrorReply);
  EXPECT_EQ(nodes_with("orders"), 5);
  at_each({"ACL", "SETUSER", "default", "+publish"});
  EXPECT_EQ(lock.release(), Release::released);
}

TEST_F(Stage7Releasing, TellsWhatBecameOfTheHold) {
  stage7::Lock lock(quorum, "orders", {.lease = long_lease});
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  eventually("all have it", [&] { return nodes_with("orders") == 5; });
  at_each({"DEL", "orders"}, 0, 3);
  EXPECT_EQ(lock.release(), Release::expired);
  EXPECT_EQ(lock.release(), Release::not_held);
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  eventually("all have it", [&] { return nodes_with("orders") == 5; });
  at_each({"HSET", "orders", "token", "somebody else"}, 0, 3);
  EXPECT_EQ(lock.release(), Release::stolen);
}

TEST_F(Stage7Releasing, IsReleasedThoughAMinorityHasLostIt) {
  stage7::Lock lock(quorum, "orders", {.lease = long_lease});
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  eventually("all have it", [&] { return nodes_with("orders") == 5; });
  at_each({"DEL", "orders"}, 0, 2);
  EXPECT_EQ(lock.release(), Release::released);
}

TEST_F(Stage7Releasing, HoldsNoMoreThoughItGotNoAnswer) {
  stage7::Lock lock(quorum, "orders", {.lease = long_lease});
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  EXPECT_TRUE(lock.held_by_this_thread());
  const auto lost = lose_second_answers();
  EXPECT_EQ(lock.release(), Release::unknown);
  EXPECT_FALSE(lock.held_by_this_thread());
}

TEST_F(Stage7Entering, GoesDeeperAndComesBack) {
  stage7::Lock lock(quorum, "orders", {.lease = long_lease});
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  EXPECT_EQ(lock.hold_count(), 2);
  for (std::size_t i = 0; i < count; ++i) {
    eventually("all know", [&] { return depth(i) == "2"; });
  }
  EXPECT_EQ(lock.release(), Release::still_held);
  EXPECT_EQ(lock.hold_count(), 1);
  EXPECT_EQ(lock.release(), Release::released);
}

TEST_F(Stage7Entering, LeavesTheOuterHoldAloneWhenItFails) {
  stage7::Lock lock(quorum, "orders", {.lease = long_lease});
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  eventually("all have it", [&] { return nodes_with("orders") == 5; });
  {
    std::vector<faults::Fault> lost;
    for (std::size_t i = 0; i < 3; ++i) {
      lost.push_back(link(i).arm({.direction = Direction::command}, Action::reset));
    }
    EXPECT_EQ(lock.try_acquire(), Acquire::unknown);
  }
  EXPECT_EQ(lock.hold_count(), 1);
  for (std::size_t i = 0; i < count; ++i) {
    eventually("all know", [&] { return depth(i) == "1"; });
  }
  EXPECT_EQ(lock.release(), Release::released);
}

TEST_F(Stage7Entering, HasTheShortestLeaseThatItsMajorityGave) {
  stage7::Lock lock(quorum, "orders", {.lease = milliseconds(5'000)});
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  eventually("all have it", [&] { return nodes_with("orders") == 5; });
  at_each({"HSET", "orders", "lease", "60000"}, 0, 2);
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  EXPECT_LE(lock.remaining(), milliseconds(5'000));
}

TEST_F(Stage7Entering, IsTrustedOnlyAsLongAsAMajorityGave) {
  stage7::Lock outer(quorum, "orders", {.lease = milliseconds(5'000)});
  stage7::Lock inner(quorum, "orders", {.lease = long_lease});
  ASSERT_EQ(outer.try_acquire(), Acquire::acquired);
  eventually("all have it", [&] { return nodes_with("orders") == 5; });
  {
    std::vector<faults::Fault> lost;
    for (std::size_t i = 3; i < count; ++i) {
      lost.push_back(link(i).arm({.direction = Direction::command}, Action::reset));
    }
    ASSERT_EQ(inner.try_acquire(), Acquire::acquired);
  }
  const auto left = *outer.remaining();
  EXPECT_GT(left, milliseconds(50'000));
  // Now the two that have not heard of the long lease are of the majority.
  for (std::size_t i = 0; i < 2; ++i) node(i).kill();
  ASSERT_EQ(outer.try_acquire(), Acquire::acquired);
  EXPECT_LE(outer.remaining(), left) << "the long lease was counted anew";
}

TEST_F(Stage7Entering, IsOverOnlyWhenAMajoritySaysSo) {
  stage7::Lock lock(quorum, "orders", {.lease = long_lease});
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  eventually("all have it", [&] { return nodes_with("orders") == 5; });
  const auto token = lock.hold_token();
  stage7::Quorum hasty(addresses(), {.node_timeout = milliseconds(100)});
  stage7::Lock other(hasty, "orders", {.lease = long_lease});
  at_each({"DEL", "orders"}, 0, 1);
  for (std::size_t i = 3; i < count; ++i) node(i).freeze();
  on_another_thread([&] { EXPECT_EQ(other.join(*token), Acquire::unknown); });
  for (std::size_t i = 3; i < count; ++i) node(i).thaw();
  at_each({"DEL", "orders"}, 0, 3);
  on_another_thread([&] { EXPECT_EQ(lock.join(*token), Acquire::contended); });
}

TEST_F(Stage7Entering, IsJoinedByAnotherThread) {
  stage7::Lock lock(quorum, "orders", {.lease = long_lease});
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  const auto token = lock.hold_token();
  on_another_thread([&] {
    EXPECT_EQ(lock.join(*token), Acquire::acquired);
    EXPECT_EQ(lock.release(), Release::still_held);
  });
  EXPECT_EQ(lock.release(), Release::released);
  EXPECT_EQ(lock.join(*token), Acquire::contended);
}

TEST_F(Stage7Entering, LeavesNobodyBehindWhereItIsJoinedInVain) {
  stage7::Lock lock(quorum, "orders", {.lease = long_lease});
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  eventually("all have it", [&] { return nodes_with("orders") == 5; });
  at_each({"DEL", "orders"}, 0, 3);
  on_another_thread(
      [&, token = *lock.hold_token()] { EXPECT_EQ(lock.join(token), Acquire::contended); });
  eventually("all have heard of both", [&] { return commands(4) >= 3 && all_answered(4); });
  EXPECT_EQ(node(4).direct().command({"HLEN", "orders"}).integer(), 5);
}

TEST_F(Stage7Renewing, NeedsAMajority) {
  stage7::Lock lock(quorum, "orders", never_late);
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  node(0).kill();
  node(1).kill();
  faults::expect_renewal(lock, long_lease);
  stage7::Lock brief(quorum, "invoices", renewed_often);
  ASSERT_EQ(brief.try_acquire(), Acquire::acquired);
  const auto lost = brief.lost();
  node(2).kill();
  eventually("word of the loss has come", [&] { return lost.stop_requested(); });
  EXPECT_EQ(brief.remaining(), milliseconds(0));
}

TEST_F(Stage7Renewing, GoesOnWhenTheNodesHaveForgottenTheScript) {
  stage7::Lock lock(quorum, "orders", never_late);
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  wait_for_a_round();
  at_each({"SCRIPT", "FLUSH"});
  faults::expect_renewal(lock, long_lease);
}

TEST_F(Stage7Renewing, GivesTheHoldToAMinorityThatLostIt) {
  stage7::Lock lock(quorum, "orders", never_late);
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  eventually("all have it", [&] { return nodes_with("orders") == 5; });
  at_each({"DEL", "orders"}, 0, 2);
  eventually("all have it again", [&] { return nodes_with("orders") == 5; });
  EXPECT_EQ(field(0, "orders", "token"), field(4, "orders", "token"));
  EXPECT_EQ(depth(0), "2");
  EXPECT_GT(node(0).direct().command({"PTTL", "orders"}).integer(), 0);
  EXPECT_EQ(lock.release(), Release::still_held);
  at_each({"DEL", "orders"}, 0, 1);
  eventually("all have it again", [&] { return nodes_with("orders") == 5; });
  EXPECT_EQ(depth(0), "1");
}

TEST_F(Stage7Renewing, GivesAMinorityTheLeaseOfTheHold) {
  stage7::Lock outer(quorum, "orders", {.default_lease = long_lease, .renew_every = lease});
  stage7::Lock inner(quorum, "orders", {.lease = lease});
  ASSERT_EQ(outer.try_acquire(), Acquire::acquired);
  ASSERT_EQ(inner.try_acquire(), Acquire::acquired);
  eventually("all have it", [&] { return nodes_with("orders") == 5; });
  at_each({"DEL", "orders"}, 0, 1);
  eventually("all have it again", [&] { return nodes_with("orders") == 5; });
  EXPECT_GT(node(0).direct().command({"PTTL", "orders"}).integer(), 30'000);
}

TEST_F(Stage7Renewing, LeavesAStrangersKeyOnAMinorityAlone) {
  stage7::Lock lock(quorum, "orders", never_late);
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  eventually("all have it", [&] { return nodes_with("orders") == 5; });
  at_each({"EVAL",
           "redis.call('HSET', KEYS[1], 'token', 'somebody else') redis.call('PERSIST', KEYS[1])",
           "1", "orders"},
          0, 2);
  wait_for_commands(0, 9);
  EXPECT_EQ(field(0, "orders", "token"), "somebody else");
  EXPECT_EQ(node(0).direct().command({"PTTL", "orders"}).integer(), -1);
  EXPECT_FALSE(lock.lost().stop_requested());
}

TEST_F(Stage7Renewing, GivesAMinorityEverybodyWhoIsInside) {
  stage7::Lock lock(quorum, "orders", {.default_lease = long_lease, .renew_every = period});
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  const auto token = lock.hold_token();
  std::latch joined(1);
  std::latch seen(1);
  std::jthread other([&] {
    ASSERT_EQ(lock.join(*token), Acquire::acquired);
    joined.count_down();
    seen.wait();
    EXPECT_EQ(lock.release(), Release::still_held);
  });
  joined.wait();
  const auto fields = [&](std::size_t i) {
    return node(i).direct().command({"HLEN", "orders"}).integer();
  };
  eventually("all have both", [&] { return fields(0) == 6 && fields(4) == 6; });
  at_each({"DEL", "orders"}, 0, 1);
  eventually("it has both again", [&] { return fields(0) == 6; });
  seen.count_down();
  other.join();
  EXPECT_EQ(lock.release(), Release::released);
}

TEST_F(Stage7Renewing, RepairsNoNodeBeforeItsMajority) {
  stage7::Lock lock(quorum, "orders", {.default_lease = 3 * period, .renew_every = period});
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  const auto lost = lock.lost();
  wait_for_a_round();  // then there is time until the next
  link(2).cut_off(Direction::command);
  at_each({"DEL", "orders"}, 0, 2);  // two are left that have it and hear of it
  eventually("word of the loss has come", [&] { return lost.stop_requested(); });
  EXPECT_FALSE(has(0, "orders"));
}

TEST_F(Stage7Renewing, RepairsNobodyOfAHoldThatIsBeingGivenBack) {
  stage7::Quorum hasty(addresses(), {.node_timeout = period / 2});
  stage7::Lock lock(hasty, "orders", {.default_lease = 9 * period, .renew_every = 3 * period});
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  eventually("all have it", [&] { return nodes_with("orders") == 5; });
  at_each({"DEL", "orders"}, 0, 1);
  std::vector<std::size_t> before;
  for (std::size_t i = 0; i < count; ++i) before.push_back(commands(i));
  // The answer of the one that has lost it comes when the lock is being given back.
  auto lost = link(0).arm({.direction = Direction::reply, .command = "EVALSHA"}, Action::hold_back);
  lost.await(milliseconds(10'000));
  for (std::size_t i = 1; i < count; ++i) {
    eventually("the others have confirmed it",
               [&] { return commands(i) > before[i] && all_answered(i); });
  }
  for (std::size_t i = 1; i < 4; ++i) link(i).cut_off(Direction::command);
  EXPECT_EQ(lock.release(), Release::unknown);
  lost.deliver();
  // The watchdog has heard of the loss before anything that follows.
  stage7::Quorum one({link(0).address()}, {.node_timeout = milliseconds(10'000)});
  stage7::Lock other(one, "invoices", never_late);
  ASSERT_EQ(other.try_acquire(), Acquire::acquired);
  wait_for_commands(0, 3);
  EXPECT_FALSE(has(0, "orders"));
}

TEST_F(Stage7Renewing, NeedsMembers) {
  stage7::Lock lock(quorum, "orders", never_late);
  needs_members(lock, long_lease, quorum.marker());
}

TEST_F(Stage7Renewing, NeverBringsBackAMajorityThatIsLost) {
  stage7::Lock lock(quorum, "orders", {.default_lease = 3 * period, .renew_every = period});
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  const auto lost = lock.lost();
  wait_for_a_round();  // then there is time until the next
  at_each({"DEL", "orders"}, 0, 3);
  eventually("word of the loss has come", [&] { return lost.stop_requested(); });
  eventually("the rest of it has expired", [&] { return nodes_with("orders") == 0; });
}

TEST_F(Stage7Renewing, LeavesALeaseAloneThatTheCallerNamed) {
  stage7::Lock lock(quorum, "orders", {.lease = lease, .renew_every = lease / 3});
  ends_with_its_lease(lock);
}

TEST_F(Stage7Renewing, RefusesALeaseThatIsTooShortForIt) {
  EXPECT_THROW(stage7::Lock(quorum, "orders", {.default_lease = milliseconds(29)}),
               std::invalid_argument);
  EXPECT_THROW(stage7::Lock(quorum, "orders",
                            {.default_lease = milliseconds(100), .renew_every = milliseconds(51)}),
               std::invalid_argument);
}

TEST_F(Stage7Amnesia, AbstainsWithoutItsMarker) {
  stage7::Lock lock(quorum, "orders", {.lease = long_lease});
  at_each({"DEL", quorum.marker()}, 0, 2);
  EXPECT_EQ(lock.try_acquire(), Acquire::acquired);
  EXPECT_EQ(lock.release(), Release::released);
  at_each({"DEL", quorum.marker()}, 2, 3);
  try {
    (void)lock.try_acquire();
    FAIL() << "three nodes that have forgotten everything gave the lock away";
  } catch (const core::ErrorReply& error) {
    EXPECT_STREQ(error.what(),
                 "3 of 5 nodes do not vote: ABSTAIN this node has no marker redlock:member");
  }
  eventually("nobody has it", [&] { return nodes_with("orders") == 0; });
}

TEST_F(Stage7Amnesia, AbstainsWhenAHoldIsEnteredAgain) {
  stage7::Lock lock(quorum, "orders", {.lease = long_lease});
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  eventually("all have it", [&] { return nodes_with("orders") == 5; });
  at_each({"DEL", quorum.marker()}, 0, 3);
  EXPECT_THROW((void)lock.try_acquire(), core::ErrorReply);
  EXPECT_EQ(lock.hold_count(), 1);
}

TEST_F(Stage7Amnesia, VotesWithoutAMarkerIfNoneIsAskedFor) {
  stage7::Quorum careless(addresses(), {.node_timeout = milliseconds(10'000), .marker = ""});
  stage7::Lock lock(careless, "orders", {.lease = long_lease});
  at_each({"DEL", quorum.marker()});
  EXPECT_EQ(lock.try_acquire(), Acquire::acquired);
}

TEST_F(Stage7Amnesia, IsNotRepairedAndDoesNotRenew) {
  stage7::Lock lock(quorum, "orders", never_late);
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  eventually("all have it", [&] { return nodes_with("orders") == 5; });
  at_each({"FLUSHALL"}, 0, 1);
  wait_for_commands(0, 4);
  EXPECT_FALSE(has(0, "orders"));
  EXPECT_FALSE(lock.lost().stop_requested());
}

TEST_F(Stage7Amnesia, IsNothingToReadmitFromWithoutAMarker) {
  stage7::Quorum careless(addresses(), {.marker = ""});
  EXPECT_THROW((void)careless.readmit(node(0).address(), long_lease), std::logic_error);
}

TEST_F(Stage7Amnesia, IsOverWhenTheLongestLeaseIs) {
  at_each({"FLUSHALL"}, 0, 1);
  const auto start = steady_clock::now();
  EXPECT_TRUE(others.readmit(node(0).address(), milliseconds(50)));
  EXPECT_GE(steady_clock::now() - start, milliseconds(50));
  EXPECT_TRUE(has(0, quorum.marker()));
  at_each({"FLUSHALL"}, 0, 1);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(others.readmit(node(0).address(), long_lease, stop.get_token()));
  EXPECT_FALSE(has(0, quorum.marker()));
}

TEST_F(Stage7Script, LeavesNoLockWithoutALease) {
  stage7::Lock lock(quorum, "orders", {.lease = long_lease});
  at_each({"ACL", "SETUSER", "default", "-pexpire"});
  EXPECT_THROW((void)lock.try_acquire(), core::ErrorReply);
  EXPECT_EQ(nodes_with("orders"), 0);
  at_each({"ACL", "SETUSER", "default", "-del"});
  EXPECT_THROW((void)lock.try_acquire(), core::ErrorReply);
  at_each({"ACL", "SETUSER", "default", "+pexpire", "+del"});
  EXPECT_EQ(lock.try_acquire(), Acquire::acquired);
}

TEST_F(Stage7Script, LetsNobodyInWhereTheLeaseWasRemoved) {
  stage7::Lock lock(quorum, "orders", {.lease = long_lease});
  at_each({"HSET", "orders", "token", "somebody else"});
  EXPECT_EQ(lock.try_acquire(), Acquire::contended);
}

TEST_F(Stage7Script, IsKnownToTheServerByTheShaOfTheBuild) {
  namespace scripts = stage7::scripts;
  for (const auto& script : {scripts::acquire, scripts::release, scripts::renew}) {
    EXPECT_EQ(node(0).direct().command({"SCRIPT", "LOAD", script.text}).text(), script.sha1);
  }
}

TEST_F(Stage7Script, RenewsOnlyForAParticipantOfItsHold) {
  using stage7::scripts::renew;
  auto& server = node(0).direct();
  const auto ask = [&](std::string_view token, std::string_view lease_ms, std::string_view who) {
    return server.run(renew, {"orders"}, {token, lease_ms, who}).integer();
  };
  const auto left = [&] { return server.command({"PTTL", "orders"}).integer(); };
  server.command({"HSET", "orders", "token", "mine", "me:1", "1", "lease", "5000"});
  server.command({"PEXPIRE", "orders", "5000"});
  EXPECT_EQ(ask("yours", "90000", "me:1"), 0);
  EXPECT_EQ(ask("mine", "90000", "me:2"), 0);
  EXPECT_LE(left(), 5'000);
  EXPECT_EQ(ask("mine", "90000", "me:1"), 1);
  EXPECT_GT(left(), 80'000);
  EXPECT_EQ(field(0, "orders", "lease"), "90000");
  server.command({"HSET", "orders", "lease", "5000"});
  EXPECT_EQ(ask("mine", "100", "me:1"), 1);
  EXPECT_GT(left(), 4'000);
}

// A vote for each, also where two databases of one server are named.
TEST_F(Stage7Quorum, RefusesAServerThatIsNamedTwice) {
  auto nodes = addresses();
  nodes.back() = nodes.front();
  EXPECT_THROW(stage7::Quorum{nodes}, std::invalid_argument);
  nodes.back().database = 1;
  EXPECT_THROW(stage7::Quorum{nodes}, std::invalid_argument);
}

TEST_F(Stage7Quorum, IsSharedByThreads) {
  std::atomic<int> inside = 0;
  std::atomic<int> worst = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      stage7::Lock lock(quorum, "orders", {.lease = long_lease});
      for (int round = 0; round < 5; ++round) {
        const std::lock_guard guard(lock);
        worst = std::max(worst.load(), ++inside);
        --inside;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(worst, 1);
}

TEST_F(Stage7Quorum, ShowsAndRemovesAHolder) {
  stage7::Lock lock(quorum, "orders", {.lease = long_lease});
  EXPECT_EQ(lock.holder(), std::nullopt);
  EXPECT_FALSE(lock.force_release());
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  eventually("all have it", [&] { return nodes_with("orders") == 5; });
  ASSERT_TRUE(lock.holder().has_value());
  EXPECT_THAT(lock.holder()->who, HasSubstr("process " + std::to_string(getpid())));
  EXPECT_TRUE(lock.force_release());
  EXPECT_EQ(nodes_with("orders"), 0);
  for (std::size_t i = 0; i < 3; ++i) node(i).kill();
  EXPECT_THROW((void)lock.force_release(), core::LostReply);
}

}  // namespace

#include <gmock/gmock.h>

#include <array>
#include <atomic>
#include <deque>
#include <set>

#include "core/error.h"
#include "core/redis/async_connection.h"
#include "core/testing/lock_contract.h"
#include "faults/testing/quorum_test.h"
#include "faults/world/tested_lock.h"
#include "faults/world/world.h"
#include "stage7_redlock/testing/quorum_of_one.h"
#include "stage8_fencing/lock.h"
#include "stage8_fencing/readmission.h"
#include "stage8_fencing/scripts.h"

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
using testing::HasSubstr;
namespace scripts = stage8::scripts;

constexpr milliseconds lease{600};
constexpr milliseconds long_lease{2 * core::longest_wait};
// For tests in which no lease has to pass: nothing is lost, however slow the machine.
const stage8::Options never_late{.default_lease = long_lease, .renew_every = lease / 3};

const core::LockUnderTest stage8_lock{.name = "stage8",
                                      .make =
                                          [](auto& server, auto key, auto time) {
                                            return std::make_unique<stage8::Lock>(
                                                stage7::quorum_of_one(server), std::move(key),
                                                stage8::Options{.lease = time});
                                          },
                                      .acquiring = {"EVALSHA"},
                                      .contended = {"EVALSHA"},
                                      .releasing = {"EVALSHA"},
                                      .not_releasing = {"EVALSHA"},
                                      .reentrant = true};

INSTANTIATE_TEST_SUITE_P(Stage8, LockContract, testing::Values(stage8_lock));
INSTANTIATE_TEST_SUITE_P(Stage8, LeaseContract, testing::Values(stage8_lock));
INSTANTIATE_TEST_SUITE_P(Stage8, OwnerContract, testing::Values(stage8_lock));
INSTANTIATE_TEST_SUITE_P(Stage8, ReentrantContract, testing::Values(stage8_lock));

class Stage8 : public faults::QuorumTest {
 protected:
  stage7::Quorum quorum{addresses(), {.node_timeout = milliseconds(10'000)}};
  stage7::Quorum direct{past_the_links(), {.node_timeout = milliseconds(10'000)}};
  stage8::Lock lock{quorum, "orders", {.lease = long_lease}};

  void SetUp() override { at_each({"SET", quorum.marker(), "1"}); }
  void set_counters(const std::vector<std::string>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      at_each({"SET", "orders:fencing", values[i]}, i, i + 1);
    }
  }
  [[nodiscard]] long counter(std::size_t i) {
    const auto text = node(i).direct().command({"GET", "orders:fencing"});
    return text.is_nil() ? 0 : std::stol(std::string(text.text()));
  }
  // On how many nodes the counter is at least `token`.
  [[nodiscard]] std::size_t nodes_at(std::uint64_t token) {
    std::size_t found = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (counter(i) >= static_cast<long>(token)) ++found;
    }
    return found;
  }
  [[nodiscard]] std::uint64_t take_a_token() {
    EXPECT_EQ(lock.try_acquire(), Acquire::acquired);
    const auto token = lock.fencing_token().value_or(0);
    EXPECT_EQ(lock.release(), Release::released);
    return token;
  }
  [[nodiscard]] core::Reply run(std::size_t i, const core::Script& script,
                                std::initializer_list<std::string_view> keys,
                                std::initializer_list<std::string_view> arguments) {
    return node(i).direct().run(script, keys, arguments);
  }
};

using Stage8Fencing = Stage8;
using Stage8Releasing = Stage8;
using Stage8Renewing = Stage8;
using Stage8Operator = Stage8;
using Stage8Readmission = Stage8;
using Stage8Script = Stage8;
using Stage8Store = Stage8;

TEST_F(Stage8Fencing, IsGreaterThanEveryOneBefore) {
  EXPECT_EQ(lock.fencing_token(), std::nullopt);
  std::uint64_t last = 0;
  for (int round = 0; round < 20; ++round) {
    const auto token = take_a_token();
    EXPECT_GT(token, last);
    EXPECT_GE(nodes_at(token), 3);
    last = token;
  }
}

TEST_F(Stage8Fencing, IsGreaterWhicheverMajorityVotes) {
  std::uint64_t last = 0;
  for (std::size_t round = 0; round < count * 2; ++round) {
    node(round % count).freeze();
    node((round + 1) % count).freeze();
    const auto token = take_a_token();
    EXPECT_GT(token, last);
    last = token;
    node(round % count).thaw();
    node((round + 1) % count).thaw();
  }
}

TEST_F(Stage8Fencing, TakesOneRoundWhenTheCountersAgree) {
  (void)take_a_token();
  eventually("all have heard", [&] { return nodes_at(1) == 5 && nodes_with("orders") == 0; });
  const auto before = commands(0);
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  EXPECT_EQ(commands(0), before + 1);
}

TEST_F(Stage8Fencing, IsStoredByAMajorityWhenTheyDisagree) {
  set_counters({"9", "0", "9", "0", "0"});
  node(3).kill();
  node(4).kill();
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  EXPECT_EQ(lock.fencing_token(), 10);
  EXPECT_EQ(counter(0), 10);
  EXPECT_EQ(counter(1), 10) << "the next majority may hear of it from this node only";
  EXPECT_EQ(counter(2), 10);
}

TEST_F(Stage8Fencing, IsStoredByAMajorityWhenTheFirstIsBehind) {
  set_counters({"8", "9", "9", "0", "0"});
  node(3).kill();
  node(4).kill();
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  EXPECT_EQ(lock.fencing_token(), 10);
  EXPECT_EQ(counter(0), 10);
}

TEST_F(Stage8Fencing, IsStoredByAMajorityEvenWhenAllSaidYes) {
  auto nodes = past_the_links();
  nodes.resize(2);  // of two nobody may miss
  testing::internal::CaptureStderr();
  stage7::Quorum two(nodes, {.node_timeout = milliseconds(10'000)});
  (void)testing::internal::GetCapturedStderr();
  stage8::Lock of_two(two, "orders", {.lease = long_lease});
  set_counters({"9", "0"});
  ASSERT_EQ(of_two.try_acquire(), Acquire::acquired);
  EXPECT_EQ(of_two.fencing_token(), 10);
  EXPECT_EQ(counter(1), 10);
}

TEST_F(Stage8Fencing, IsTheHighestWhicheverNodeSaysSo) {
  node(3).kill();
  node(4).kill();
  for (std::size_t i = 0; i < 3; ++i) {
    const auto highest = 10 * (i + 1);
    set_counters({"0", "0", "0"});
    at_each({"SET", "orders:fencing", std::to_string(highest)}, i, i + 1);
    EXPECT_EQ(take_a_token(), highest + 1);
    eventually("nobody has it", [&] { return nodes_with("orders") == 0; });
  }
}

TEST_F(Stage8Fencing, IsNotGivenOutByTheLoserOfANode) {
  set_counters({"9", "0", "9"});
  node(3).kill();
  node(4).kill();
  // Between the two rounds node2 loses the hold to another client.
  auto raising = link(1).arm({.direction = Direction::command, .nth = 2}, Action::hold_back);
  std::jthread loser([&] { EXPECT_NE(lock.try_acquire(), Acquire::acquired); });
  raising.await(milliseconds(10'000));
  at_each({"HSET", "orders", "token", "somebody else"}, 1, 2);
  raising.deliver();
  loser.join();
  EXPECT_EQ(counter(1), 1);
}

TEST_F(Stage8Fencing, RollsBackAnsweredNodesBeforeReturning) {
  set_counters({"9", "0", "9"});
  for (const std::size_t i : {3U, 4U}) link(i).shut();
  std::deque<faults::Fault> raising;
  for (const std::size_t i : {0U, 1U}) {
    raising.push_back(link(i).arm({.direction = Direction::command, .nth = 2}, Action::hold_back));
  }
  std::atomic<bool> told = false;
  std::jthread loser([&] {
    EXPECT_NE(lock.try_acquire(), Acquire::acquired);
    told = true;
    EXPECT_FALSE(has(1, "orders"));
  });
  for (const auto& held : raising) held.await(milliseconds(10'000));
  at_each({"HSET", "orders", "token", "somebody else"}, 0, 1);
  raising[0].deliver();  // now no majority can have it raised
  eventually("it is taken back", [&] { return commands(2) == 3 && link(2).all_answered(); });
  std::this_thread::sleep_for(milliseconds(100));  // time to tell too soon
  EXPECT_FALSE(told);
  raising[1].deliver();
}

TEST_F(Stage8Fencing, IsNotGivenTwiceWhenAnAcquireComesLate) {
  set_counters({"8", "9", "8", "9", "9"});
  // B hears 9, 10 and 9 of the first three, so its token will be 10. Its acquires are still on
  // their way to the other two, and its second round to all.
  std::deque<faults::Fault> late;
  for (const std::size_t i : {3U, 4U}) {
    late.push_back(link(i).arm({.direction = Direction::command}, Action::hold_back));
  }
  for (const std::size_t i : {0U, 1U, 2U}) {
    late.push_back(link(i).arm({.direction = Direction::command, .nth = 2}, Action::hold_back));
  }
  std::jthread b([&] { EXPECT_EQ(lock.try_acquire(), Acquire::contended); });
  for (const auto& held : late) held.await(milliseconds(10'000));
  // The first forgets B before its time, and A gets that one and the other two: three times 10.
  node(0).step_clock(2 * long_lease);
  stage8::Lock other(direct, "orders", {.lease = long_lease});
  ASSERT_EQ(other.try_acquire(), Acquire::acquired);
  EXPECT_EQ(other.fencing_token(), 10);
  ASSERT_EQ(other.release(), Release::released);
  eventually("A has left", [&] { return nodes_with("orders") == 2; });
  // A node that is B's now and has counted to 11 must not count for B's 10.
  for (auto& held : late) held.deliver();
  b.join();
  EXPECT_GT(take_a_token(), 10U);
}

TEST_F(Stage8Fencing, IsNotBelievedAfterItsLease) {
  stage8::Lock brief(quorum, "orders", {.lease = milliseconds(1'000)});
  set_counters({"9", "0", "9"});
  node(3).kill();
  node(4).kill();
  const auto late = link(1).arm({.direction = Direction::reply, .nth = 2}, Action::delay,
                                milliseconds(1'100));  // to the second round
  EXPECT_EQ(brief.try_acquire(), Acquire::unknown);
  EXPECT_TRUE(late.fired());
  EXPECT_EQ(brief.hold_count(), 0);
}

TEST_F(Stage8Fencing, IsTakenBackWhereItCameTooLate) {
  stage8::Lock brief(quorum, "orders", {.lease = milliseconds(500)});
  std::deque<faults::Fault> late;
  for (std::size_t i = 0; i < 3; ++i) {
    late.push_back(link(i).arm({}, Action::delay, milliseconds(500)));
  }
  EXPECT_EQ(brief.try_acquire(), Acquire::unknown);
  EXPECT_EQ(nodes_with("orders"), 0);
}

TEST_F(Stage8Fencing, RollsBackWhenTheSecondRoundFails) {
  set_counters({"9", "0", "9"});
  node(3).kill();
  node(4).kill();
  {
    const auto lost = link(1).arm({.direction = Direction::command, .nth = 2}, Action::reset);
    EXPECT_EQ(lock.try_acquire(), Acquire::unknown);
  }
  EXPECT_EQ(lock.try_acquire(), Acquire::acquired) << "something was left";
  EXPECT_EQ(lock.fencing_token(), 11);
}

TEST_F(Stage8Fencing, IsCarriedByTheReleaseToWhoHasLostIt) {
  set_counters({"9", "9", "9", "9", "9"});
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  eventually("all have it", [&] { return nodes_with("orders") == 5; });
  set_counters({"3"});
  ASSERT_EQ(lock.release(), Release::released);
  eventually("nobody has it", [&] { return nodes_with("orders") == 0; });
  EXPECT_EQ(counter(0), 10);
}

TEST_F(Stage8Fencing, IsCarriedByAReEntryToWhoHasLostIt) {
  set_counters({"9", "9", "9", "9", "9"});
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  eventually("all have it", [&] { return nodes_with("orders") == 5; });
  set_counters({"3"});
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  eventually("all know of it", [&] { return depth(0) == "2"; });
  EXPECT_EQ(counter(0), 10);
  ASSERT_EQ(lock.release(), Release::still_held);
  eventually("all know that one has left", [&] { return depth(0) == "1"; });
}

TEST_F(Stage8Fencing, IsNotCountedUpByARepair) {
  stage8::Lock renewed(quorum, "orders", never_late);
  set_counters({"9", "9", "9", "9", "9"});
  ASSERT_EQ(renewed.try_acquire(), Acquire::acquired);
  eventually("all have it", [&] { return nodes_with("orders") == 5; });
  at_each({"DEL", "orders"}, 0, 1);
  eventually("all have it again", [&] { return nodes_with("orders") == 5; });
  EXPECT_EQ(counter(0), 10);
}

TEST_F(Stage8Fencing, IsRefusedToAKeyThatIsNamedAsACounter) {
  EXPECT_THROW((stage8::Lock{quorum, "orders:fencing", {}}), std::invalid_argument);
}

TEST_F(Stage8Fencing, IsKeptByReEntryAndByWhoJoins) {
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  const auto token = lock.fencing_token();
  eventually("all have it", [&] { return nodes_with("orders") == 5; });
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  EXPECT_EQ(lock.fencing_token(), token);
  const auto hold = lock.hold_token();
  on_another_thread([&] {
    ASSERT_EQ(lock.join(*hold), Acquire::acquired);
    EXPECT_EQ(lock.fencing_token(), token);
    EXPECT_EQ(lock.release(), Release::still_held);
  });
  EXPECT_THROW((void)lock.join("nonsense"), std::invalid_argument);
  EXPECT_THROW((void)lock.join(*hold + "nonsense"), std::invalid_argument);
  EXPECT_EQ(lock.release(), Release::still_held);
  EXPECT_EQ(lock.release(), Release::released);
  EXPECT_EQ(nodes_at(*token + 1), 0);
}

TEST_F(Stage8Fencing, IsNotGivenToWhoJoinsByAMinority) {
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  const auto hold = *lock.hold_token();
  eventually("all have it", [&] { return nodes_with("orders") == 5; });
  at_each({"DEL", "orders"}, 0, 3);
  on_another_thread([&] { EXPECT_EQ(lock.join(hold), Acquire::contended); });
  eventually("all have heard of both", [&] { return commands(4) >= 3 && link(4).all_answered(); });
  EXPECT_EQ(node(4).direct().command({"HLEN", "orders"}).integer(), 6) << "he was left inside";
}

TEST_F(Stage8Fencing, IsGivenToAMinorityThatLostTheCounter) {
  stage8::Lock renewed(quorum, "orders", never_late);
  set_counters({"9", "9", "9", "9", "9"});
  ASSERT_EQ(renewed.try_acquire(), Acquire::acquired);
  eventually("all have it", [&] { return nodes_with("orders") == 5; });
  at_each({"DEL", "orders", "orders:fencing"}, 0, 2);
  eventually("all have it again", [&] { return nodes_with("orders") == 5; });
  EXPECT_EQ(counter(0), 10);
  EXPECT_EQ(counter(1), 10);
}

TEST_F(Stage8Fencing, IsGivenToAMinorityAfterAnInnerRelease) {
  stage8::Lock renewed(quorum, "orders", never_late);
  set_counters({"9", "9", "9", "9", "9"});
  ASSERT_EQ(renewed.try_acquire(), Acquire::acquired);
  ASSERT_EQ(renewed.try_acquire(), Acquire::acquired);
  ASSERT_EQ(renewed.release(), Release::still_held);
  eventually("all have it", [&] { return nodes_with("orders") == 5; });
  at_each({"DEL", "orders", "orders:fencing"}, 0, 1);
  eventually("all have it again", [&] { return nodes_with("orders") == 5; });
  EXPECT_EQ(counter(0), 10);
  EXPECT_EQ(depth(0), "1");
}

TEST_F(Stage8Releasing, HoldsNoMoreThoughItGotNoAnswer) {
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  EXPECT_TRUE(lock.held_by_this_thread());
  const auto lost = lose_second_answers();
  EXPECT_EQ(lock.release(), Release::unknown);
  EXPECT_FALSE(lock.held_by_this_thread());
}

TEST_F(Stage8Fencing, HasNoLease) {
  (void)take_a_token();
  EXPECT_EQ(node(0).direct().command({"PTTL", "orders:fencing"}).integer(), -1);
}

TEST_F(Stage8Renewing, LeavesALeaseAloneThatTheCallerNamed) {
  stage8::Lock brief(quorum, "orders", {.lease = lease, .renew_every = lease / 3});
  ends_with_its_lease(brief);
}

TEST_F(Stage8Renewing, NeedsMembers) {
  stage8::Lock renewed(quorum, "orders", never_late);
  needs_members(renewed, long_lease, quorum.marker());
}

TEST_F(Stage8Renewing, EndsWithAReleaseWhoseOutcomeIsUnknown) {
  stage8::Lock renewed(quorum, "orders", {.default_lease = 5 * lease, .renew_every = lease});
  ASSERT_EQ(renewed.try_acquire(), Acquire::acquired);
  eventually("all have it", [&] { return nodes_with("orders") == 5; });
  {
    std::deque<faults::Fault> lost;  // renewals go by SHA-1, the first release by its text
    at_each({"SCRIPT", "LOAD", std::string(scripts::renew.text)});
    for (std::size_t i = 0; i < 3; ++i) {
      lost.push_back(link(i).arm({.command = "EVAL"}, Action::reset));
    }
    EXPECT_EQ(renewed.release(), Release::unknown);
  }
  eventually("the lease has ended", [&] { return nodes_with("orders") == 0; });
}

TEST_F(Stage8Renewing, RefusesALeaseThatIsTooShortForIt) {
  EXPECT_THROW(stage8::Lock(quorum, "orders", {.default_lease = milliseconds(29)}),
               std::invalid_argument);
  EXPECT_THROW(stage8::Lock(quorum, "orders",
                            {.default_lease = milliseconds(100), .renew_every = milliseconds(51)}),
               std::invalid_argument);
}

TEST_F(Stage8Readmission, WaitsUntilTheLongestLeaseIsOver) {
  at_each({"FLUSHALL"}, 0, 1);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(stage8::readmit(direct, node(0).address(), milliseconds(50)));
  EXPECT_GE(std::chrono::steady_clock::now() - start, milliseconds(50));
  at_each({"FLUSHALL"}, 0, 1);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(stage8::readmit(direct, node(0).address(), long_lease, stop.get_token()));
  EXPECT_FALSE(has(0, quorum.marker()));
}

// Until then a majority may still count that the node itself was in.
TEST_F(Stage8Readmission, CollectsTheCountersAfterItsWait) {
  using Clock = std::chrono::steady_clock;
  std::atomic<Clock::duration> asked{Clock::duration::max()};
  const auto start = Clock::now();
  for (std::size_t i = 0; i < count; ++i) {
    link(i).decide_by([&](const faults::Boundary&) {
      asked = std::min(asked.load(), Clock::now() - start);
      return Action::forward;
    });
  }
  EXPECT_TRUE(stage8::readmit(quorum, addresses()[0], milliseconds(50)));
  EXPECT_GE(asked.load(), milliseconds(50));
  for (std::size_t i = 0; i < count; ++i) link(i).decide_by({});
}

TEST_F(Stage8Readmission, DoesNotAskTheOneItIsAbout) {
  node(3).kill();
  node(4).kill();
  EXPECT_THROW((void)stage8::readmit(direct, node(0).address(), milliseconds(0)),
               core::Unreachable);
}

TEST_F(Stage8Operator, ShowsAndRemovesAHolder) {
  EXPECT_EQ(lock.holder(), std::nullopt);
  EXPECT_FALSE(lock.force_release());
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  eventually("all have it", [&] { return nodes_with("orders") == 5; });
  ASSERT_TRUE(lock.holder().has_value());
  EXPECT_THAT(lock.holder()->who, HasSubstr("process " + std::to_string(getpid())));
  EXPECT_TRUE(lock.force_release());
  EXPECT_EQ(nodes_with("orders"), 0);
}

TEST_F(Stage8Readmission, TakesTheHighestOfAllOthers) {
  set_counters({"0", "5", "7", "6", "2"});
  at_each({"FLUSHALL"}, 0, 1);
  EXPECT_TRUE(stage8::readmit(direct, node(0).address(), milliseconds(0)));
  EXPECT_EQ(counter(0), 7);
  EXPECT_TRUE(has(0, quorum.marker()));
}

TEST_F(Stage8Readmission, LeavesKeysAloneThatAreNoCounters) {
  at_each({"HSET", "of others:fencing", "post", "oak"});
  at_each({"SET", "more of others:fencing", "connection"});
  set_counters({"0", "5", "7", "6", "2"});
  at_each({"FLUSHALL"}, 0, 1);
  EXPECT_TRUE(stage8::readmit(direct, node(0).address(), milliseconds(0)));
  EXPECT_EQ(node(0).direct().command({"DBSIZE"}).integer(), 2);  // the counter, and the marker
}

TEST_F(Stage8Readmission, AdmitsNoNodeWithoutTheCounters) {
  set_counters({"0", "5", "7", "6", "2"});
  at_each({"FLUSHALL"}, 0, 1);
  at_each({"HSET", "orders:fencing", "post", "oak"}, 0, 1);
  EXPECT_THROW((void)stage8::readmit(direct, node(0).address(), milliseconds(0)), core::ErrorReply);
  EXPECT_FALSE(has(0, quorum.marker()));
}

TEST_F(Stage8Readmission, NeedsAMarker) {
  stage7::Quorum careless(addresses(), {.marker = ""});
  EXPECT_THROW((void)stage8::readmit(careless, node(0).address(), long_lease), std::logic_error);
}

TEST_F(Stage8Readmission, NeedsEnoughMembersToAsk) {
  at_each({"FLUSHALL"}, 0, 1);
  node(3).kill();
  EXPECT_TRUE(stage8::readmit(direct, node(0).address(), milliseconds(0)));
  at_each({"FLUSHALL"}, 0, 1);
  at_each({"DEL", quorum.marker()}, 2, 3);  // another one that does not know
  try {
    (void)stage8::readmit(direct, node(0).address(), milliseconds(0));
    FAIL() << "two members may not have heard of the last token";
  } catch (const core::Unreachable& error) {
    EXPECT_THAT(error.what(), HasSubstr("2 members know the counters, and it takes 3: "));
  }
  EXPECT_FALSE(has(0, quorum.marker()));
}

TEST_F(Stage8Script, CountsANewHoldOnceHoweverOftenItComes) {
  const auto begin = [&](std::string_view fencing) {
    return run(0, scripts::acquire, {"orders", "orders:fencing"},
               {"mine", "me:1", "1", "60000", "begin", "host", fencing})
        .integer(1);
  };
  EXPECT_EQ(begin("0"), 1);
  EXPECT_EQ(begin("0"), 1);
  EXPECT_EQ(field(0, "orders", "me:1"), "1");
  EXPECT_EQ(begin("7"), 7);
  EXPECT_EQ(counter(0), 7);
  EXPECT_EQ(begin("3"), 3);
  EXPECT_EQ(counter(0), 7) << "a counter never goes down";
}

TEST_F(Stage8Script, LeavesNoLockWithoutALease) {
  const auto begin = [&](std::string_view fencing) {
    try {
      (void)run(0, scripts::acquire, {"orders", "orders:fencing"},
                {"mine", "me:1", "1", "60000", "begin", "host", fencing});
    } catch (const core::ErrorReply&) {  // that is what the missing right is for
    }
    return node(0).direct().command({"PTTL", "orders"}).integer();
  };
  constexpr long no_key = -2;
  for (const std::string right : {"hget", "hset", "time", "incr", "get", "set", "pexpire"}) {
    for (const std::string_view fencing : {"0", "5"}) {
      at_each({"FLUSHALL"}, 0, 1);
      at_each({"ACL", "SETUSER", "default", "-" + right}, 0, 1);
      EXPECT_TRUE(begin(fencing) > 0 || begin(fencing) == no_key) << right << ' ' << fencing;
      at_each({"ACL", "SETUSER", "default", "+" + right}, 0, 1);
    }
  }
  at_each({"FLUSHALL"}, 0, 1);
  at_each({"RPUSH", "orders:fencing", "no counter"}, 0, 1);
  EXPECT_EQ(begin("0"), no_key);
  EXPECT_EQ(begin("5"), no_key);
}

TEST_F(Stage8Script, LeavesNoLockThatItCannotRemove) {
  const auto begin = [&](std::string_view token) {
    return run(0, scripts::acquire, {"orders", "orders:fencing"},
               {token, "me:1", "1", "60000", "begin", "host", "0"})
        .integer(0);
  };
  at_each({"ACL", "SETUSER", "default", "-pexpire", "-del"}, 0, 1);
  EXPECT_THROW((void)begin("mine"), core::ErrorReply);
  at_each({"ACL", "SETUSER", "default", "+pexpire", "+del"}, 0, 1);
  EXPECT_EQ(begin("another"), 60'000);
}

TEST_F(Stage8Releasing, StaysHeldIfItCannotBeAnnounced) {
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  eventually("all have it", [&] { return nodes_with("orders") == 5; });
  at_each({"ACL", "SETUSER", "default", "-publish"});
  EXPECT_THROW((void)lock.release(), core::ErrorReply);
  EXPECT_EQ(nodes_with("orders"), 5);
  at_each({"ACL", "SETUSER", "default", "+publish"});
  EXPECT_EQ(lock.release(), Release::released);
}

TEST_F(Stage8Script, LetsNobodyInWhereTheLeaseWasRemoved) {
  at_each({"HSET", "orders", "token", "somebody else"});
  EXPECT_EQ(lock.try_acquire(), Acquire::contended);
}

TEST_F(Stage8Script, ComparesNumbersAndNotTheirDigits) {
  set_counters({"9"});
  EXPECT_EQ(run(0, scripts::raise_counter, {"orders:fencing"}, {"10"}).integer(), 10);
  set_counters({"9"});
  (void)run(0, scripts::acquire, {"orders", "orders:fencing"},
            {"mine", "me:1", "1", "60000", "begin", "host", "10"});
  EXPECT_EQ(counter(0), 10);
  set_counters({"9"});
  EXPECT_EQ(run(0, scripts::raise, {"orders", "orders:fencing"}, {"mine", "10"}).integer(), 1);
  EXPECT_EQ(counter(0), 10);
  set_counters({"9"});
  EXPECT_EQ(run(0, scripts::release, {"orders", "orders:fencing"},
                {"mine", "me:1", "0", "orders:released", "10"})
                .integer(),
            1);
  EXPECT_EQ(counter(0), 10);
  (void)run(0, scripts::fenced_store, {"account"}, {"write", "9", "a"});
  (void)run(0, scripts::fenced_store, {"account"}, {"write", "10", "b"});
  EXPECT_THROW((void)run(0, scripts::fenced_store, {"account"}, {"write", "9", "c"}),
               core::ErrorReply);
}

TEST_F(Stage8Script, RaisesOnlyForAHoldThatIsThere) {
  const auto raise = [&](std::string_view token, std::string_view fencing) {
    return run(0, scripts::raise, {"orders", "orders:fencing"}, {token, fencing}).integer();
  };
  EXPECT_EQ(raise("mine", "5"), 0);
  at_each({"HSET", "orders", "token", "mine"}, 0, 1);
  EXPECT_EQ(raise("yours", "5"), 0);
  EXPECT_EQ(counter(0), 0);
  EXPECT_EQ(raise("mine", "5"), 1);
  EXPECT_EQ(counter(0), 5);
  EXPECT_EQ(raise("mine", "5"), 1) << "the same command may come twice";
  EXPECT_EQ(raise("mine", "4"), -1);
  EXPECT_EQ(counter(0), 5);
  EXPECT_EQ(field(0, "orders", "fencing"), "5");
}

TEST_F(Stage8Script, AbstainsWithoutItsMarker) {
  at_each({"DEL", quorum.marker()}, 0, 3);
  EXPECT_THROW((void)lock.try_acquire(), core::ErrorReply);
  EXPECT_EQ(counter(0), 0);
  eventually("nobody has it", [&] { return nodes_with("orders") == 0; });
}

TEST_F(Stage8Script, AbstainsFromReentryWithoutItsMarker) {
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  eventually("all have it", [&] { return nodes_with("orders") == 5; });
  at_each({"DEL", quorum.marker()}, 0, 3);
  EXPECT_THROW((void)lock.try_acquire(), core::ErrorReply);
  EXPECT_EQ(lock.hold_count(), 1);
}

TEST_F(Stage8Script, RenewsOnlyForAParticipantAtAMember) {
  auto& server = node(0).direct();
  const auto ask = [&](std::string_view token, std::string_view lease_ms, std::string_view who) {
    return run(0, scripts::renew, {"orders", "orders:fencing", quorum.marker()},
               {token, lease_ms, who})
        .integer();
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
  server.command({"DEL", quorum.marker()});
  EXPECT_THROW((void)ask("mine", "90000", "me:1"), core::ErrorReply);
}

TEST_F(Stage8Script, IsKnownToTheServerByTheShaOfTheBuild) {
  for (const auto& script : {scripts::acquire, scripts::raise, scripts::release, scripts::renew,
                             scripts::counters, scripts::raise_counter, scripts::fenced_store}) {
    EXPECT_EQ(node(0).direct().command({"SCRIPT", "LOAD", script.text}).text(), script.sha1);
  }
}

TEST_F(Stage8Store, TakesNothingFromAnOlderHold) {
  const auto write = [&](std::string_view token, std::string_view value) {
    return std::string(run(0, scripts::fenced_store, {"account"}, {"write", token, value}).text());
  };
  EXPECT_EQ(write("33", "a"), "OK");
  EXPECT_EQ(write("33", "b"), "OK");
  EXPECT_EQ(write("34", "c"), "OK");
  try {
    (void)write("33", "d");
    FAIL() << "an older hold has written";
  } catch (const core::ErrorReply& refusal) {
    EXPECT_THAT(refusal.what(), HasSubstr("FENCED token 33 is older than 34"));
  }
  EXPECT_EQ(run(0, scripts::fenced_store, {"account"}, {"read", "34"}).text(), "c");
}

TEST_F(Stage8Store, IsFencedByAReadAsWell) {
  (void)run(0, scripts::fenced_store, {"account"}, {"write", "33", "a"});
  EXPECT_EQ(run(0, scripts::fenced_store, {"account"}, {"read", "34"}).text(), "a");
  EXPECT_THROW((void)run(0, scripts::fenced_store, {"account"}, {"write", "33", "b"}),
               core::ErrorReply);
  EXPECT_THROW((void)run(0, scripts::fenced_store, {"account"}, {"read", "33"}), core::ErrorReply);
}

// A client's fencing token. `in_time`: its lease still ran when the token arrived; otherwise the
// hold may have been over long before.
struct Token {
  std::uint64_t number = 0;
  bool in_time = false;
};

// The fencing tokens of `count` holds, in the order in which they were heard of, by four processes
// that all want the lock while nodes are killed and brought back.
std::vector<Token> tokens_of(std::size_t count) {
  faults::Reaper reaper;
  const faults::TempDir directory(reaper);
  faults::History history(directory.path() / "history.jsonl");
  const auto stage = faults::load_tested_lock(STAGE_DIRECTORY, {STAGE_CLIENT});
  faults::World world(stage, faults::find_redis(), reaper, history, directory.path());
  // A node that was away when a hold was given back keeps it until its lease has expired.
  const faults::AcquireRequest patient{.lease = world.timing.medium_lease(),
                                       .wait = milliseconds(20'000)};
  std::vector<faults::Client*> clients;
  std::vector<faults::Pending> acquiring;
  for (const auto* name : {"A", "B", "C", "D"}) clients.push_back(&world.client(name));
  for (auto* client : clients) acquiring.push_back(client->start_acquire(patient));
  std::vector<Token> tokens;
  std::size_t killed = 0;
  while (tokens.size() < count) {
    const auto i = faults::WaitFor::first_answer(acquiring, std::vector<bool>(clients.size()));
    if (acquiring[i].wait() == "acquired") {
      const auto number = clients[i]->last_acquire().at("fencing_token").get<std::uint64_t>();
      if (tokens.size() % 20 == 9) world.servers.kill(killed);
      tokens.push_back({.number = number, .in_time = clients[i]->release() == "released"});
      if (tokens.size() % 20 == 0) world.servers.restart(killed++ % world.servers.size());
      killed %= world.servers.size();
    }
    acquiring[i] = clients[i]->start_acquire(patient);
  }
  return tokens;
}

void must_grow(const std::vector<Token>& tokens) {
  std::set<std::uint64_t> all;
  std::uint64_t last = 0;
  std::size_t in_time = 0;
  for (const auto& token : tokens) {
    EXPECT_TRUE(all.insert(token.number).second) << token.number << " was handed out twice";
    if (!token.in_time) continue;
    ++in_time;
    EXPECT_GT(token.number, last) << "hold " << in_time;
    last = token.number;
  }
  EXPECT_GT(in_time, tokens.size() / 2);
}

TEST(Stage8Tokens, GrowWithEveryHoldWhicheverNodesLive) {
  must_grow(tokens_of(40));
}

TEST(Stage8TokensLong, GrowOverAThousandHolds) {
  must_grow(tokens_of(1'000));
}

}  // namespace

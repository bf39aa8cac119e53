// What a state holds: for each field two runs that differ in it.
#include "faults/explore/states/world_state.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "faults/explore/search/option_names.h"
#include "faults/explore/search/run_recorder.h"
#include "faults/explore/states/judging_facts.h"
#include "faults/judging/testing/history_builder.h"
#include "faults/kit/redis_binary.h"
#include "faults/testing/kit_test.h"

namespace explore {
namespace {

using faults::HistoryBuilder;
using testing::Contains;
using testing::Not;

using Steps = std::vector<std::string>;
using Fields = std::set<std::string>;

// The fields in which they differ.
Fields differing(const State& one, const State& other) {
  Fields names;
  const auto collect = [&](const State& from, const State& among) {
    for (const auto& field : from) {
      if (std::find(among.begin(), among.end(), field) == among.end()) names.insert(field.name);
    }
  };
  collect(one, other);
  collect(other, one);
  return names;
}

class WorldStateTest : public testing::Test {
 protected:
  // The fields in which the states after these steps differ.
  Fields differ(const std::string& lock, const Steps& one, const Steps& other) {
    Controller controller(world(lock), reaper);
    const auto before = state_after(controller, one);
    return differing(before, state_after(controller, other));
  }
  static WorldPlan world(const std::string& lock) {
    const auto client = std::filesystem::path(LAB_BINARY_DIR) / lock / (lock + "_client");
    const std::filesystem::path source(LAB_SOURCE_DIR);
    return {.stage = faults::load_tested_lock(source / lock, {client.native()}),
            .redis = faults::find_redis(),
            .judged = properties_from("")};
  }
  // A lock in Python whose acquire sends that command.
  WorldPlan world_that_sends(const std::string& command) {
    std::ofstream(place.path() / "lock.py")
        << "import time\n"
           "CAPABILITIES = []\n"
           "class Lock:\n"
           "    def __init__(self, server, key): self.server, self.key = server, key\n"
           "    def try_acquire(self, lease):\n"
           "        self.server.command("
        << command
        << ")\n"
           "        return 'acquired'\n"
           "    def release(self): return 'released'\n";
    auto plan = world("stage3_set_nx_px");
    plan.stage.command = {LAB_PYTHON, LAB_SOURCE_DIR "/tools/learning/exercises/python/client.py",
                          place.path()};
    return plan;
  }
  static State state_after(Controller& controller, const Steps& steps) {
    RunRecorder recorder(controller);
    recorder.follow({.lock = "a test", .steps = steps_from(steps)});
    auto state = controller.state("");
    controller.end();
    return state;
  }
  static Steps behind(Steps steps, const Steps& more) {
    steps.insert(steps.end(), more.begin(), more.end());
    return steps;
  }

  faults::Reaper reaper;
  const faults::TempDir place{reaper};
  const Steps asked{"A: begin"};
  const Steps sent{"A: begin", "A: send SET"};
  const Steps acquired{"A: begin", "A: send SET", "A: reply SET"};
  const Steps worked =
      behind(acquired, {"A: send READ", "A: reply READ", "A: send BEGIN", "A: reply BEGIN"});
  // Of three servers one has a lower counter than the others when B acquires: B raises it.
  const Steps raising{"A: begin",
                      "A: send acquire.lua to node2",
                      "A: reply acquire.lua to node2",
                      "A: send acquire.lua to node3",
                      "A: reply acquire.lua to node3",
                      "A: send READ",
                      "A: reply READ",
                      "A: send BEGIN",
                      "A: reply BEGIN",
                      "A: send WRITE",
                      "A: reply WRITE",
                      "A: send release.lua to node2",
                      "A: reply release.lua to node2",
                      "A: send release.lua to node3",
                      "A: reply release.lua to node3",
                      "B: begin",
                      "B: send acquire.lua to node1",
                      "B: reply acquire.lua to node1",
                      "A: send acquire.lua to node1",
                      "A: reply acquire.lua to node1",
                      "A: send release.lua to node1",
                      "A: reply release.lua to node1",
                      "B: send acquire.lua to node2",
                      "B: reply acquire.lua to node2"};
};

TEST_F(WorldStateTest, IsTheSameEachTimeItIsMet) {
  EXPECT_THAT(differ("stage3_set_nx_px", worked, worked), testing::IsEmpty());
  EXPECT_THAT(differ("stage5_watchdog", acquired, acquired), testing::IsEmpty());
}

TEST_F(WorldStateTest, HoldsWhatServersAndStorageHave) {
  const auto fields = differ("stage3_set_nx_px", asked, sent);
  EXPECT_THAT(fields, testing::IsSupersetOf({"data of redis", "replica of redis", "holds",
                                             "held ever", "under way", "in flight of A"}));
  EXPECT_THAT(differ("stage3_set_nx_px", worked, behind(worked, {"A: send WRITE"})),
              Contains("storage"));
}

TEST_F(WorldStateTest, HoldsWhatIsLeftOfALease) {
  const auto early = behind(worked, {"A: slow send WRITE"});
  EXPECT_THAT(differ("stage5_watchdog", early, behind(early, {"time: to A's next timer"})),
              testing::IsSupersetOf({"data of redis", "in flight of A", "deadlines of A"}));
}

TEST_F(WorldStateTest, HoldsWhatAClientHasSeen) {
  EXPECT_THAT(differ("stage3_set_nx_px", sent, acquired),
              testing::IsSupersetOf({"seen by A", "program of A"}));
  const auto cut = behind(acquired, {"A: cut off"});
  EXPECT_THAT(differ("stage3_set_nx_px", acquired, cut),
              testing::IsSupersetOf({"program of A", "has had a fault"}));
  EXPECT_THAT(differ("stage3_set_nx_px", acquired, behind(cut, {"A: mend"})),
              testing::ElementsAre("has had a fault", "seen by A"));
}

TEST_F(WorldStateTest, HoldsWhoIsStoppedSinceBeforeTimeAdvanced) {
  const auto frozen = behind(acquired, {"A: freeze"});
  EXPECT_THAT(differ("stage3_set_nx_px", frozen, behind(frozen, {"time: to the end of the lease"})),
              Contains("stopped before"));
}

// With two of three it has the lock; with all three it has seen the same in another order.
TEST_F(WorldStateTest, HoldsWhatAClientHadSeenBeforeItActed) {
  auto plan = world("stage7_redlock");
  plan.stage.nodes = 3;
  Controller controller(plan, reaper);
  const auto hears_of = [&](const std::vector<std::string>& nodes) {
    auto steps = asked;
    for (const auto& node : nodes) {
      steps.push_back("A: send acquire.lua to " + node);
      steps.push_back("A: reply acquire.lua to " + node);
    }
    return state_after(controller, steps);
  };
  (void)hears_of({"node1"});
  const auto first = hears_of({"node1", "node2", "node3"});
  EXPECT_THAT(differing(first, hears_of({"node2", "node1", "node3"})), testing::IsEmpty());
  EXPECT_THAT(differing(first, hears_of({"node1", "node3", "node2"})),
              testing::ElementsAre("seen by A", "under way"));
}

// A dead client does nothing more, so what it has seen does not matter.
TEST_F(WorldStateTest, ForgetsWhatADeadClientHasSeen) {
  const auto fields =
      differ("stage3_set_nx_px", behind(sent, {"A: kill"}), behind(acquired, {"A: kill"}));
  EXPECT_THAT(fields, Not(Contains("seen by A")));
}

// A server knows who watched first; no client has been answered yet.
TEST_F(WorldStateTest, HoldsTheOrderThatAServerKeeps) {
  if (std::string_view(LAB_PYTHON).empty()) GTEST_SKIP() << "there is no Python here";
  Controller controller(world_that_sends("'WATCH', self.key"), reaper);
  const auto one =
      state_after(controller, {"A: begin", "A: send WATCH", "B: begin", "B: send WATCH"});
  const auto other =
      state_after(controller, {"B: begin", "B: send WATCH", "A: begin", "A: send WATCH"});
  EXPECT_THAT(differing(one, other), Contains("order at servers"));
}

// No run may see by its clock which one it is.
TEST_F(WorldStateTest, HasTheSameSecondInEachRun) {
  if (std::string_view(LAB_PYTHON).empty()) GTEST_SKIP() << "there is no Python here";
  Controller controller(world_that_sends("'SET', self.key, int(time.time()), 'PX', lease"), reaper);
  const auto first = state_after(controller, sent);
  for (int i = 0; i < 5; ++i) {
    (void)state_after(controller, behind(sent, {"A: kill", "time: to the end of the lease"}));
  }
  EXPECT_THAT(differing(first, state_after(controller, sent)), testing::IsEmpty());
}

// The replica has a key that was deleted; the jump ends its lease, and not the next command.
TEST_F(WorldStateTest, HasNoKeyThatItsClockJumpedOver) {
  const auto struck = [&](const std::string& fault) {
    return behind(worked, {"B: begin", "B: send SET", "B: reply SET", "A: send WRITE",
                           "A: reply WRITE", "A: send release.lua", fault, "A: send release.lua",
                           "A: reply release.lua", "redis: clock jumps", "A: send release.lua"});
  };
  const auto fields =
      differ("stage5_watchdog", struck("redis: fails over"), struck("redis: comes back empty"));
  EXPECT_THAT(fields, Not(Contains("data of redis")));
  EXPECT_THAT(fields, Not(Contains("under way")));
}

// Stages 6 to 8 write for people since when a lock is held; another lock may act on it.
TEST_F(WorldStateTest, LeavesOutSinceWhenALockIsHeld) {
  if (std::string_view(LAB_PYTHON).empty()) GTEST_SKIP() << "there is no Python here";
  std::optional<faults::LockFacts> facts;
  const auto holding = [&](const std::string& field, const std::string& value) {
    auto plan = world_that_sends(fmt::format("'HSET', self.key, '{}', '{}'", field, value));
    plan.stage.facts = facts;
    Controller controller(std::move(plan), reaper);
    return state_after(controller, {"A: begin", "A: send HSET"});
  };
  constexpr const char* data = "data of redis";
  EXPECT_THAT(differing(holding("since", "1900000000"), holding("since", "1900000001")),
              Not(Contains(data)));
  EXPECT_THAT(differing(holding("until", "1900000000"), holding("until", "1900000001")),
              Contains(data));
  facts.emplace();
  EXPECT_THAT(differing(holding("since", "1900000000"), holding("since", "1900000001")),
              Contains(data));
}

// A client that has warmed up waits for the end of that lease, in a minute. B's process lives on:
// it comes nearer with each run.
TEST_F(WorldStateTest, ForgetsWaitsOfEarlierRuns) {
  constexpr int runs = 100;  // of 350 ms: before the last, 100 leases are left of the minute
  Controller controller(world("stage5_watchdog"), reaper);
  const auto next = "time: to A's next timer";
  const Steps to_next_renewal{"A: send renew.lua", "A: reply renew.lua", next, next};
  const auto refused =
      behind(worked, {"A: slow send WRITE", "B: begin", "B: send SET", "B: reply SET", next});
  const auto renewed = behind(behind(refused, to_next_renewal), to_next_renewal);
  const auto late = behind(renewed, {"A: send renew.lua", "A: reply renew.lua", next});
  const auto first = state_after(controller, late);
  for (int i = 0; i < runs; ++i) {
    ASSERT_THAT(differing(first, state_after(controller, late)), testing::IsEmpty()) << i;
  }
}

// A watchdog that has renewed has a connection, which can break while its client is frozen.
TEST_F(WorldStateTest, DoesNotDependOnEarlierRuns) {
  Controller controller(world("stage5_watchdog"), reaper);
  const auto next = "time: to A's next timer";
  const auto struck = behind(worked, {"A: freeze", "redis: comes back empty", next, "A: thaw"});
  const auto before = state_after(controller, struck);
  RunRecorder recorder(controller);
  recorder.follow(
      {.lock = "a test",
       .steps = steps_from(behind(
           worked, {"A: slow send WRITE", next, "A: send renew.lua", "A: reply renew.lua"}))});
  (void)recorder.run_to_end();
  EXPECT_THAT(differing(before, state_after(controller, struck)), testing::IsEmpty());
}

// A connection that is older than the run may have brought its server the script already.
TEST_F(WorldStateTest, TakesAScriptAndItsDigestForOne) {
  auto plan = world("stage8_fencing");
  plan.stage.nodes = 3;
  Controller controller(plan, reaper);
  const auto state_while_raising = [&] {
    RunRecorder recorder(controller);
    recorder.follow({.lock = "a test", .steps = steps_from(raising)});
    auto state = controller.state("");
    (void)recorder.run_to_end();
    return state;
  };
  const auto by_text = state_while_raising();
  EXPECT_THAT(differing(by_text, state_while_raising()), testing::IsEmpty());
}

// A has one of two servers; which one is all that differs.
TEST_F(WorldStateTest, NeedNotSayWhichServerIsWhich) {
  auto plan = world("stage7_redlock");
  plan.stage.nodes = 2;
  Controller controller(plan, reaper);
  const auto with_one = [&](const std::string& name, const Steps& more = {}) {
    const auto acquiring = "acquire.lua to " + name;
    RunRecorder recorder(controller);
    recorder.follow({.lock = "a test",
                     .steps = steps_from(behind(
                         {"A: begin", "A: send " + acquiring, "A: reply " + acquiring}, more))});
    auto state = controller.state_without_names("");
    controller.end();
    return state;
  };
  const auto first = with_one("node1");
  const auto second = with_one("node2");
  EXPECT_EQ(first_difference(first.state, second.state), std::nullopt);
  EXPECT_EQ(first.servers.in("A: send acquire.lua to node2"),
            second.servers.in("A: send acquire.lua to node1"));
  const Steps b{"B: begin", "B: send acquire.lua to node1"};
  EXPECT_THAT(differing(with_one("node1", b).state, with_one("node2", b).state),
              testing::IsSupersetOf({"holds", "under way"}));
}

TEST(ServerNames, AreThoseOfOthers) {
  const ServerNames names({2, 0, 1});
  EXPECT_EQ(names.in("A: send SET to node3, after node1 and server 2"),
            "A: send SET to node1, after node2 and server 3");
  EXPECT_EQ(names.in("1: a node, node17, 2 servers"), "1: a node, node17, 2 servers");
  EXPECT_EQ(names.at(0), 2U);
  EXPECT_EQ(ServerNames().in("node3"), "node3");
  HistoryBuilder history;
  history.command_to(3, "A");
  EXPECT_EQ(names.in(history.record).back().text("to"), "node1");
}

// Facts of two histories that differ in one.
Fields facts(const HistoryBuilder& one, const HistoryBuilder& other, bool has_tokens = false) {
  const auto of = [&](const HistoryBuilder& history) {
    return judging_facts(history.record, std::chrono::seconds(1), {.hands_out_tokens = has_tokens});
  };
  return differing(of(one), of(other));
}

TEST(JudgingFacts, HaveWhoWroteSinceARead) {
  HistoryBuilder before;
  before.acquires("A").reads("A", 0).writes("B", 1);
  HistoryBuilder after;
  after.acquires("A").writes("B", 1).reads("A", 1);
  EXPECT_THAT(facts(before, after), testing::ElementsAre("overwritten"));
}

TEST(JudgingFacts, HaveWhatIsBrokenAlready) {
  HistoryBuilder lost;
  lost.acquires("A").reads("A", 0).acquires("B").works("B", 0).writes("A", 1).reads("A", 1);
  HistoryBuilder sound;
  sound.acquires("A").acquires("B").works("B", 0).reads("A", 0).writes("A", 1).reads("A", 1);
  EXPECT_THAT(facts(lost, sound), Contains("broken"));
}

TEST(JudgingFacts, HaveWhichTokenCameFirst) {
  HistoryBuilder after;
  after.acquires("B").call("A", "acquire");
  HistoryBuilder meanwhile;
  meanwhile.call("A", "acquire").acquires("B");
  EXPECT_THAT(facts(after, meanwhile, /*has_tokens=*/true), Contains("order of grants"));
  EXPECT_THAT(facts(after, meanwhile), Not(Contains("order of grants")));
}

TEST(JudgingFacts, HaveTheWholeHistoryForAnyOtherProperty) {
  HistoryBuilder history;
  history.judges(faults::Property::first_come).acquires("A");
  const auto all = judging_facts(history.record, std::chrono::seconds(1), {});
  EXPECT_THAT(all, Contains(testing::Field(&StateField::name, "history")));
}

}  // namespace
}  // namespace explore

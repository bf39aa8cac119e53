#include "faults/judging/trace.h"

#include "faults/judging/attribution.h"
#include "faults/judging/testing/history_builder.h"
#include "faults/testing/kit_test.h"

namespace faults {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST(Trace, LeavesPreparationsOut) {
  HistoryBuilder history;
  history.call("A", "hello").answer("A", "hello", "");
  history.add("A", Kind::ready, nlohmann::json::object()).acquires("A");
  const Trace trace(history.record);
  ASSERT_THAT(trace.operations, SizeIs(1));
  EXPECT_EQ(trace.operations[0].name, "acquire");
  EXPECT_EQ(trace.ms(trace.operations[0].called), 0);
}

TEST(Trace, LeavesOutChangesOfOtherKeys) {
  HistoryBuilder history;
  history.call("A", "acquire").add("redis", Kind::server, {{"what", "set"}, {"key", "warm-up"}});
  EXPECT_THAT(Trace(history.record).holds, IsEmpty());
}

TEST(Trace, LeavesOutCallsOnOtherKeys) {
  HistoryBuilder history;
  history.acquires("A")
      .call("A", "acquire", {{"key", "another"}})
      .answer("A", "acquire", "contended");
  const Trace trace(history.record);
  ASSERT_THAT(trace.operations, SizeIs(1));
  EXPECT_EQ(trace.operations[0].outcome, "acquired");
}

TEST(Trace, ReadsALockThatIsACounter) {
  HistoryBuilder history;
  history.call("A", "acquire").command("A", "INCR lock").server("incrby");
  history.answer("A", "acquire", "acquired").call("B", "acquire").server("incrby");
  const Trace trace(history.record);
  ASSERT_THAT(trace.holds, SizeIs(1));
  EXPECT_EQ(trace.holds[0].owner, "A");
}

TEST(Trace, PairsCallsWithTheirAnswers) {
  const Trace trace(HistoryBuilder().call("A", "acquire").acquires("B").record);
  ASSERT_THAT(trace.operations, SizeIs(2));
  EXPECT_EQ(trace.operations[0].answered, never);
  EXPECT_EQ(trace.operations[0].outcome, "");
  EXPECT_EQ(trace.operations[1].outcome, "acquired");
}

TEST(Trace, FindsTheOwner) {
  const Trace trace(HistoryBuilder().call("B", "acquire").acquires("A").releases("A").record);
  ASSERT_THAT(trace.holds, SizeIs(1));
  EXPECT_EQ(trace.holds[0].owner, "A");
  EXPECT_EQ(trace.holds[0].end, "del");
  EXPECT_EQ(trace.holds[0].ended_by, "A");
}

TEST(Trace, FindsAnOwnerThatWasNeverAnswered) {
  const Trace trace(
      HistoryBuilder().call("A", "acquire").server("set").fault("A", fault::killed).record);
  ASSERT_THAT(trace.holds, SizeIs(1));
  EXPECT_EQ(trace.holds[0].owner, "A");
  EXPECT_EQ(trace.holds[0].to, never);
}

TEST(Trace, FindsADeadOwnerWhileAnotherWaits) {
  HistoryBuilder history;
  history.call("A", "acquire").command("A", "SET lock").fault("A", fault::killed);
  history.call("B", "acquire").server("set").reply("A", "OK");
  history.command("B", "SET lock").answer("B", "acquire", "acquired");
  EXPECT_EQ(Trace(history.record).holds.at(0).owner, "A");
}

TEST(Trace, DoesNotGuessBetweenTwo) {
  const Trace trace(
      HistoryBuilder().call("A", "acquire").call("B", "acquire").server("set").record);
  EXPECT_EQ(trace.holds.at(0).owner, "");
}

TEST(Trace, ARenewalIsNoNewHold) {
  EXPECT_THAT(Trace(HistoryBuilder().acquires("A").server("expire").server("set").record).holds,
              SizeIs(1));
}

TEST(Trace, ARemovalOrALeaseBeginsNoHold) {
  for (const auto* what :
       {"del", "expired", "evicted", "kept", "expire", "persist", "hdel", "zrem", "srem", "lpop",
        "rpop", "rename_from", "zremrangebyscore", "zremrangebyrank"}) {
    EXPECT_THAT(Trace(HistoryBuilder().call("A", "acquire").server(what).record).holds, IsEmpty())
        << what;
  }
}

TEST(Trace, ALockThatIsEvictedOrRenamedIsGone) {
  for (const auto* what : {"evicted", "rename_from"}) {
    const Trace trace(HistoryBuilder().acquires("A").server(what).record);
    ASSERT_THAT(trace.holds, SizeIs(1));
    EXPECT_EQ(trace.holds[0].end, "evicted");
  }
}

TEST(Trace, ALockThatMovesIsStillItsHolders) {
  HistoryBuilder history;
  history.acquires("A").add("other", Kind::fault, {{"what", fault::moved}, {"from", "redis"}});
  history.add("other", Kind::server, {{"what", "set"}, {"key", "lock"}});
  const Trace trace(history.record);
  ASSERT_THAT(trace.holds, SizeIs(2));
  EXPECT_EQ(trace.holds[0].end, "moved");
  EXPECT_EQ(trace.holds[1].owner, "A");
}

TEST(Trace, ASortedSetsHolderMayLeaveLate) {
  HistoryBuilder history;
  history.record[0].data["lock"] = {{"type", "sorted set"}, {"key", "lock"}};
  history.record[0].data["lease_ms"] = 10;
  const Trace trace(history.acquires("A").releases("A").record);
  EXPECT_EQ(trace.holds.at(0).end, "del");
  EXPECT_EQ(trace.holds.at(0).ended_by, "A");
}

TEST(Trace, ALockDiesWithItsServer) {
  const Trace trace(HistoryBuilder()
                        .acquires("A")
                        .fault("redis", fault::killed)
                        .fault("redis", fault::restarted)
                        .record);
  ASSERT_THAT(trace.holds, SizeIs(1));
  EXPECT_EQ(trace.holds[0].end, "died");
}

TEST(Trace, AServerThatKeepsItsDataStillHasTheLock) {
  const Trace trace(HistoryBuilder()
                        .acquires("A")
                        .fault("redis", fault::killed)
                        .server("kept")
                        .releases("A")
                        .record);
  ASSERT_THAT(trace.holds, SizeIs(1));
  EXPECT_EQ(trace.holds[0].owner, "A");
  EXPECT_EQ(trace.holds[0].end, "del");
}

TEST(Trace, IsClaimedUntilTheWorkIsAbandoned) {
  HistoryBuilder history;
  history.acquires("A").call("A", "work");
  EXPECT_TRUE(Trace(history.record).claims("A", history.record.size()));
  history.answer("A", "work", "abandoned");
  EXPECT_FALSE(Trace(history.record).claims("A", history.record.size()));
}

TEST(Trace, AQueueEndsWithTheNextMulti) {
  HistoryBuilder history;
  for (const auto* text : {"SET lock x", "DEL lock"}) {
    history.command("A", "MULTI").reply("A", "OK").command("A", text).reply("A", "QUEUED");
  }
  history.command("A", "EXEC").reply("A", "1");
  const Trace trace(history.record);
  EXPECT_EQ(trace.sent.at(1).answered, never);
  EXPECT_NE(trace.sent.at(3).answered, never);
}

TEST(Trace, FindsTheHoldOfAPlace) {
  const Trace trace(HistoryBuilder().acquires("A").releases("A").record);
  const auto& hold = trace.holds.at(0);
  EXPECT_EQ(trace.hold_at(hold.from), &hold);
  EXPECT_EQ(trace.hold_at(hold.to - 1), &hold);
  EXPECT_EQ(trace.hold_at(hold.to), nullptr);
}

// A's call ends while its client keeps asking; then B's is open, and A gets the lock.
HistoryBuilder answered_too_early() {
  HistoryBuilder history;
  history.call("A", "acquire").command("A", "SET lock x NX").reply("A", "nil");
  history.answer("A", "acquire", "contended");
  return history.command("A", "SET lock x NX").call("B", "acquire");
}

TEST(Trace, ALateSetIsItsSenders) {
  auto history = answered_too_early();
  history.command("B", "SET lock y NX").server("set").reply("A", "OK").reply("B", "nil");
  history.command("A", "DEL lock").command("B", "SET lock y NX").server("del").server("set");
  history.reply("A", "1").reply("B", "OK").answer("B", "acquire", "acquired");
  const Trace trace(history.record);
  ASSERT_THAT(trace.holds, SizeIs(2));
  EXPECT_EQ(trace.holds[0].owner, "A");
  EXPECT_EQ(trace.holds[0].ended_by, "A");
  EXPECT_EQ(trace.holds[1].owner, "B");
}

TEST(Trace, ALateSetByAScriptIsItsSenders) {
  HistoryBuilder history;
  history.call("A", "acquire").command("A", "EVALSHA 1234 1 lock x");
  history.answer("A", "acquire", "contended").call("B", "acquire");
  history.command("B", "EVALSHA 1234 1 lock y").server("set").reply("A", "1").reply("B", "0");
  history.command("B", "EVALSHA 1234 1 lock y").reply("B", "1");
  history.answer("B", "acquire", "acquired");
  EXPECT_EQ(Trace(history.record).holds.at(0).owner, "A");
}

// B is interrupted and keeps asking; C's call is open all the time, and gets nothing.
HistoryBuilder set_by_a_ghost() {
  HistoryBuilder history;
  history.acquires("A").call("B", "acquire").answer("B", "acquire", "interrupted");
  history.call("C", "acquire").command("C", "EVALSHA 1234 1 lock c").reply("C", "0");
  history.command("A", "EVALSHA 5678 1 lock a").server("del").reply("A", "1");
  history.command("B", "EVALSHA 1234 1 lock b").server("set");
  return history;
}

TEST(Trace, WhatWasRefusedBeforeItWasFreeSetsNothing) {
  auto history = set_by_a_ghost().reply("B", "1");
  EXPECT_EQ(Trace(history.answer("C", "acquire", "contended").record).holds.at(1).owner, "B");
}

// C asks before A gives the lock back, and its command stays on its way until B's ghost has set it.
TEST(Trace, WhatIsStoppedOnItsWaySetsNothing) {
  HistoryBuilder history;
  const auto befalls_c = [&](std::string_view what) {
    history.add("C", Kind::fault, {{"what", what}, {"side", "command"}, {"server", "redis"}});
  };
  history.acquires("A").call("B", "acquire").answer("B", "acquire", "interrupted");
  history.call("C", "acquire").command("C", "EVALSHA 1234 1 lock c");
  befalls_c(fault::held);
  history.command("A", "EVALSHA 5678 1 lock a").server("del").reply("A", "1");
  history.command("B", "EVALSHA 1234 1 lock b").server("set").reply("B", "1");
  befalls_c(fault::delivered);
  history.reply("C", "0").answer("C", "acquire", "contended");
  EXPECT_EQ(Trace(history.record).holds.at(1).owner, "B");
}

TEST(Trace, AScriptThatIsToldTheSameAgainSetsNothing) {
  HistoryBuilder history;
  history.call("B", "acquire").answer("B", "acquire", "interrupted").call("C", "acquire");
  history.command("C", "EVALSHA 1234 1 lock c").command("B", "EVALSHA 1234 1 lock b");
  history.server("set").reply("B", "1").reply("C", "0");
  history.command("C", "EVALSHA 1234 1 lock c").reply("C", "0");
  EXPECT_EQ(Trace(history.answer("C", "acquire", "contended").record).holds.at(0).owner, "B");
}

// A lock that counts is set by HINCRBY, too, and its answer may be the same a second time.
TEST(Trace, AScriptThatCountedSetTheLock) {
  HistoryBuilder history;
  history.call("B", "acquire").call("C", "acquire");
  for (int i = 0; i < 2; ++i) {
    history.command("B", "EVALSHA 1234 1 lock b").server("hincrby").reply("B", "nil");
  }
  history.answer("B", "acquire", "contended").answer("C", "acquire", "contended");
  const Trace trace(history.record);
  EXPECT_TRUE(possible_setters(trace, trace.holds.at(0)).contains("B"));
}

// B releases its lock in between, and sets it again: both replies are about its own lock.
TEST(Trace, AScriptMaySetTheLockAgainAfterARemoval) {
  HistoryBuilder history;
  history.call("B", "acquire").call("C", "acquire");
  history.command("B", "EVALSHA 1234 1 lock b").server("set").reply("B", "1");
  history.command("B", "EVALSHA 5678 1 lock b").server("del").reply("B", "1");
  history.command("C", "EVALSHA 1234 1 lock c").command("B", "EVALSHA 1234 1 lock b");
  history.server("set").reply("B", "1").reply("C", "0");
  history.answer("B", "acquire", "contended").answer("C", "acquire", "contended");
  const Trace trace(history.record);
  EXPECT_TRUE(possible_setters(trace, trace.holds.at(1)).contains("B"));
}

// A command that removes it is under way when "set" is announced.
TEST(Trace, ALateAnnouncementIsNotThatOfAnotherLock) {
  HistoryBuilder history;
  history.call("B", "acquire").command("B", "EVALSHA 1234 1 lock b").reply("B", "1");
  history.call("A", "release").command("A", "EVALSHA 5678 1 lock a");
  history.server("set").server("del").reply("A", "1").answer("A", "release", "released");
  history.answer("B", "acquire", "contended");
  const Trace trace(history.record);
  EXPECT_TRUE(possible_setters(trace, trace.holds.at(0)).contains("B"));
}

TEST(Trace, AnAnnouncementMayComeAfterItsAnswer) {
  auto history = answered_too_early();
  history.command("B", "SET lock y NX").reply("B", "OK").server("set").reply("A", "nil");
  EXPECT_EQ(Trace(history.answer("B", "acquire", "acquired").record).holds.at(0).owner, "B");
}

// It answers what was there: nothing is a yes.
TEST(Trace, ASetWithGetIsHisWhoFoundNothing) {
  HistoryBuilder history;
  history.call("A", "acquire").command("A", "SET lock x NX GET").reply("A", "z");
  history.call("B", "acquire").command("B", "SET lock y NX GET").server("set").reply("B", "nil");
  history.answer("B", "acquire", "unknown").answer("A", "acquire", "unknown");
  EXPECT_EQ(Trace(history.record).holds.at(0).owner, "B");
}

TEST(Trace, ASetnxThatWasRefusedSetNothing) {
  HistoryBuilder history;
  history.call("A", "acquire").command("A", "SETNX lock x").reply("A", "0");
  history.call("B", "acquire").command("B", "SETNX lock y").server("set").reply("B", "1");
  history.answer("B", "acquire", "unknown").answer("A", "acquire", "unknown");
  EXPECT_EQ(Trace(history.record).holds.at(0).owner, "B");
}

TEST(Trace, ALateDeleteIsItsSenders) {
  auto history = answered_too_early();
  history.answer("B", "acquire", "contended").call("B", "release");
  history.command("B", "DEL lock").reply("B", "0").server("set").reply("A", "OK");
  history.command("A", "DEL lock").server("del");
  EXPECT_EQ(Trace(history.record).holds.at(0).ended_by, "A");
}

TEST(Trace, ADeleteIsNotOfARefusedRelease) {
  HistoryBuilder history;
  history.call("B", "release").command("B", "DEL lock").reply("B", "0").acquires("A");
  history.call("C", "release").command("C", "DEL lock").server("del").reply("C", "1");
  EXPECT_EQ(Trace(history.record).holds.at(0).ended_by, "C");
}

TEST(Trace, AStrangersDeleteStaysItsOwn) {
  HistoryBuilder history;
  history.acquires("A").command("A", "EVALSHA 1234 1 lock x").call("B", "release");
  history.command("B", "DEL lock").server("del").reply("B", "1").answer("B", "release", "released");
  EXPECT_EQ(Trace(history.record).holds.at(0).ended_by, "B");
}

// Several servers.

const std::vector<int> all{1, 2, 3};

TEST(TraceOfSeveral, ALockIsHeldByAMajorityForOne) {
  HistoryBuilder history(3);
  history.call("A", "acquire").asks("A", {1}, "set");
  const Trace minority(history.record);
  ASSERT_THAT(minority.holds, SizeIs(1));
  EXPECT_EQ(minority.hold_at(minority.record.size() - 1), nullptr);
  history.asks("A", {2}, "set").answer("A", "acquire", "acquired");
  const Trace majority(history.record);
  EXPECT_TRUE(majority.held_for("A", majority.record.size() - 1));
  EXPECT_EQ(majority.hold_at(majority.record.size() - 1), &majority.holds[0]);
  EXPECT_FALSE(majority.held_for("A", minority.record.size() - 1));
}

TEST(TraceOfSeveral, TwoVotesForTwoMakeNoHolder) {
  HistoryBuilder history(4);
  history.call("A", "acquire").call("B", "acquire");
  history.asks("A", {1, 2}, "set").asks("B", {3, 4}, "set");
  const Trace trace(history.record);
  ASSERT_THAT(trace.holds, SizeIs(4));
  EXPECT_EQ(trace.holds[1].owner, "A");
  EXPECT_EQ(trace.holds[2].owner, "B");
  EXPECT_EQ(trace.hold_at(trace.record.size() - 1), nullptr);
}

TEST(TraceOfSeveral, ALateVoteIsItsSenders) {
  HistoryBuilder history(3);
  history.call("A", "acquire").command_to(3, "A").asks("A", {1, 2}, "set");
  history.answer("A", "acquire", "acquired").call("B", "acquire").server_on({3}, "set");
  EXPECT_EQ(Trace(history.record).holds.at(2).owner, "A");
}

// `client` asks node3 last, which is frozen; the two others answer it.
void takes_a_turn_past_node3(HistoryBuilder& history, const std::string& client) {
  history.call(client, "acquire").command_to(3, client).asks(client, {1, 2}, "set");
  history.answer(client, "acquire", "acquired");
  history.call(client, "release")
      .command_to(3, client, "DEL lock")
      .asks(client, {1, 2}, "del", "DEL lock");
  history.answer(client, "release", "released");
}

std::vector<std::string> owners_on(const Trace& trace, const std::string& server) {
  std::vector<std::string> owners;
  for (const auto& hold : trace.holds) {
    if (hold.server == server) owners.push_back(hold.owner + ", removed by " + hold.ended_by);
  }
  return owners;
}

TEST(TraceOfSeveral, LateChangesAreOfTheCommandsThatWaited) {
  HistoryBuilder history(3);
  history.fault("node3", fault::frozen);
  takes_a_turn_past_node3(history, "A");
  takes_a_turn_past_node3(history, "B");
  history.fault("node3", fault::thawed);
  for (const auto* what : {"set", "del", "set", "del"}) history.server_on({3}, what);
  for (const auto* lane : {"B", "A", "B", "A"}) history.reply_from(3, lane);
  EXPECT_THAT(owners_on(Trace(history.record), "node3"),
              ElementsAre("A, removed by A", "B, removed by B"));
}

// A's acquire fails, and takes back what it may have got: that is no second try.
TEST(TraceOfSeveral, ALateTakeBackIsNoSecondTry) {
  HistoryBuilder history(3);
  history.fault("node3", fault::frozen).call("A", "acquire").command_to(3, "A");
  history.command_to(3, "A", "DEL lock").answer("A", "acquire", "contended");
  history.call("B", "acquire").command_to(3, "B").fault("node3", fault::thawed);
  history.server_on({3}, "set").server_on({3}, "del").server_on({3}, "set");
  EXPECT_THAT(owners_on(Trace(history.record), "node3"),
              ElementsAre("A, removed by A", "B, removed by "));
}

TEST(TraceOfSeveral, IgnoresCommandsOfADeadClient) {
  HistoryBuilder history(3);
  history.call("A", "acquire").command_to(1, "A").fault("A", fault::killed);
  history.answer("A", "acquire", "died")
      .call("B", "acquire")
      .command_to(1, "B")
      .server_on({1}, "set");
  EXPECT_EQ(Trace(history.record).holds.at(0).owner, "B");
}

TEST(TraceOfSeveral, IgnoresCommandsToAServerThatDied) {
  HistoryBuilder history(3);
  history.call("A", "acquire").command_to(1, "A");
  history.fault("node1", fault::killed).fault("node1", fault::restarted);
  history.call("B", "acquire").command_to(1, "B").server_on({1}, "set");
  EXPECT_EQ(Trace(history.record).holds.at(0).owner, "B");
}

TEST(TraceOfSeveral, ADelayedCommandChangesNothing) {
  HistoryBuilder history(3);
  const nlohmann::json held{
      {"what", "held"}, {"side", "command"}, {"server", "node1"}, {"command", "SET"}};
  history.call("A", "acquire").command_to(1, "A").add("A", Kind::fault, held);
  history.call("B", "acquire").command_to(1, "B").server_on({1}, "set");
  EXPECT_EQ(Trace(history.record).holds.at(0).owner, "B");
}

TEST(TraceOfSeveral, ACommandThatIsCutOffChangesNothing) {
  HistoryBuilder history(3);
  const nlohmann::json cut{{"what", "cut off"}, {"side", "command"}, {"server", "node1"}};
  history.call("A", "acquire").add("A", Kind::fault, cut).command_to(1, "A");
  history.call("B", "acquire").command_to(1, "B").server_on({1}, "set");
  EXPECT_EQ(Trace(history.record).holds.at(0).owner, "B");
}

TEST(TraceOfSeveral, ARemovalTellsTwoOwnersApart) {
  HistoryBuilder history(3);
  history.call("A", "acquire").call("B", "acquire").command_to(1, "A").command_to(1, "B");
  history.server_on({1}, "set").reply_from(1, "A").reply_from(1, "B");
  history.answer("A", "acquire", "contended").asks("B", {1}, "del", "DEL lock");
  const auto hold = Trace(history.record).holds.at(0);
  EXPECT_EQ(hold.owner, "B");
  EXPECT_EQ(hold.ended_by, "B");
}

TEST(TraceOfSeveral, AReplicaStandsForTheFirst) {
  HistoryBuilder history(3);
  history.acquires_on(all, "A").fault("node1", fault::killed);
  history.add("replica", Kind::server, {{"what", "set"}, {"key", "lock"}});
  history.fault("node2", fault::killed);
  const Trace trace(history.record);
  EXPECT_EQ(trace.node_of("replica"), "node1");
  EXPECT_EQ(trace.count_nodes([](const ServerHold& hold) { return hold.to == never; }), 2U);
}

TEST(TraceOfSeveral, AServerThatDiesHoldsNothing) {
  HistoryBuilder history(3);
  history.acquires_on(all, "A").fault("node1", fault::killed).fault("node2", fault::killed);
  const Trace trace(history.record);
  EXPECT_EQ(trace.holds[0].end, "died");
  EXPECT_FALSE(trace.held_for("A", trace.record.size() - 1));
}

}  // namespace
}  // namespace faults

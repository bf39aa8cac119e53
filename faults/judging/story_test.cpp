#include "faults/judging/story.h"

#include "faults/judging/tale.h"
#include "faults/testing/kit_test.h"

namespace faults {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST(Story, LeavesPreparationsOut) {
  Tale tale;
  tale.call("A", "hello").answer("A", "hello", "");
  tale.add("A", Kind::ready, nlohmann::json::object()).acquires("A");
  const Story story(tale.record);
  ASSERT_THAT(story.operations, SizeIs(1));
  EXPECT_EQ(story.operations[0].name, "acquire");
  EXPECT_EQ(story.ms(0), 0);
}

TEST(Story, LeavesOtherKeysOut) {
  Tale tale;
  tale.call("A", "acquire").add("redis", Kind::server, {{"what", "set"}, {"key", "warm-up"}});
  EXPECT_THAT(Story(tale.record).holds, IsEmpty());
}

TEST(Story, LeavesOutWhatIsAskedOfAnotherKey) {
  Tale tale;
  tale.acquires("A").call("A", "acquire", {{"key", "another"}}).answer("A", "acquire", "contended");
  const Story story(tale.record);
  ASSERT_THAT(story.operations, SizeIs(1));
  EXPECT_EQ(story.operations[0].outcome, "acquired");
}

TEST(Story, KnowsALockThatIsACounter) {
  Tale tale;
  tale.call("A", "acquire").command("A", "INCR lock").server("incrby");
  tale.answer("A", "acquire", "acquired").call("B", "acquire").server("incrby");
  const Story story(tale.record);
  ASSERT_THAT(story.holds, SizeIs(1));
  EXPECT_EQ(story.holds[0].owner, "A");
}

TEST(Story, PairsCallsWithTheirAnswers) {
  const Story story(Tale().call("A", "acquire").acquires("B").record);
  ASSERT_THAT(story.operations, SizeIs(2));
  EXPECT_EQ(story.operations[0].answered, never);
  EXPECT_EQ(story.operations[0].outcome, "");
  EXPECT_EQ(story.operations[1].outcome, "acquired");
}

TEST(Story, KnowsWhoseALockIs) {
  const Story story(Tale().call("B", "acquire").acquires("A").releases("A").record);
  ASSERT_THAT(story.holds, SizeIs(1));
  EXPECT_EQ(story.holds[0].owner, "A");
  EXPECT_EQ(story.holds[0].end, "del");
  EXPECT_EQ(story.holds[0].ended_by, "A");
}

TEST(Story, KnowsTheOwnerThatWasNeverAnswered) {
  const Story story(Tale().call("A", "acquire").server("set").fault("A", fault::killed).record);
  ASSERT_THAT(story.holds, SizeIs(1));
  EXPECT_EQ(story.holds[0].owner, "A");
  EXPECT_EQ(story.holds[0].to, never);
}

TEST(Story, KnowsTheOwnerWhoseCommandWasOnItsWayWhileAnotherWaits) {
  Tale tale;
  tale.call("A", "acquire").command("A", "SET lock").fault("A", fault::killed);
  tale.call("B", "acquire").server("set").reply("A", "OK");
  tale.command("B", "SET lock").answer("B", "acquire", "acquired");
  EXPECT_EQ(Story(tale.record).holds.at(0).owner, "A");
}

TEST(Story, DoesNotGuessBetweenTwo) {
  const Story story(Tale().call("A", "acquire").call("B", "acquire").server("set").record);
  EXPECT_EQ(story.holds.at(0).owner, "");
}

TEST(Story, ARenewalIsNoNewHold) {
  EXPECT_THAT(Story(Tale().acquires("A").server("expire").server("set").record).holds, SizeIs(1));
}

TEST(Story, ALockDiesWithItsServer) {
  const Story story(
      Tale().acquires("A").fault("redis", fault::killed).fault("redis", fault::restarted).record);
  ASSERT_THAT(story.holds, SizeIs(1));
  EXPECT_EQ(story.holds[0].end, "died");
}

TEST(Story, AServerThatKeepsItsDataStillHasTheLock) {
  const Story story(
      Tale().acquires("A").fault("redis", fault::killed).server("kept").releases("A").record);
  ASSERT_THAT(story.holds, SizeIs(1));
  EXPECT_EQ(story.holds[0].owner, "A");
  EXPECT_EQ(story.holds[0].end, "del");
}

TEST(Story, FindsTheHoldOfAPlace) {
  const Story story(Tale().acquires("A").releases("A").record);
  const auto& hold = story.holds.at(0);
  EXPECT_EQ(story.hold_at(hold.from), &hold);
  EXPECT_EQ(story.hold_at(hold.to - 1), &hold);
  EXPECT_EQ(story.hold_at(hold.to), nullptr);
}

// Several servers.

const std::vector<int> all{1, 2, 3};

TEST(StoryOfSeveral, ALockIsHeldWhereAMajorityHoldsItForOne) {
  Tale tale(3);
  tale.call("A", "acquire").asks("A", {1}, "set");
  const Story minority(tale.record);
  ASSERT_THAT(minority.holds, SizeIs(1));
  EXPECT_EQ(minority.hold_at(minority.events.size() - 1), nullptr);
  tale.asks("A", {2}, "set").answer("A", "acquire", "acquired");
  const Story majority(tale.record);
  EXPECT_TRUE(majority.held_for("A", majority.events.size() - 1));
  EXPECT_EQ(majority.hold_at(majority.events.size() - 1), &majority.holds[0]);
  EXPECT_FALSE(majority.held_for("A", minority.events.size() - 1));
}

TEST(StoryOfSeveral, TwoVotesForTwoMakeNoHolder) {
  Tale tale(4);
  tale.call("A", "acquire").call("B", "acquire");
  tale.asks("A", {1, 2}, "set").asks("B", {3, 4}, "set");
  const Story story(tale.record);
  ASSERT_THAT(story.holds, SizeIs(4));
  EXPECT_EQ(story.holds[1].owner, "A");
  EXPECT_EQ(story.holds[2].owner, "B");
  EXPECT_EQ(story.hold_at(story.events.size() - 1), nullptr);
}

TEST(StoryOfSeveral, AVoteThatComesLateIsItsSendersAllTheSame) {
  Tale tale(3);
  tale.call("A", "acquire").command_to(3, "A").asks("A", {1, 2}, "set");
  tale.answer("A", "acquire", "acquired").call("B", "acquire").server_on({3}, "set");
  EXPECT_EQ(Story(tale.record).holds.at(2).owner, "A");
}

// `lane` asks node3 last, which stands still, and is answered by the two others.
void takes_a_turn_past_node3(Tale& tale, const std::string& lane) {
  tale.call(lane, "acquire").command_to(3, lane).asks(lane, {1, 2}, "set");
  tale.answer(lane, "acquire", "acquired");
  tale.call(lane, "release").command_to(3, lane, "DEL lock").asks(lane, {1, 2}, "del", "DEL lock");
  tale.answer(lane, "release", "released");
}

std::vector<std::string> owners_on(const Story& story, const std::string& server) {
  std::vector<std::string> owners;
  for (const auto& hold : story.holds) {
    if (hold.server == server) owners.push_back(hold.owner + ", removed by " + hold.ended_by);
  }
  return owners;
}

TEST(StoryOfSeveral, WhatAServerDoesLateIsOfThoseWhoseCommandsWaitedAtItsDoor) {
  Tale tale(3);
  tale.fault("node3", fault::frozen);
  takes_a_turn_past_node3(tale, "A");
  takes_a_turn_past_node3(tale, "B");
  tale.fault("node3", fault::thawed);
  for (const auto* what : {"set", "del", "set", "del"}) tale.server_on({3}, what);
  for (const auto* lane : {"B", "A", "B", "A"}) tale.reply_from(3, lane);
  EXPECT_THAT(owners_on(Story(tale.record), "node3"),
              ElementsAre("A, removed by A", "B, removed by B"));
}

// A's acquire fails, and takes back what it may have got: that is no second try.
TEST(StoryOfSeveral, WhatIsTakenBackLateIsNotTakenForAnotherTry) {
  Tale tale(3);
  tale.fault("node3", fault::frozen).call("A", "acquire").command_to(3, "A");
  tale.command_to(3, "A", "DEL lock").answer("A", "acquire", "contended");
  tale.call("B", "acquire").command_to(3, "B").fault("node3", fault::thawed);
  tale.server_on({3}, "set").server_on({3}, "del").server_on({3}, "set");
  EXPECT_THAT(owners_on(Story(tale.record), "node3"),
              ElementsAre("A, removed by A", "B, removed by "));
}

TEST(StoryOfSeveral, ACommandOfADeadClientIsNotTakenForALaterOne) {
  Tale tale(3);
  tale.call("A", "acquire").command_to(1, "A").fault("A", fault::killed);
  tale.answer("A", "acquire", "died").call("B", "acquire").command_to(1, "B").server_on({1}, "set");
  EXPECT_EQ(Story(tale.record).holds.at(0).owner, "B");
}

TEST(StoryOfSeveral, ACommandThatIsHeldOnTheWireChangesNothing) {
  Tale tale(3);
  const nlohmann::json held{
      {"what", "held"}, {"side", "command"}, {"server", "node1"}, {"command", "SET"}};
  tale.call("A", "acquire").command_to(1, "A").add("A", Kind::fault, held);
  tale.call("B", "acquire").command_to(1, "B").server_on({1}, "set");
  EXPECT_EQ(Story(tale.record).holds.at(0).owner, "B");
}

TEST(StoryOfSeveral, WhatIsCutOffChangesNothing) {
  Tale tale(3);
  const nlohmann::json cut{{"what", "cut off"}, {"side", "command"}, {"server", "node1"}};
  tale.call("A", "acquire").add("A", Kind::fault, cut).command_to(1, "A");
  tale.call("B", "acquire").command_to(1, "B").server_on({1}, "set");
  EXPECT_EQ(Story(tale.record).holds.at(0).owner, "B");
}

TEST(StoryOfSeveral, WhoRemovesItTellsTwoApartWhoAskedAtTheSameMoment) {
  Tale tale(3);
  tale.call("A", "acquire").call("B", "acquire").command_to(1, "A").command_to(1, "B");
  tale.server_on({1}, "set").reply_from(1, "A").reply_from(1, "B");
  tale.answer("A", "acquire", "contended").asks("B", {1}, "del", "DEL lock");
  const auto hold = Story(tale.record).holds.at(0);
  EXPECT_EQ(hold.owner, "B");
  EXPECT_EQ(hold.ended_by, "B");
}

TEST(StoryOfSeveral, AReplicaStandsForTheFirst) {
  Tale tale(3);
  tale.acquires_on(all, "A").fault("node1", fault::killed);
  tale.add("replica", Kind::server, {{"what", "set"}, {"key", "lock"}});
  tale.fault("node2", fault::killed);
  const Story story(tale.record);
  EXPECT_EQ(story.node_of("replica"), "node1");
  EXPECT_EQ(story.count_nodes([](const ServerHold& hold) { return hold.to == never; }), 2U);
}

TEST(StoryOfSeveral, AServerThatDiesHoldsNothing) {
  Tale tale(3);
  tale.acquires_on(all, "A").fault("node1", fault::killed).fault("node2", fault::killed);
  const Story story(tale.record);
  EXPECT_EQ(story.holds[0].end, "died");
  EXPECT_FALSE(story.held_for("A", story.events.size() - 1));
}

}  // namespace
}  // namespace faults

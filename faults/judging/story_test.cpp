#include "faults/judging/story.h"

#include "faults/judging/tale.h"
#include "faults/kit_test.h"

namespace faults {
namespace {

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

TEST(Story, DoesNotGuessBetweenTwo) {
  const Story story(Tale().call("A", "acquire").call("B", "acquire").server("set").record);
  EXPECT_EQ(story.holds.at(0).owner, "");
}

TEST(Story, ARenewalIsNoNewHold) {
  EXPECT_THAT(Story(Tale().acquires("A").server("expire").server("set").record).holds, SizeIs(1));
}

TEST(Story, FindsTheHoldOfAPlace) {
  const Story story(Tale().acquires("A").releases("A").record);
  const auto& hold = story.holds.at(0);
  EXPECT_EQ(story.hold_at(hold.from), &hold);
  EXPECT_EQ(story.hold_at(hold.to - 1), &hold);
  EXPECT_EQ(story.hold_at(hold.to), nullptr);
}

}  // namespace
}  // namespace faults

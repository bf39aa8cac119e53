// Fencing tokens: which pairs of holds are judged, and which prove nothing.
#include "faults/judging/testing/findings.h"
#include "faults/judging/testing/history_builder.h"
#include "faults/testing/kit_test.h"

namespace faults {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> wrong_tokens(const HistoryBuilder& history) {
  return found(Property::rising_tokens, history);
}

nlohmann::json token(int number) {
  return {{"fencing_token", number}};
}

HistoryBuilder& gets(HistoryBuilder& history, const std::string& client, int number) {
  return history.call(client, "acquire")
      .server("set")
      .answer(client, "acquire", "acquired", token(number));
}

// A's command sets the lock, its lease runs out, B gets in, and only then is A answered.
HistoryBuilder frozen_in_its_acquire(int of_a, int of_b) {
  HistoryBuilder history;
  history.call("A", "acquire").command("A", "SET lock a NX PX 300").server("set").reply("A", "OK");
  history.server("expired");
  history.call("B", "acquire").command("B", "SET lock b NX PX 300").server("set").reply("B", "OK");
  history.answer("B", "acquire", "acquired", token(of_b));
  return history.answer("A", "acquire", "acquired", token(of_a));
}

TEST(JudgeRisingTokens, RiseFromHoldToHold) {
  HistoryBuilder history;
  gets(history, "A", 1).releases("A");
  gets(history, "B", 2).releases("B");
  EXPECT_THAT(wrong_tokens(gets(history, "A", 5)), IsEmpty());
}

TEST(JudgeRisingTokens, SeesOneThatFalls) {
  HistoryBuilder history;
  gets(history, "A", 7).releases("A");
  EXPECT_THAT(wrong_tokens(gets(history, "B", 3)),
              ElementsAre("B had the lock after A, and its token 3 is below A's 7"));
}

// Also of a lock that a server forgot: the store has not.
TEST(JudgeRisingTokens, SeesACounterThatStartsAgain) {
  HistoryBuilder history;
  gets(history, "A", 1).fault("redis", fault::killed);
  EXPECT_THAT(wrong_tokens(gets(history, "B", 1)), ElementsAre("A and B both got the token 1"));
}

TEST(JudgeRisingTokens, AreJudgedWhereTheScenarioDoesNotSaySo) {
  HistoryBuilder history;
  gets(history, "A", 7).releases("A");
  const auto judgement = judge(gets(history, "B", 3).record);
  EXPECT_EQ(judgement.verdict, Verdict::violated);
  EXPECT_EQ(judgement.findings.front().property, Property::rising_tokens);
}

TEST(JudgeRisingTokens, AreNotJudgedWithoutTokens) {
  HistoryBuilder history;
  EXPECT_EQ(judge(history.acquires("A").releases("A").acquires("B").record).verdict,
            Verdict::holds);
}

TEST(JudgeRisingTokens, ALockInsideALockKeepsItsToken) {
  HistoryBuilder history;
  gets(history, "A", 4).call("A", "acquire").answer("A", "acquire", "acquired", token(4));
  history.call("A", "release").answer("A", "release", "still_held").releases("A");
  EXPECT_THAT(wrong_tokens(history), IsEmpty());
  EXPECT_THAT(wrong_tokens(gets(history, "A", 4)), testing::SizeIs(2));  // inner and outer
}

TEST(JudgeRisingTokens, AJoinedHoldSharesOne) {
  HistoryBuilder history;
  gets(history, "A", 4).call("B", "acquire", {{"join", "t"}});
  EXPECT_THAT(wrong_tokens(history.answer("B", "acquire", "acquired", token(4))), IsEmpty());
}

TEST(JudgeRisingTokens, TheServerOrdersAnswersThatOverlap) {
  EXPECT_THAT(wrong_tokens(frozen_in_its_acquire(1, 2)), IsEmpty());
  EXPECT_THAT(wrong_tokens(frozen_in_its_acquire(2, 1)),
              ElementsAre("B had the lock after A, and its token 1 is below A's 2"));
}

// A asks again in its one acquire, and has the lock after B.
TEST(JudgeRisingTokens, TheLastLockOfAnAcquireCounts) {
  HistoryBuilder history;
  history.call("A", "acquire").command("A", "SET lock a NX PX 300").server("set").reply("A", "OK");
  history.server("expired");
  history.call("B", "acquire").command("B", "SET lock b NX PX 300").server("set").reply("B", "OK");
  history.answer("B", "acquire", "acquired", token(1)).releases("B");
  history.command("A", "SET lock a NX PX 300").server("set").reply("A", "OK");
  history.answer("A", "acquire", "acquired", token(2));
  EXPECT_THAT(wrong_tokens(history), IsEmpty());
}

// Both commands are on their way when the lock appears.
TEST(JudgeRisingTokens, AnUnknownOrderIsNotJudged) {
  HistoryBuilder history;
  history.call("A", "acquire").call("B", "acquire");
  history.command("A", "SET lock a NX PX 9").command("B", "SET lock b NX PX 9").server("set");
  history.server("expired").server("set").reply("A", "OK").reply("B", "OK");
  history.answer("A", "acquire", "acquired", token(2));
  EXPECT_THAT(wrong_tokens(history.answer("B", "acquire", "acquired", token(1))), IsEmpty());
}

// B's first command is never answered, and may have set the lock that A takes for its own.
TEST(JudgeRisingTokens, AnUnknownSetterIsNobody) {
  HistoryBuilder history;
  history.call("A", "acquire").call("B", "acquire");
  history.command("A", "SET lock a NX PX 9").command("B", "SET lock b NX PX 9").server("set");
  history.reply("A", "OK").answer("A", "acquire", "acquired", token(2)).server("expired");
  history.command("B", "SET lock b NX PX 9").server("set");
  EXPECT_THAT(wrong_tokens(history.answer("B", "acquire", "acquired", token(1))), IsEmpty());
}

TEST(JudgeRisingTokens, AnUnknownKeyLeavesTheOrderOfAnswers) {
  HistoryBuilder history = frozen_in_its_acquire(2, 1);
  history.record[0].data["lock"] = {{"key", nullptr}};
  EXPECT_THAT(wrong_tokens(history), IsEmpty());
}

TEST(JudgeRisingTokens, SeesThatTheStorageRefusesTheHolder) {
  const auto refused = [](int number) {
    HistoryBuilder history;
    gets(history, "A", 3).writes("A", 1, /*accepted=*/false);
    history.record.back().data["token"] = number;
    return wrong_tokens(history);
  };
  EXPECT_THAT(refused(3), ElementsAre("A had the lock at 30 ms, and the storage refused its write: "
                                      "it had seen a token above 3"));
  EXPECT_THAT(refused(2), IsEmpty());  // a token of an earlier hold
}

TEST(JudgeRisingTokens, ALateHolderMayBeRefused) {
  HistoryBuilder history;
  gets(history, "A", 3).server("expired");
  gets(history, "B", 4).writes("A", 1, /*accepted=*/false);
  history.record.back().data["token"] = 3;
  EXPECT_THAT(wrong_tokens(history), IsEmpty());
}

TEST(JudgeRisingTokens, AMajorityIsLostBeforeTheOtherHasIt) {
  const auto frozen = [](const std::vector<int>& lost) {
    HistoryBuilder history(5);
    history.call("A", "acquire").asks("A", five, "set").server_on(lost, "expired");
    history.call("B", "acquire").asks("B", {1, 2, 3}, "set");
    history.answer("B", "acquire", "acquired", token(1));
    return wrong_tokens(history.answer("A", "acquire", "acquired", token(2)));
  };
  EXPECT_THAT(frozen(five), testing::SizeIs(1));
  EXPECT_THAT(frozen({1, 2, 3}), IsEmpty());  // two servers have A's still
}

}  // namespace
}  // namespace faults

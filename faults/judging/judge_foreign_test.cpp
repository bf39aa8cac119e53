// Other people's locks: another key, no key, other words, a loss that is asked for.
#include "faults/judging/testing/findings.h"
#include "faults/judging/testing/history_builder.h"
#include "faults/testing/kit_test.h"

namespace faults {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// A history of a lock of that kind.
HistoryBuilder foreign(nlohmann::json lock) {
  HistoryBuilder history;
  history.record[0].data["lock"] = std::move(lock);
  return history;
}

HistoryBuilder& server_has(HistoryBuilder& history, const std::string& what,
                           const std::string& key) {
  return history.add("redis", Kind::server, {{"what", what}, {"key", key}});
}

HistoryBuilder& acquires_with(HistoryBuilder& history, const std::string& client,
                              const std::string& what, const std::string& key) {
  history.call(client, "acquire");
  return server_has(history, what, key).answer(client, "acquire", "acquired");
}

// The findings about a release with that outcome, of a lock that exists, is removed by it, or has
// ended.
std::vector<std::string> about_release(const std::string& outcome, const std::string& what) {
  HistoryBuilder history;
  history.acquires("A");
  if (what == "expired") history.server("expired");
  history.call("A", "release");
  if (what == "del") history.server("del");
  history.answer("A", "release", outcome);
  return found(Property::truthful_outcomes, history);
}

TEST(JudgeForeignRelease, NotFoundMayBeItsOwnResend) {
  for (const auto* what : {"expired", "del"}) {
    EXPECT_THAT(about_release("not_found", what), IsEmpty());
  }
  EXPECT_THAT(about_release("not_found", ""),
              ElementsAre(HasSubstr("but the server still holds the lock for it")));
}

TEST(JudgeForeignRelease, NotMineIsUntrueOfItsOwn) {
  EXPECT_THAT(about_release("not_mine", "expired"), IsEmpty());
  EXPECT_THAT(about_release("not_mine", ""),
              ElementsAre(HasSubstr("but the server still holds the lock for it")));
  EXPECT_THAT(about_release("not_mine", "del"),
              ElementsAre(HasSubstr("but its lock was removed by this very call")));
}

TEST(JudgeForeignRelease, WithoutOutcomeIsNeverUntrue) {
  for (const auto* what : {"", "del", "expired"}) {
    EXPECT_THAT(about_release("no_outcome", what), IsEmpty()) << what;
    EXPECT_THAT(about_release("not_released", what), IsEmpty()) << what;
  }
}

TEST(JudgeForeignAcquire, NotAcquiredIsNeverUntrue) {
  HistoryBuilder history;
  history.call("A", "acquire").server("set").answer("A", "acquire", "not_acquired");
  EXPECT_THAT(found(Property::truthful_outcomes, history), IsEmpty());
}

TEST(JudgeForeignAcquire, IsUntrueAfterItsLease) {
  HistoryBuilder history;
  history.call("A", "acquire").server("set").server("expired");
  for (int i = 0; i < 3; ++i) history.command("A", "PING").reply("A", "PONG");
  history.answer("A", "acquire", "acquired");
  EXPECT_THAT(found(Property::truthful_outcomes, history),
              ElementsAre(HasSubstr("but its lease was over by then")));
  // It was there in time, and was not read.
  history.record.back().data["lay_ms"] = 60;
  EXPECT_THAT(found(Property::truthful_outcomes, history), IsEmpty());
}

TEST(JudgeForeignKey, IsFollowedUnderItsName) {
  auto history = foreign({{"key", "mutex:lock"}});
  acquires_with(history, "A", "set", "mutex:lock");
  history.call("B", "release");
  server_has(history, "del", "mutex:lock").answer("B", "release", "released");
  EXPECT_THAT(found(Property::owner_only_release, history), SizeIs(1));
  auto other = foreign({{"key", "mutex:lock"}});
  acquires_with(other, "A", "set", "mutex:lock");
  other.call("B", "release");
  server_has(other, "del", "lock").answer("B", "release", "released");
  EXPECT_THAT(found(Property::owner_only_release, other), IsEmpty());
}

TEST(JudgeForeignKey, MayBeOfAnyType) {
  for (const auto* what : {"zadd", "sadd", "lpush", "hset", "xadd"}) {
    auto history = foreign({{"key", "lock"}});
    acquires_with(history, "A", what, "lock");
    EXPECT_EQ(judge(history.record).verdict, Verdict::holds) << what;
  }
}

TEST(JudgeForeignKey, NeverWrittenIsSaid) {
  auto history = foreign({{"key", "mutex:lock"}});
  acquires_with(history, "A", "set", "lock");
  const auto judgement = judge(history.record);
  EXPECT_EQ(judgement.verdict, Verdict::not_exercised);
  EXPECT_THAT(judgement.why, HasSubstr("no server ever had the key \"mutex:lock\""));
}

TEST(JudgeForeignKey, UnknownLeavesTheStorage) {
  auto history = foreign({{"key", nullptr}});
  history.needs({std::string(needs_contention)});
  history.call("A", "acquire").answer("A", "acquire", "acquired").reads("A", 0);
  history.call("B", "acquire").answer("B", "acquire", "acquired").works("B", 0).writes("A", 1);
  const auto judgement = judge(history.record);
  EXPECT_EQ(judgement.verdict, Verdict::violated);
  ASSERT_THAT(judgement.findings, SizeIs(1));
  EXPECT_EQ(judgement.findings[0].property, Property::mutual_exclusion);
  EXPECT_THAT(judgement.not_judged,
              ElementsAre(Property::owner_only_release, Property::truthful_outcomes));
}

TEST(JudgeForeignKey, UnknownWhatTheScenarioIsAboutIsNotGreen) {
  auto history = foreign({{"key", nullptr}});
  history.judges(Property::owner_only_renewal);
  history.call("A", "acquire").answer("A", "acquire", "acquired");
  const auto judgement = judge(history.record);
  EXPECT_EQ(judgement.verdict, Verdict::not_exercised);
  EXPECT_EQ(judgement.why, "owner-only renewal is what this is about, and could not be judged");
  EXPECT_THAT(judgement.not_judged, ElementsAre(Property::owner_only_renewal));
}

// A holds a lock whose key is not known, and B is let in.
HistoryBuilder let_in_beside(nlohmann::json lock = {{"key", nullptr}}) {
  auto history = foreign(std::move(lock));
  history.judges(Property::holder_was_told);
  history.call("A", "acquire").answer("A", "acquire", "acquired");
  history.call("B", "acquire");
  return history;
}

TEST(JudgeForeignKey, UnknownAHolderIsToldBeforeAnotherIsLetIn) {
  auto told = let_in_beside().add("A", Kind::told, {{"event", "lost"}});
  EXPECT_EQ(judge(told.answer("B", "acquire", "acquired").record).verdict, Verdict::holds);
  auto never = let_in_beside().answer("B", "acquire", "acquired");
  EXPECT_THAT(judge(never.record).sentence(),
              HasSubstr("B was let in at 30 ms, while A had the lock, and it was never told"));
  auto late = never;
  for (int i = 0; i < 10; ++i) late.add("A", Kind::storage, {{"what", "read"}});
  late.add("A", Kind::told, {{"event", "lost"}});
  EXPECT_EQ(judge(late.record).verdict, Verdict::violated);
  never.add("A", Kind::told, {{"event", "lost"}});
  EXPECT_EQ(judge(never.record).verdict, Verdict::inconclusive) << "so close";
}

TEST(JudgeForeignKey, WithoutAPromiseNoHolderNeedBeTold) {
  auto silent = let_in_beside({{"key", nullptr}, {"loss", "never"}});
  EXPECT_EQ(judge(silent.answer("B", "acquire", "acquired").record).verdict, Verdict::holds);
}

TEST(JudgeForeignKey, UnknownAHolderThatLeavesNeedNotBeTold) {
  auto leaving = let_in_beside().call("A", "release");
  EXPECT_EQ(judge(leaving.answer("B", "acquire", "acquired").record).verdict, Verdict::holds);
  auto frozen = let_in_beside().add("A", Kind::fault, {{"what", fault::frozen}});
  EXPECT_EQ(judge(frozen.answer("B", "acquire", "acquired").record).verdict, Verdict::holds);
}

TEST(JudgeForeignKey, UnknownAHolderMayStillAskUntilItWrites) {
  auto asks = let_in_beside({{"key", nullptr}, {"loss", "asked"}});
  asks.answer("B", "acquire", "acquired");
  EXPECT_EQ(judge(asks.record).verdict, Verdict::holds);
  asks.add("A", Kind::storage, {{"what", "write"}});
  EXPECT_EQ(judge(asks.record).verdict, Verdict::violated);
}

TEST(JudgeForeignKey, UnknownTheClaimsCount) {
  auto history = foreign({{"key", nullptr}});
  history.needs({std::string(needs_contention)});
  history.call("A", "acquire").answer("A", "acquire", "acquired");
  EXPECT_EQ(judge(history.record).verdict, Verdict::not_exercised);  // nobody else asked
  history.call("A", "release").answer("A", "release", "released");
  history.call("B", "acquire").answer("B", "acquire", "acquired");
  EXPECT_EQ(judge(history.record).verdict, Verdict::not_exercised);  // A had given it back
}

// In a sorted set an expired lease stays until the next client removes it.
TEST(JudgeForeignKey, InASortedSetEndsWithItsLease) {
  const auto removed_after = [](int waiting) {
    auto history = foreign({{"key", "lock"}, {"type", "sorted set"}});
    acquires_with(history, "A", "zadd", "lock");
    for (int i = 0; i < waiting; ++i) history.command("A", "PING");
    history.call("B", "acquire").server("del");
    return found(Property::owner_only_release,
                 server_has(history, "zadd", "lock").answer("B", "acquire", "acquired"));
  };
  EXPECT_THAT(removed_after(1), SizeIs(1));
  EXPECT_THAT(removed_after(40), IsEmpty());
}

TEST(JudgeForeignLoss, IsAskedForBeforeAWrite) {
  const auto finds = [](const std::string& loss, bool writes) {
    auto history = foreign({{"key", "lock"}, {"loss", loss}});
    history.acquires("A").reads("A", 0).server("expired");
    if (writes) history.writes("A", 1);
    return found(Property::holder_was_told, history);
  };
  EXPECT_THAT(finds("asked", false), IsEmpty());
  EXPECT_THAT(finds("asked", true), SizeIs(1));
  EXPECT_THAT(finds("told", false), SizeIs(1));
}

TEST(JudgeForeignRenewal, HasItsOwnPeriod) {
  const auto finds = [](nlohmann::json lock) {
    auto history = foreign(std::move(lock));
    history.acquires("A");
    for (int i = 0; i < 12; ++i) history.command("A", "PEXPIRE lock").reply("A", "1");
    return found(Property::bounded_renewal, history);
  };
  EXPECT_THAT(finds({{"key", "lock"}, {"renewal_ms", 100}}), SizeIs(1));
  EXPECT_THAT(finds({{"key", "lock"}, {"renewal_ms", 20}}), IsEmpty());
  EXPECT_THAT(finds({{"key", "lock"}}), IsEmpty());  // not known: not judged
}

TEST(JudgeForeignRenewal, MayTakeTwoCommands) {
  auto history = foreign({{"key", "lock"}, {"renewal_ms", 50}});
  history.acquires("A");
  for (int i = 0; i < 5; ++i) {
    history.command("A", "GET lock").reply("A", "x").command("A", "PEXPIRE lock").reply("A", "1");
  }
  EXPECT_THAT(found(Property::bounded_renewal, history), IsEmpty());
}

TEST(JudgeForeignLiveness, SaysThatItWasAnswered) {
  HistoryBuilder history;
  history.acquires("A").releases("A").call("B", "acquire", {{"must_get_in", true}});
  history.command("B", "SET lock").reply("B", "nil").answer("B", "acquire", "unknown");
  EXPECT_THAT(found(Property::liveness, history),
              ElementsAre(HasSubstr("it answered \"unknown\"")));
}

TEST(JudgeForeignLiveness, SaysThatItWasFreeOnce) {
  HistoryBuilder history;
  history.acquires("A").call("B", "acquire", {{"must_get_in", true}, {"wait_ms", 100}});
  history.releases("A").acquires("C").answer("B", "acquire", "contended");
  EXPECT_THAT(found(Property::liveness, history),
              ElementsAre(HasSubstr("though the lock was free at")));
}

}  // namespace
}  // namespace faults

#include "faults/judging/testing/findings.h"
#include "faults/judging/testing/history_builder.h"
#include "faults/testing/kit_test.h"

namespace faults {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::string> shut_out(const HistoryBuilder& history) {
  return found(Property::liveness, history);
}

TEST(JudgeLiveness, SeesWhoNeverGotIn) {
  HistoryBuilder history;
  history.acquires("A").fault("A", fault::killed);
  history.call("B", "acquire", {{"wait_ms", 2'400}, {"must_get_in", true}});
  history.answer("B", "acquire", "contended");
  // A client that gives up early has tried for as long as that, and has not outwaited the lease.
  EXPECT_THAT(shut_out(history), ElementsAre("B tried for 10 ms, and never got in: the lock that A "
                                             "left behind was asked for with a lease of 300 ms"));
  history.record.back().at += std::chrono::milliseconds(2'400);
  EXPECT_THAT(shut_out(history),
              ElementsAre("B tried for 2400 ms, 8 leases long, and never got in: the lock that A "
                          "left behind was never freed"));
}

// If the first of two calls of one client was unknown, the last one decides.
TEST(JudgeLiveness, AnUnknownOutcomeThatIsAskedAgainIsNone) {
  const auto asks_again = [](const std::string& first, const std::string& second) {
    HistoryBuilder history;
    history.acquires("A");
    for (const auto& outcome : {first, second}) {
      history.call("B", "acquire", {{"wait_ms", 2'400}, {"must_get_in", true}});
      history.answer("B", "acquire", outcome);
    }
    return shut_out(history);
  };
  EXPECT_THAT(asks_again("unknown", "acquired"), IsEmpty());
  EXPECT_THAT(asks_again("unknown", "unknown"), SizeIs(1));
  EXPECT_THAT(asks_again("contended", "acquired"), SizeIs(1));
}

TEST(JudgeLiveness, NamesAHolderThatStillHasTheLock) {
  HistoryBuilder history;
  history.acquires("A").call("B", "acquire", {{"wait_ms", 2'400}, {"must_get_in", true}});
  history.answer("B", "acquire", "contended");
  history.record.back().at += std::chrono::milliseconds(2'400);
  EXPECT_THAT(shut_out(history),
              ElementsAre("B tried for 2400 ms, 8 leases long, and never got in: the lock that A "
                          "still had was never freed"));
}

// The leases are those of the lock that is in the way, as its holder asked for it.
TEST(JudgeLiveness, CountsTheLeaseOfTheLockInTheWay) {
  const auto tried = [](int lease_ms) {
    HistoryBuilder history;
    history.call("A", "acquire", {{"lease_ms", lease_ms}}).server("set");
    history.answer("A", "acquire", "acquired").fault("A", fault::killed);
    history.call("B", "acquire", {{"wait_ms", 2'400}, {"must_get_in", true}}).after(2'400);
    return shut_out(history.answer("B", "acquire", "contended"));
  };
  EXPECT_THAT(tried(1'200),
              ElementsAre("B tried for 2400 ms, 2 leases long, and never got in: the lock that A "
                          "left behind was never freed"));
  EXPECT_THAT(tried(60'000),
              ElementsAre("B tried for 2400 ms, and never got in: the lock that A left behind was "
                          "asked for with a lease of 60000 ms"));
}

TEST(JudgeLiveness, DoesNotCallItsOwnLockFree) {
  HistoryBuilder history;
  history.acquires("A");
  history.call("B", "acquire", {{"wait_ms", 2'400}, {"must_get_in", true}});
  history.releases("A").command("B", "SET lock b NX PX 60000").server("set").after(2'400);
  EXPECT_THAT(shut_out(history.answer("B", "acquire", "contended")),
              ElementsAre("B tried for 2400 ms and never got in: it had set the lock itself at 80 "
                          "ms"));
}

// The holder was slow, and B had stopped asking by then; or B asked on and did not get in.
TEST(JudgeLiveness, ExcusesWhoWasToWaitNoLonger) {
  const auto verdict = [](int before, int behind) {
    HistoryBuilder history;
    history.acquires("A").call("B", "acquire", {{"wait_ms", 2'400}, {"must_get_in", true}});
    history.after(before).releases("A").after(behind).answer("B", "acquire", "contended");
    return judge(history.record).verdict;
  };
  EXPECT_EQ(verdict(2'400, 0), Verdict::inconclusive);
  EXPECT_EQ(verdict(0, 2'400), Verdict::violated);
}

// B takes back what it has set, and C is faster.
TEST(JudgeLiveness, CountsOnlyTheLocksOfOthersAsInTheWay) {
  HistoryBuilder history;
  history.acquires("A");
  history.call("B", "acquire", {{"wait_ms", 2'400}, {"must_get_in", true}}).releases("A");
  history.command("B", "SET lock b NX PX 60000").server("set").command("B", "DEL lock");
  history.server("del").acquires("C").after(2'400);
  EXPECT_THAT(shut_out(history.answer("B", "acquire", "contended")),
              ElementsAre(testing::HasSubstr("though the lock was free at 50 ms")));
}

// A has three of five servers all the time, and B takes its two votes back.
TEST(JudgeLiveness, DoesNotCallItsOwnVotesFree) {
  HistoryBuilder history(5);
  history.acquires_on({1, 2, 3}, "A");
  history.call("B", "acquire", {{"wait_ms", 2'400}, {"must_get_in", true}});
  history.asks("B", {4, 5}, "set").asks("B", {4, 5}, "del", "DEL lock").after(2'400);
  EXPECT_THAT(shut_out(history.answer("B", "acquire", "contended")),
              ElementsAre(testing::HasSubstr("the lock that A still had was never freed")));
}

// A lock that its holder sets again lets no other client in, and does no harm.
TEST(JudgeLiveness, ALockThatIsSetAgainIsItsHoldersStill) {
  const auto waits = [](bool is_removed, bool is_foreign = true) {
    HistoryBuilder history;
    if (is_foreign) history.record[0].data["lock"] = {{"key", "lock"}};
    history.acquires("A").call("A", "work");
    if (is_removed) history.fault("redis", fault::removed);
    history.server("del").command("A", "SET lock a PX 1500").server("set").reply("A", "OK");
    history.call("B", "acquire", {{"wait_ms", 2'400}, {"must_get_in", true}});
    history.command("B", "SET lock b NX PX 300").reply("B", "nil").after(2'400);
    return shut_out(history.answer("B", "acquire", "contended"));
  };
  EXPECT_THAT(waits(true), IsEmpty());
  EXPECT_THAT(waits(false), SizeIs(1));
  EXPECT_THAT(waits(true, /*is_foreign=*/false), SizeIs(1));
}

TEST(JudgeLiveness, SeesAWaiterThatIsNeverWoken) {
  HistoryBuilder history;
  history.acquires("A").call("B", "acquire", {{"wait_ms", 2'400}, {"must_get_in", true}});
  history.releases("A").answer("B", "acquire", "contended");
  history.record.back().at += std::chrono::milliseconds(2'400);
  EXPECT_THAT(shut_out(history),
              ElementsAre("B tried for 2440 ms, 8 leases long, and never got in, though the lock "
                          "was free from 50 ms on"));
}

TEST(JudgeLiveness, BlamesNoWaiterForAServerThatDied) {
  HistoryBuilder history;
  history.acquires("A").call("B", "acquire", {{"wait_ms", 2'400}, {"must_get_in", true}});
  history.fault("redis", fault::killed).answer("B", "acquire", "contended");
  EXPECT_THAT(shut_out(history), ElementsAre(testing::Not(testing::HasSubstr("was free"))));
}

TEST(JudgeLiveness, SeesWhoWasNeverAnswered) {
  HistoryBuilder history;
  history.acquires("A").call("B", "acquire", {{"wait_ms", 2'400}, {"must_get_in", true}});
  EXPECT_THAT(shut_out(history), SizeIs(1));
}

TEST(JudgeLiveness, MayBeServersThatAnswerAfterALease) {
  HistoryBuilder history;
  history.record[0].data["lease_ms"] = 15;
  history.acquires("A").fault("A", fault::killed);
  history.call("B", "acquire", {{"wait_ms", 2'400}, {"must_get_in", true}})
      .command("B", "SET lock");
  auto late = history;
  late.server("expired").server("set").reply("B", "OK").answer("B", "acquire", "unknown");
  EXPECT_EQ(judge(late.record).verdict, Verdict::inconclusive);
  auto in_time = history;
  in_time.reply("B", "OK").server("expired").server("set").answer("B", "acquire", "unknown");
  EXPECT_EQ(judge(in_time.record).verdict, Verdict::violated);
}

// The lock is free only after the time that B was to wait.
TEST(JudgeLiveness, NamesTimesOfOneKind) {
  HistoryBuilder history;
  history.acquires("A").call("B", "acquire", {{"wait_ms", 40}, {"must_get_in", true}});
  history.command("B", "x").command("B", "x").command("B", "x").server("del");
  history.answer("B", "acquire", "contended");
  EXPECT_THAT(
      shut_out(history),
      ElementsAre("B tried for 50 ms, and never got in, though the lock was free from 70 ms on"));
}

TEST(JudgeLiveness, AsksNothingOfClientsThatNeedNotGetIn) {
  HistoryBuilder history;
  history.acquires("A").is_refused("C").server("expired");
  history.call("B", "acquire", {{"wait_ms", 2'400}, {"must_get_in", true}}).server("set");
  EXPECT_THAT(shut_out(history.answer("B", "acquire", "acquired")), IsEmpty());
}

TEST(JudgeLiveness, SeesWhatTookTooLong) {
  HistoryBuilder history;
  history.acquires("A").call("B", "acquire", {{"must_end_within_ms", 15}});
  EXPECT_THAT(shut_out(HistoryBuilder(history).answer("B", "acquire", "error")), IsEmpty());
  auto waits_still = history;
  waits_still.command("B", "x")
      .fault("B", fault::killed)
      .add("", Kind::stood_still, {{"for_ms", 1}});
  EXPECT_THAT(shut_out(waits_still),
              ElementsAre("B's acquire had to end within 15 ms, and had not ended after 20 ms"));
  EXPECT_THAT(shut_out(history.command("B", "x").answer("B", "acquire", "contended")),
              ElementsAre("B's acquire had to end within 15 ms, and took 20 ms"));
  EXPECT_EQ(judge(history.record).verdict, Verdict::violated);
  history.add("", Kind::stood_still, {{"for_ms", 10}});
  EXPECT_EQ(judge(history.record).verdict, Verdict::inconclusive);
}

TEST(JudgeLiveness, NamesWhoWasNotAnswered) {
  HistoryBuilder history(5);
  history.call("B", "acquire", {{"wait_ms", 2'400}, {"must_get_in", true}});
  EXPECT_THAT(shut_out(history.answer("B", "acquire", "error").acquires_on(five, "A")),
              ElementsAre("B never got in: it asked, and was not answered"));
  HistoryBuilder held(5);
  held.acquires_on(five, "A").call("B", "acquire", {{"wait_ms", 2'400}, {"must_get_in", true}});
  EXPECT_THAT(shut_out(held.answer("B", "acquire", "unknown")),
              ElementsAre("B never got in: after 10 ms it answered \"unknown\""));
}

}  // namespace
}  // namespace faults

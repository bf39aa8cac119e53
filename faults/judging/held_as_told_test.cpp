// Held is what the lock says is held, not that its key is there: counters, values that tell a time,
// scripts that put back what they remove, and leases that were missing.
#include "faults/judging/testing/findings.h"
#include "faults/judging/testing/history_builder.h"
#include "faults/judging/trace.h"
#include "faults/testing/kit_test.h"

namespace faults {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// A client's command that counts, and the counter's new value.
void counts(HistoryBuilder& history, const std::string& client, const std::string& command,
            const std::string& value) {
  history.command(client, command + " lock").server("incrby").reply(client, value);
}

// A takes it, and B is refused: it counts down again, before A gives back or after that.
HistoryBuilder counted(bool b_is_late) {
  HistoryBuilder history;
  history.call("A", "acquire");
  counts(history, "A", "INCR", "1");
  history.answer("A", "acquire", "acquired").call("B", "acquire");
  counts(history, "B", "INCR", "2");
  if (!b_is_late) counts(history, "B", "DECR", "1");
  history.call("A", "release");
  counts(history, "A", "DECR", b_is_late ? "1" : "0");
  history.answer("A", "release", "released");
  if (b_is_late) counts(history, "B", "DECR", "0");
  return history.answer("B", "acquire", "contended");
}

TEST(CountedHolds, EndAtZeroThoughTheKeyIsThere) {
  for (const bool b_is_late : {false, true}) {
    const auto history = counted(b_is_late);
    const Trace trace(history.record);
    ASSERT_THAT(trace.holds, SizeIs(1));
    EXPECT_EQ(trace.holds[0].owner, "A");
    EXPECT_EQ(trace.holds[0].end, "del");
    EXPECT_EQ(trace.holds[0].ended_by, "A");
    EXPECT_THAT(judge(history.record).findings, IsEmpty());
  }
}

TEST(CountedHolds, AreTheNextClientsAfterThat) {
  auto history = counted(true);
  history.call("B", "acquire");
  counts(history, "B", "INCRBY", "1");
  history.record[history.record.size() - 3].data["text"] = "INCRBY lock 1";
  const Trace trace(history.answer("B", "acquire", "acquired").record);
  ASSERT_THAT(trace.holds, SizeIs(2));
  EXPECT_EQ(trace.holds[1].owner, "B");
}

TEST(CountedHolds, AreRemovedByAStrangerThatCountsDown) {
  HistoryBuilder history;
  history.call("A", "acquire");
  counts(history, "A", "INCR", "1");
  history.answer("A", "acquire", "acquired").call("B", "release");
  counts(history, "B", "DECR", "0");
  history.answer("B", "release", "released");
  EXPECT_THAT(found(Property::owner_only_release, history),
              ElementsAre(HasSubstr("B removed the lock that A had taken")));
}

TEST(CountedHolds, AreOfTheOneWhoseReplyFits) {
  HistoryBuilder history;
  history.call("A", "acquire").command("A", "INCR lock").call("B", "acquire");
  history.command("B", "INCR lock").server("incrby").server("incrby");
  history.reply("A", "2").reply("B", "1");
  EXPECT_EQ(Trace(history.answer("B", "acquire", "acquired").record).holds.at(0).owner, "B");
}

// B's release runs a script that removes A's lock, and may put it back.
HistoryBuilder removed_by_a_script(bool puts_back) {
  HistoryBuilder history;
  history.acquires("A").server("expire").call("B", "release");
  history.command("B", "EVALSHA 11aa… 1 lock 787b…").server("del");
  if (puts_back) history.server("set").server("expire");
  return history.reply("B", puts_back ? "-1" : "1")
      .answer("B", "release", puts_back ? "stolen" : "released");
}

TEST(NetEffects, OfAScriptThatPutsBackAreNone) {
  const auto history = removed_by_a_script(true);
  EXPECT_THAT(Trace(history.record).put_back, SizeIs(3));
  EXPECT_EQ(Trace(history.record).holds.at(0).to, never);
  for (const auto property :
       {Property::owner_only_release, Property::owner_only_renewal, Property::truthful_outcomes}) {
    EXPECT_THAT(found(property, history), IsEmpty());
  }
}

TEST(NetEffects, OfAScriptThatRemovesAreARemoval) {
  EXPECT_THAT(found(Property::owner_only_release, removed_by_a_script(false)), SizeIs(1));
}

TEST(NetEffects, MayBeAnothersWriteWhileItAsks) {
  HistoryBuilder history;
  history.acquires("A").call("C", "acquire").command("C", "SET lock c3d4… NX");
  history.call("B", "release").command("B", "EVALSHA 11aa… 1 lock 787b…");
  history.server("del").server("set").reply("B", "1").reply("C", "OK");
  EXPECT_THAT(Trace(history.record).put_back, IsEmpty());
}

// A's key is there, and B takes it with a command that answers what was there.
HistoryBuilder taken_over(bool looks) {
  HistoryBuilder history;
  history.acquires("A").call("B", "acquire").command("B", "SETNX lock 2000").reply("B", "0");
  if (looks) history.command("B", "GET lock").reply("B", "1000");
  history.command("B", "GETSET lock 2000").server("set").reply("B", "1000");
  return history.answer("B", "acquire", "acquired");
}

TEST(TakenOver, IsALockWhoseValueWasReadBefore) {
  const Trace trace(taken_over(true).record);
  ASSERT_THAT(trace.holds, SizeIs(2));
  EXPECT_EQ(trace.holds[0].end, "taken over");
  EXPECT_EQ(trace.holds[1].owner, "B");
  EXPECT_THAT(found(Property::truthful_outcomes, taken_over(true)), IsEmpty());
}

TEST(TakenOver, IsNoLockThatIsMerelyOverwritten) {
  EXPECT_THAT(Trace(taken_over(false).record).holds, SizeIs(1));
  EXPECT_THAT(found(Property::truthful_outcomes, taken_over(false)), SizeIs(1));
}

// B, which is refused, sets the lease of A's lock: of one that has none, or has one.
HistoryBuilder lease_set_by_b(bool has_one) {
  HistoryBuilder history;
  history.acquires("A");
  if (has_one) history.call("A", "work").server("expire").answer("A", "work", "done");
  history.call("B", "acquire").command("B", "PEXPIRE lock 300 NX").server("expire");
  return history.reply("B", "1").answer("B", "acquire", "contended");
}

TEST(OwnerOnlyRenewal, AllowsAMissingLeaseToBeSet) {
  EXPECT_THAT(found(Property::owner_only_renewal, lease_set_by_b(false)), IsEmpty());
  EXPECT_THAT(found(Property::owner_only_renewal, lease_set_by_b(true)),
              ElementsAre(HasSubstr("B changed the lease of the lock that A holds")));
}

}  // namespace
}  // namespace faults

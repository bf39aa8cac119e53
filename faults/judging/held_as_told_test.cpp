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

// A's script counts down and removes; B's takes the lock before A's reply is there.
TEST(NetEffects, OfAScriptThatCountsDownFirstAreARemoval) {
  HistoryBuilder history;
  history.acquires("A").call("B", "acquire").call("A", "release");
  history.command("A", "EVALSHA 11aa… 1 lock 787b…").server("hincrby").server("del");
  history.command("B", "EVALSHA 22bb… 1 lock 8c9d…").server("hincrby").server("expire");
  history.reply("A", "1").reply("B", "nil").answer("A", "release", "released");
  history.answer("B", "acquire", "acquired");
  EXPECT_THAT(Trace(history.record).put_back, IsEmpty());
  EXPECT_THAT(found(Property::truthful_outcomes, history), IsEmpty());
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

// A's key has no lease and is there, and B's script takes it, so long after A.
HistoryBuilder taken_by_a_script(int ms, bool has_a_lease) {
  HistoryBuilder history;
  history.call("A", "acquire").command("A", "EVAL loca… 1 lock 300").server("set");
  if (has_a_lease) history.server("expire");
  history.reply("A", "ok").answer("A", "acquire", "acquired").after(ms).call("B", "acquire");
  history.command("B", "EVAL loca… 1 lock 300").server("set").reply("B", "ok");
  return history.answer("B", "acquire", "acquired");
}

TEST(TakenOver, IsALockWhoseLeaseIsInItsValue) {
  const auto history = taken_by_a_script(300, false);
  const Trace trace(history.record);
  ASSERT_THAT(trace.holds, SizeIs(2));
  EXPECT_EQ(trace.holds[0].end, "expired");
  EXPECT_EQ(trace.holds[1].owner, "B");
  EXPECT_THAT(judge(history.record).findings, IsEmpty());
}

TEST(TakenOver, IsNoLockWithinItsLease) {
  EXPECT_THAT(Trace(taken_by_a_script(0, false).record).holds, SizeIs(1));
  EXPECT_THAT(Trace(taken_by_a_script(300, true).record).holds, SizeIs(1));
  EXPECT_THAT(found(Property::truthful_outcomes, taken_by_a_script(0, false)), SizeIs(1));
}

// A takes a bit of the key, and gives it back by `command`; then B wants it.
HistoryBuilder bit_given_back(const std::string& command) {
  HistoryBuilder history;
  history.call("A", "acquire").command("A", "SETBIT lock 0 1").server("setbit").reply("A", "0");
  history.answer("A", "acquire", "acquired").call("A", "release").command("A", command);
  history.server("setbit").reply("A", "1").answer("A", "release", "released");
  history.call("B", "acquire").command("B", "SETBIT lock 0 1").server("setbit").reply("B", "0");
  return history.answer("B", "acquire", "acquired");
}

TEST(WrittenFree, IsALockWhoseReleaseWritesIt) {
  for (const auto* command : {"SETBIT lock 0 0", "EVAL loca… 1 lock"}) {
    const auto history = bit_given_back(command);
    const Trace trace(history.record);
    ASSERT_THAT(trace.holds, SizeIs(2)) << command;
    EXPECT_EQ(trace.holds[0].end, "del");
    EXPECT_EQ(trace.holds[0].ended_by, "A");
    EXPECT_EQ(trace.holds[1].owner, "B");
    EXPECT_THAT(judge(history.record).findings, IsEmpty());
  }
}

TEST(WrittenFree, IsNoLockWithAnInnerLevelLeft) {
  HistoryBuilder history;
  history.acquires("A").call("A", "release").command("A", "EVALSHA 11aa… 1 lock 787b…");
  history.server("hset").reply("A", "2").answer("A", "release", "still_held");
  EXPECT_EQ(Trace(history.record).holds.at(0).to, never);
}

TEST(WrittenFree, IsNoLockThatAContenderWrites) {
  HistoryBuilder history;
  history.acquires("A").call("B", "acquire").command("B", "APPEND lock x").server("append");
  history.reply("B", "2").answer("B", "acquire", "contended").releases("A");
  EXPECT_THAT(Trace(history.record).holds, SizeIs(1));
  EXPECT_THAT(judge(history.record).findings, IsEmpty());
}

// A and B ask by a command that names the lock after a key of their own; B's comes first.
TEST(SecondKey, IsTheLockOfWhoeverCopiedToIt) {
  for (const std::string command : {"COPY", "RENAMENX"}) {
    HistoryBuilder history;
    history.call("A", "acquire").command("A", "SET own:a 1").reply("A", "OK");
    history.call("B", "acquire").command("B", command + " own:b lock").server("copy_to");
    history.reply("B", "1").answer("B", "acquire", "acquired");
    history.command("A", command + " own:a lock").reply("A", "0");
    history.answer("A", "acquire", "contended").call("B", "release").command("B", "UNLINK lock");
    history.server("del").reply("B", "1").answer("B", "release", "released");
    EXPECT_EQ(Trace(history.record).holds.at(0).owner, "B") << command;
    EXPECT_THAT(judge(history.record).findings, IsEmpty()) << command;
  }
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

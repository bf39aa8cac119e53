// The rows as a whole: their words, and that none speaks of a lock that is right.
#include "tools/learning/mistakes/mistake.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "faults/judging/testing/history_builder.h"
#include "tools/terminal/testing/known_text.h"

namespace learning {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> keys_of(const faults::Record& record, char exercise) {
  std::vector<std::string> keys;
  for (const auto& said : mistakes_in(TraceQuery(record), exercise)) keys.push_back(said.key);
  return keys;
}

// A release of B's, while A has the lock: with a look before it, or without.
faults::Record release_of_a_stranger(bool looks) {
  faults::HistoryBuilder story;
  story.call("A", "acquire")
      .command("A", "SET lock a1b2… NX PX 300")
      .server("set")
      .server("expire");
  story.reply("A", "OK").answer("A", "acquire", "acquired");
  story.call("B", "acquire").command("B", "SET lock c3d4… NX PX 300").reply("B", "nil");
  story.answer("B", "acquire", "contended").call("B", "release");
  if (looks) story.command("B", "GET lock").reply("B", "a1b2…");
  story.command("B", "DEL lock").server("del").reply("B", "1").answer("B", "release", "released");
  return story.record;
}

TEST(Mistakes, HaveAKeyEach) {
  std::set<std::string_view> keys;
  for (const auto* row : mistakes_of()) EXPECT_TRUE(keys.insert(row->key).second) << row->key;
  for (const auto* row : mistakes_of()) {
    for (const auto general : row->rather_than) EXPECT_TRUE(keys.contains(general)) << general;
  }
}

TEST(Mistakes, AreKnownInChinese) {
  for (const auto* row : mistakes_of()) {
    terminal::expect_known(std::string(row->sentence));
    terminal::expect_known(std::string(row->look_at));
    if (row->look_at_in_python.empty()) continue;
    terminal::expect_known(std::string(row->look_at_in_python));
  }
}

TEST(Mistakes, AreSaidInAtMost25Words) {
  for (const auto* row : mistakes_of()) {
    std::istringstream words{std::string(row->sentence)};
    EXPECT_LE(std::distance(std::istream_iterator<std::string>(words), {}), 25) << row->key;
    EXPECT_TRUE(row->sentence.ends_with('.')) << row->key;
    EXPECT_FALSE(row->look_at.empty()) << row->key;
  }
}

TEST(Mistakes, SpeakOnlyInTheirExercises) {
  const auto record = release_of_a_stranger(false);
  EXPECT_THAT(keys_of(record, '3'), ElementsAre("del_without_compare"));
  EXPECT_THAT(keys_of(record, '1'), IsEmpty());
}

TEST(Mistakes, GiveWayToTheMoreSpecific) {
  EXPECT_THAT(keys_of(release_of_a_stranger(true), '4'), ElementsAre("compare_then_del"));
}

// A's release loses its reply, and is asked again in another way.
TEST(Mistakes, TellThatAReleaseIsAskedAgainInTwoSteps) {
  const auto keys = [](const std::string& in_between) {
    faults::HistoryBuilder story;
    story.acquires("A").call("A", "release").command("A", "EVAL loca… 1 lock a1b2…");
    story.answer("A", "release", "unknown").call("A", "release");
    story.command("A", "GET lock").reply("A", "a1b2…");
    if (!in_between.empty()) story.command("A", in_between).reply("A", "OK");
    story.command("A", "DEL lock").server("del").reply("A", "1");
    return keys_of(story.answer("A", "release", "released").record, '4');
  };
  EXPECT_THAT(keys(""), ElementsAre("releases_in_two_steps"));
  EXPECT_THAT(keys("MULTI"), IsEmpty());
}

TEST(Mistakes, SayWhereTheyWereSeen) {
  const auto said = mistakes_in(TraceQuery(release_of_a_stranger(false)), '3');
  ASSERT_EQ(said.size(), 1);
  EXPECT_EQ(said.front().where,
            "B's release sent DEL lock at 110 ms, and was answered 1; it said \"released\"");
}

TEST(Mistakes, DoNotAccuseATransaction) {
  faults::HistoryBuilder lease_within;
  lease_within.call("A", "acquire").command("A", "MULTI").reply("A", "OK");
  lease_within.command("A", "PEXPIRE lock 300").reply("A", "0");
  lease_within.command("A", "SET lock a1b2… PX 300")
      .server("set")
      .server("expire")
      .reply("A", "OK");
  EXPECT_THAT(keys_of(lease_within.answer("A", "acquire", "acquired").record, '2'), IsEmpty());

  faults::HistoryBuilder watched;
  watched.call("A", "acquire").command("A", "WATCH lock").reply("A", "OK");
  watched.command("A", "GET lock").reply("A", "nil");
  watched.command("A", "SET lock a1b2… PX 300").server("set").server("expire").reply("A", "OK");
  EXPECT_THAT(keys_of(watched.answer("A", "acquire", "acquired").record, '3'), IsEmpty());
}

TEST(Mistakes, DoNotTakeCountingDownForAYes) {
  faults::HistoryBuilder story;
  story.call("A", "acquire").command("A", "INCR lock").server("incrby").reply("A", "1");
  story.answer("A", "acquire", "acquired").call("B", "acquire");
  story.command("B", "INCR lock").server("incrby").reply("B", "2");
  story.command("B", "DECR lock").server("incrby").reply("B", "1");
  story.answer("B", "acquire", "contended");
  story.call("C", "acquire", {{"must_get_in", true}}).answer("C", "acquire", "contended");
  EXPECT_THAT(keys_of(story.record, '1'), IsEmpty());
}

// C is shut out, so that something is broken.
TEST(Mistakes, IgnoreTheAnswerOfAScriptThatTookTheKey) {
  const auto keys = [](const std::string& effect) {
    faults::HistoryBuilder story;
    story.call("A", "acquire").command("A", "EVAL loca… 1 lock a1b2… 300");
    if (!effect.empty()) story.server(effect).server("expire");
    story.reply("A", "-7").answer("A", "acquire", "acquired");
    story.call("C", "acquire", {{"must_get_in", true}}).answer("C", "acquire", "contended");
    return keys_of(story.record, '3');
  };
  EXPECT_THAT(keys("hset"), IsEmpty());
  EXPECT_THAT(keys(""), ElementsAre("answer_ignored"));
}

// A's value tells that its time was over; B takes over, and says yes or no to what was there.
faults::Record taken_over(const std::string& was_there, const std::string& outcome) {
  faults::HistoryBuilder story;
  story.call("A", "acquire").command("A", "SETNX lock 1000").server("set").reply("A", "1");
  story.answer("A", "acquire", "acquired").call("B", "acquire");
  story.command("B", "SETNX lock 2000").reply("B", "0");
  story.command("B", "GET lock").reply("B", "1000");
  story.command("B", "GETSET lock 2000").server("set").reply("B", was_there);
  return story.answer("B", "acquire", outcome).record;
}

TEST(Mistakes, DoNotAccuseWhoComparesWhatWasThere) {
  EXPECT_THAT(keys_of(taken_over("1000", "acquired"), '2'), IsEmpty());
  EXPECT_THAT(keys_of(taken_over("1500", "contended"), '2'), IsEmpty());
  EXPECT_THAT(keys_of(taken_over("1500", "acquired"), '2'), ElementsAre("check_then_set"));
}

// B is refused, and sets the lease of A's lock: one that was missing, or one that was there.
faults::Record lease_set_by_b(bool was_missing) {
  faults::HistoryBuilder story;
  story.call("A", "acquire").command("A", "SETNX lock a1b2…").server("set").reply("A", "1");
  if (!was_missing) story.command("A", "PEXPIRE lock 300").server("expire").reply("A", "1");
  story.answer("A", "acquire", "acquired").call("B", "acquire");
  story.command("B", "SETNX lock c3d4…").reply("B", "0");
  story.command("B", "PEXPIRE lock 300 NX").server("expire").reply("B", "1");
  return story.answer("B", "acquire", "contended").record;
}

TEST(Mistakes, DoNotAccuseWhoSetsAMissingLease) {
  EXPECT_THAT(keys_of(lease_set_by_b(true), '2'), IsEmpty());
  EXPECT_THAT(keys_of(lease_set_by_b(false), '2'), ElementsAre("contender_extends"));
}

// A renews its lease by a script while B asks by another; or B's alone is under way.
TEST(Mistakes, DoNotAccuseAContenderOfAnothersRenewal) {
  const auto keys = [](bool a_renews) {
    faults::HistoryBuilder story;
    story.call("A", "acquire").command("A", "EVAL \\x0al… 1 lock a1b2… 300").server("set");
    story.server("expire").reply("A", "yes").answer("A", "acquire", "acquired");
    if (a_renews) story.command("A", "EVAL \\x0al… 1 lock a1b2… 300");
    story.call("B", "acquire").command("B", "EVAL \\x0al… 1 lock c3d4… 300").server("expire");
    return keys_of(story.reply("B", "no").answer("B", "acquire", "contended").record, '4');
  };
  EXPECT_THAT(keys(true), IsEmpty());
  EXPECT_THAT(keys(false), ElementsAre("contender_extends"));
}

// A's lease is renewed once, and is there so long after that.
TEST(Mistakes, TellThatARenewalLastsTooLong) {
  const auto keys = [](int ms) {
    faults::HistoryBuilder story;
    story.needs({"killed"}).call("A", "acquire").command("A", "SET lock a1b2… NX PX 300");
    story.server("set").server("expire").reply("A", "OK").answer("A", "acquire", "acquired");
    story.command("A", "EVAL loca… 1 lock a1b2… 300").server("expire").reply("A", "1").after(ms);
    return keys_of(story.call("B", "acquire").answer("B", "acquire", "contended").record, '5');
  };
  EXPECT_THAT(keys(200), IsEmpty());
  EXPECT_THAT(keys(600), ElementsAre("renewal_lasts_too_long"));
}

TEST(Mistakes, SayThatAGivenLeaseIsRenewed) {
  faults::HistoryBuilder story;
  story.needs({"contended"}).call("A", "acquire", {{"lease_ms", 300}});
  story.command("A", "SET lock a1b2… NX PX 300").server("set").server("expire").reply("A", "OK");
  story.answer("A", "acquire", "acquired").command("A", "EVAL loca… 1 lock a1b2… 300");
  EXPECT_THAT(keys_of(story.server("expire").record, '4'), ElementsAre("renews_a_given_lease"));
}

TEST(Mistakes, DoNotAccuseALeaseSetTwice) {
  faults::HistoryBuilder story;
  story.call("A", "acquire").command("A", "PEXPIRE lock 300 NX").reply("A", "0");
  story.command("A", "SETNX lock a1b2…").server("set").reply("A", "1");
  story.command("A", "PEXPIRE lock 300").server("expire").reply("A", "1");
  EXPECT_THAT(keys_of(story.answer("A", "acquire", "acquired").record, '2'), IsEmpty());
}

// A's release sends that, and says "released".
std::vector<Diagnosis> said_of_release(const std::string& command, const std::string& effect) {
  faults::HistoryBuilder story;
  story.call("A", "acquire").command("A", "SETNX lock held").server("set").reply("A", "1");
  story.answer("A", "acquire", "acquired").call("A", "release").command("A", command);
  if (!effect.empty()) story.server(effect);
  story.reply("A", effect.empty() ? "0" : "1").answer("A", "release", "released");
  return mistakes_in(TraceQuery(story.record), '1');
}

TEST(Mistakes, TellThatAKeyStays) {
  EXPECT_THAT(said_of_release("DEL lock", "del"), IsEmpty());
  const auto said = said_of_release("DEL another", "");
  ASSERT_EQ(said.size(), 1);
  EXPECT_EQ(said.front().key, "key_stays");
  EXPECT_EQ(said.front().where,
            "A's release sent DEL another at 60 ms, and was answered 0; it said \"released\"");
}

TEST(Mistakes, TellThatALeaseWasDropped) {
  const auto said = [](const std::string& set) {
    faults::HistoryBuilder story;
    story.call("A", "acquire").command("A", "SETNX lock held").server("set").reply("A", "1");
    story.command("A", "PEXPIRE lock 300").server("expire").reply("A", "1");
    story.command("A", set).server("set").reply("A", "OK");
    return keys_of(story.answer("A", "acquire", "acquired").record, '2');
  };
  EXPECT_THAT(said("SET lock a1b2…"), ElementsAre("lease_dropped"));
  EXPECT_THAT(said("SET lock a1b2… KEEPTTL"), IsEmpty());
}

// A takes the lock twice, under that token, and releases it; `whole` is what the history adds.
faults::Record taken_twice(const std::string& token, const std::vector<std::string>& whole) {
  faults::HistoryBuilder story;
  for (const auto& digest : whole) {
    story.call("A", "acquire").command("A", "SET lock " + token + " NX PX 300");
    if (!digest.empty()) story.record.back().data["whole"] = {{token, digest}};
    story.server("set").server("expire").reply("A", "OK").answer("A", "acquire", "acquired");
    story.call("A", "release").command("A", "DEL lock").server("del").reply("A", "1");
    story.answer("A", "release", "released");
  }
  return story.record;
}

TEST(Mistakes, DistinguishTokensThatAreShownAlike) {
  const std::string token = "host…-1";
  EXPECT_THAT(keys_of(taken_twice(token, {"1f2e", "3d4c"}), '3'), IsEmpty());
  EXPECT_THAT(keys_of(taken_twice(token, {"", ""}), '3'), IsEmpty());
  EXPECT_THAT(keys_of(taken_twice(token, {"1f2e", "1f2e"}), '3'), ElementsAre("token_not_fresh"));
  EXPECT_THAT(keys_of(taken_twice("a1b2…", {"", ""}), '3'), ElementsAre("token_not_fresh"));
}

TEST(Mistakes, DoNotAccuseANumberThatTheServerCounted) {
  const auto keys = [](const std::string& counted) {
    faults::HistoryBuilder story;
    story.call("A", "acquire").command("A", "INCR serials").reply("A", counted);
    story.command("A", "SET lock 7 NX PX 300").server("set").server("expire").reply("A", "OK");
    return keys_of(story.answer("A", "acquire", "acquired").record, '3');
  };
  EXPECT_THAT(keys("7"), IsEmpty());
  EXPECT_THAT(keys("8"), ElementsAre("token_is_thread_number"));
}

// A dies with a lock whose key has no lease, and B takes it, by a script.
TEST(Mistakes, DoNotMissALeaseThatIsInTheValue) {
  const auto keys = [](int ms) {
    faults::HistoryBuilder story;
    story.call("A", "acquire").command("A", "EVAL loca… 1 lock 300").server("set");
    story.reply("A", "ok").answer("A", "acquire", "acquired").after(ms).call("B", "acquire");
    story.command("B", "EVAL loca… 1 lock 300").server("set").reply("B", "ok");
    story.answer("B", "acquire", "acquired");
    story.call("C", "acquire", {{"must_get_in", true}}).answer("C", "acquire", "contended");
    return keys_of(story.record, '2');
  };
  EXPECT_THAT(keys(300), IsEmpty());
  EXPECT_THAT(keys(0), ElementsAre("no_lease"));
}

// A takes the lock twice, and gives it back; `is_lost`: the first hold ran out in between.
faults::Record taken_by_its_holder(bool is_lost) {
  faults::HistoryBuilder story;
  story.acquires("A");
  if (is_lost) story.server("expired");
  story.call("A", "acquire");
  if (is_lost) story.server("set");
  return story.answer("A", "acquire", "acquired").releases("A").record;
}

TEST(Mistakes, TellThatAnInnerLevelFrees) {
  EXPECT_THAT(keys_of(taken_by_its_holder(false), '1'), testing::Contains("inner_level_frees"));
  EXPECT_THAT(keys_of(taken_by_its_holder(true), '1'),
              testing::Not(testing::Contains("inner_level_frees")));
}

TEST(Mistakes, SayWhichKeyTheyLookAt) {
  faults::HistoryBuilder other;
  other.needs({"contended"}).call("A", "acquire").command("A", "SETNX lock:mutex x");
  other.reply("A", "1").answer("A", "acquire", "acquired");
  EXPECT_THAT(keys_of(other.record, '1'), ElementsAre("another_key"));
}

TEST(Mistakes, SayThatTheKeyIsThereWhileTheLockIsFree) {
  faults::HistoryBuilder list;
  list.needs({"contended"}).call("A", "acquire").command("A", "LPOP lock").server("lpop");
  list.server("del").reply("A", "baton").answer("A", "acquire", "acquired");
  list.call("A", "release").command("A", "RPUSH lock baton").server("rpush").reply("A", "1");
  list.answer("A", "release", "released");
  EXPECT_THAT(keys_of(list.record, '1'), ElementsAre("there_while_free"));
}

TEST(Mistakes, NameNothingOfCppInPython) {
  for (const auto* row : mistakes_of('4')) {
    const auto words = row->look_at_in_python.empty() ? row->look_at : row->look_at_in_python;
    for (const auto* name : {"::", ".lua", ".cpp", ".h)"}) {
      EXPECT_THAT(std::string(words), testing::Not(testing::HasSubstr(name))) << row->key;
      EXPECT_THAT(std::string(row->sentence), testing::Not(testing::HasSubstr(name))) << row->key;
    }
  }
  const TraceQuery query(release_of_a_stranger(true));
  EXPECT_THAT(mistakes_in(query, '4', /*is_python=*/true).at(0).look_at,
              testing::HasSubstr("sent with EVAL"));
}

// Ours goes on with the first majority, whatever count another server has; which came first cannot
// be seen.
TEST(Mistakes, CountOnlyWhatDecided) {
  faults::HistoryBuilder story(5);
  story.call("A", "acquire");
  for (const int node : faults::five) {
    story.command_to(node, "A", "EVALSHA 11aa… 1 lock a1b2… 300");
    story.server_on({node}, "hset").server_on({node}, "expire");
  }
  story.reply_from(4, "A", "1 14");
  for (const int node : {1, 2, 3}) story.reply_from(node, "A", "1 5");
  story.answer("A", "acquire", "acquired");
  story.record.back().data["fencing_token"] = 5;
  EXPECT_THAT(keys_of(story.record, '8'), IsEmpty());
  story.record.back().data["fencing_token"] = 4;
  story.record[story.record.size() - 3].data["text"] = "1 4";
  EXPECT_THAT(keys_of(story.record, '8'), ElementsAre("token_not_the_greatest"));
}

// It hangs for as long as anybody looks.
TEST(Mistakes, SpeakOfAnAcquireThatIsNeverAnswered) {
  faults::HistoryBuilder story(5);
  story.call("A", "acquire").command_to(1, "A", "EVALSHA 11aa… 1 lock a1b2… 300");
  EXPECT_THAT(keys_of(story.reply_from(1, "A", "1").record, '7'), IsEmpty());
}

// Our own locks, each under a scenario that it survives or does not: recorded runs.
TEST(Mistakes, DoNotAccuseOurLocks) {
  int looked_at = 0;
  for (const auto& entry :
       fs::recursive_directory_iterator(fs::path(LAB_SOURCE_DIR) / "faults/recorded")) {
    if (entry.path().extension() != ".jsonl") continue;
    const auto record = faults::read_record(entry.path());
    const auto stage = record.front().data.value("stage", std::string());
    const bool is_ours = stage.starts_with("stage") && stage.find('/') == std::string::npos;
    const TraceQuery query(record);
    if (!is_ours || query.judgement().verdict != faults::Verdict::holds) continue;
    ++looked_at;
    EXPECT_THAT(keys_of(record, stage[5]), IsEmpty()) << entry.path();
  }
  EXPECT_GT(looked_at, 0);
}

}  // namespace
}  // namespace learning

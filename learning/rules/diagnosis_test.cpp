// The rules on histories that were recorded from our stages: each is broken in the way that the
// next one mends, and gets the sentence for it; and what is said where no rule has spoken.
#include "learning/rules/diagnosis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "learning/rules/in_general.h"
#include "learning/rules/rules_test.h"

namespace learning {
namespace {

namespace fs = std::filesystem;
using faults::Kind;

struct Recorded {
  std::string stage;
  std::string scenario;
  std::string says;
};

void PrintTo(const Recorded& recorded, std::ostream* stream) {
  *stream << recorded.stage << " " << recorded.scenario;
}

class DiagnosisOf : public testing::TestWithParam<Recorded> {};

TEST_P(DiagnosisOf, ARecordedHistoryNamesWhatIsWrongWithItsStage) {
  const auto& [stage, scenario, says] = GetParam();
  const auto file = fs::path(LAB_SOURCE_DIR) / "testdata" / stage / (scenario + ".jsonl");
  const auto said = diagnose(Evidence(faults::read_record(file)));
  ASSERT_TRUE(said);
  EXPECT_EQ(said->key, says) << said->sentence;
}

const std::vector<Recorded> all_recorded{
    {"stage1_setnx", "killed_holder", "no_lease"},
    {"stage1_setnx", "stranger_release", "del_without_compare"},
    {"stage1_setnx", "nested_lock", "waits_for_itself"},
    {"stage2_expire", "killed_mid_acquire", "lease_in_a_second_command"},
    {"stage2_expire", "overrun_release", "del_without_compare"},
    {"stage2_expire", "stranger_release", "del_without_compare"},
    {"stage3_set_nx_px", "frozen_mid_release", "compare_then_del"},
    {"stage3_set_nx_px", "cut_off_holder", "never_told"},
    {"stage4_lua_release", "slow_holder", "work_outlives_lease"},
    {"stage4_lua_release", "half_open", "never_told"},
    {"stage5_watchdog", "nested_lock", "waits_for_itself"},
    {"stage7_redlock", "frozen_holder", "no_fencing_token"},
};

INSTANTIATE_TEST_SUITE_P(Stages, DiagnosisOf, testing::ValuesIn(all_recorded),
                         [](const auto& instance) {
                           return instance.param.stage + "_" + instance.param.scenario;
                         });

TEST(Remarks, AreMadeOnNoneOfOurStages) {
  for (const auto& stage : fs::directory_iterator(fs::path(LAB_SOURCE_DIR) / "testdata")) {
    if (!stage.is_directory()) continue;
    for (const auto& entry : fs::directory_iterator(stage.path())) {
      if (entry.path().extension() != ".jsonl") continue;
      const auto remark = remark_on(Evidence(faults::read_record(entry.path())));
      EXPECT_FALSE(remark) << entry.path() << ": " << remark->sentence;
    }
  }
}

TEST(Rules, HaveEachANameOfItsOwn) {
  std::set<std::string_view> names;
  for (const auto& rule : diagnoses()) EXPECT_TRUE(names.insert(rule.key).second) << rule.key;
}

TEST(Diagnose, BlamesTheMachineAndNotTheLock) {
  auto tale = renewed_every(25);
  tale.add("", Kind::stalled, {{"why", "it stood still"}});
  EXPECT_EQ(diagnose(Evidence(tale.record))->key, "inconclusive");
}

// Whatever else it did wrong.
TEST(Diagnose, TellsOfACrashBeforeAllElse) {
  const auto said = [](bool killed) {
    Wire tale(5);
    tale.asks_to("A", "acquire").is_told("A", "acquire", "acquired");
    tale.asks_to("B", "acquire");
    if (killed) tale.fault("B", faults::fault::killed);
    tale.is_told("B", "acquire", "died");
    tale.add("", Kind::not_exercised, {{"why", "B did not get in"}});
    return diagnose(Evidence(tale.record));
  };
  const auto crashed = said(false);
  ASSERT_TRUE(crashed);
  EXPECT_EQ(crashed->key, "crashes");
  EXPECT_EQ(crashed->place, 0U);
  EXPECT_NE(said(true)->key, "crashes");
}

// It is no hang, and what was sent is not what is wrong with it.
TEST(DiagnoseEnd, TellsAnErrorFromAHang) {
  const auto of = [](const std::string& why) {
    return diagnose_end(Evidence(Wire().asks_to("A", "acquire").record), why).key;
  };
  EXPECT_EQ(of("waited 6000 ms for A's answer to acquire, and it never came"), "hangs");
  EXPECT_EQ(of("client A did not end: 60 s after it said goodbye its process still runs"), "hangs");
  EXPECT_EQ(of("A's answer to acquire was an error: no reply from 127.0.0.1:1 to SET: gone"),
            "lets_a_lost_reply_out");
  EXPECT_EQ(of("A's answer to acquire was an error: EVAL: ERR unknown"), "error");
  EXPECT_EQ(of("client A did not end well, it was killed by signal 6 (Aborted): terminate called"),
            "crashes");
  EXPECT_EQ(
      of("client A did not end well, it was killed by signal 11 (Segmentation fault): it said "
         "nothing"),
      "crashes");
}

// However it comes to be known: in the history an error is cut short.
TEST(DiagnoseEnd, KnowsAScriptThatRunsWithoutEnd) {
  const auto end_of = [](const std::string& reply, const std::string& why) {
    Wire tale;
    tale.takes("A").asks_to("A", "release").sends("A", "EVALSHA 316f… 1 lock 787b…", {});
    tale.asks_to("B", "acquire").sends("B", "SET lock 24e8… NX PX 300", {}, reply);
    return diagnose_end(Evidence(tale.record), why);
  };
  const auto told_by_the_kit =
      end_of("",
             "a script of the lock runs without end: the server answers a PING with BUSY Redis "
             "is busy running a script.");
  EXPECT_EQ(told_by_the_kit.key, "script_without_end");
  EXPECT_NE(
      told_by_the_kit.sentence.find("EVALSHA, which A sent in its release, was never answered"),
      std::string::npos)
      << told_by_the_kit.sentence;
  const std::string silence = "waited 60000 ms for A's answer to release";
  EXPECT_EQ(end_of("error BUSY Redis is busy running a s…", silence).key, "script_without_end");
  EXPECT_EQ(end_of("error BUSYKEY Target key name alre…", silence).key, "hangs");
}

TEST(DiagnoseEnd, TellsARefusalFromAnError) {
  const auto thrown_after = [](const std::string& reply) {
    Wire tale;
    tale.takes("A").asks_to("B", "acquire").sends("B", "SETNX lock held", {}, reply);
    const std::string why = "B's answer to acquire was an error: it is taken";
    return diagnose_end(Evidence(tale.record), why).key;
  };
  EXPECT_EQ(thrown_after("0"), "refusal_thrown");
  EXPECT_EQ(thrown_after("error ERR wrong number of arguments"), "error");
}

TEST(DiagnoseEnd, TellsARefusedReleaseFromAnError) {
  Wire tale;
  tale.takes("A").asks_to("A", "release").sends("A", "EVALSHA 316f… 1 lock 787b…", {}, "-1");
  const auto said =
      diagnose_end(Evidence(tale.record), "A's answer to release was an error: it is stolen");
  EXPECT_EQ(said.key, "refusal_thrown");
  EXPECT_NE(said.sentence.find("your release"), std::string::npos) << said.sentence;
}

TEST(DiagnoseEnd, SaysOfAHangWhatTheOneWhoHangsHasSent) {
  Wire tale;
  tale.takes("A").asks_to("B", "acquire");
  for (int i = 0; i < 20; ++i) tale.sends("B", "SETNX lock held", {}, "0");
  tale.sends("A", "DEL lock", {"del"}, "1");
  const auto said =
      diagnose_end(Evidence(tale.record), "waited 60000 ms for B's answer to acquire");
  EXPECT_NE(said.sentence.find("SETNX again and again"), std::string::npos) << said.sentence;
  EXPECT_EQ(said.sentence.find("DEL"), std::string::npos) << said.sentence;
}

TEST(LikelyCause, OfNilIsAnArgumentThatWasNotGiven) {
  const std::string why = "ERR Lua redis lib command arguments must be strings or integers";
  EXPECT_THAT(with_likely_cause(why), testing::HasSubstr("KEYS or ARGV"));
  EXPECT_EQ(with_likely_cause("ERR no"), "ERR no");
}

TEST(LikelyCause, OfAnAbortMayBeWhatIsThrownAndIsNoError) {
  EXPECT_THAT(with_likely_cause("killed by signal 6 (Aborted)"),
              testing::HasSubstr("no std::exception"));
}

TEST(LikelyCause, OfAKeyThatStaysIsAWrongKeyButNotOfOneThatNobodyWasGiven) {
  const std::string missed = "A did not get the key that clients warm up with";
  const auto never_given = missed + ": nobody was ever given it";
  EXPECT_EQ(with_likely_cause(never_given), never_given);
  EXPECT_THAT(
      with_likely_cause(missed + ", one after the other: the one before did not give it back"),
      testing::HasSubstr("which key each command names"));
}

}  // namespace
}  // namespace learning

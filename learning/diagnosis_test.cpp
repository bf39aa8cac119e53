// The rules on histories that were recorded from our stages: each is broken in the way that the
// next one mends, and gets the sentence for it.
#include "learning/diagnosis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "faults/judging/tale.h"
#include "learning/rules.h"

namespace learning {
namespace {

namespace fs = std::filesystem;

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
  const auto file = fs::path(LAB_SOURCE_DIR) / stage / "recorded" / (scenario + ".jsonl");
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
  for (const auto& stage : fs::directory_iterator(LAB_SOURCE_DIR)) {
    if (!fs::exists(stage.path() / "recorded")) continue;
    for (const auto& entry : fs::directory_iterator(stage.path() / "recorded")) {
      if (entry.path().extension() != ".jsonl") continue;
      const auto remark = remark_on(Evidence(faults::read_record(entry.path())));
      EXPECT_FALSE(remark) << entry.path() << ": " << remark->sentence;
    }
  }
}

// A's acquire, in its answer the fencing token `token`.
void answer_with_token(faults::Tale& tale, const std::string& lane, int id, int token) {
  tale.add(lane, faults::Kind::answer,
           {{"op", "acquire"}, {"id", id}, {"outcome", "acquired"}, {"fencing_token", token}});
}

TEST(CounterStartsAgain, IsNotSaidOfTwoThatAskedAtTheSameTime) {
  faults::Tale together;
  together.call("A", "acquire", {{"key", "lock"}}).call("B", "acquire", {{"key", "lock"}});
  answer_with_token(together, "B", 2, 8);
  answer_with_token(together, "A", 1, 7);
  EXPECT_FALSE(rules::counter_starts_again(Evidence(together.record)));
  faults::Tale apart;
  apart.call("A", "acquire", {{"key", "lock"}});
  answer_with_token(apart, "A", 1, 8);
  apart.call("B", "acquire", {{"key", "lock"}});
  answer_with_token(apart, "B", 2, 7);
  EXPECT_TRUE(rules::counter_starts_again(Evidence(apart.record)));
}

// A takes the lock and renews it; the server is told to delete it while that is under way.
faults::Tale deleted_by_a_renewal(bool beside_a_release) {
  faults::Tale tale;
  tale.call("A", "acquire", {{"key", "lock"}}).command("A", "SET lock 787b… NX PX 300");
  tale.server("set").reply("A", "OK").answer("A", "acquire", "acquired");
  tale.command("A", "EVALSHA 704d… 1 lock 787b… 0");
  if (beside_a_release) tale.call("A", "release", {{"key", "lock"}});
  tale.server("del");
  tale.add("A", faults::Kind::reply, {{"from", "redis"}, {"command", "EVALSHA"}, {"text", "1"}});
  if (beside_a_release) tale.answer("A", "release", "released");
  return tale;
}

TEST(RenewalDeletes, IsNotSaidOfOneBesideARelease) {
  EXPECT_TRUE(rules::renewal_deletes(Evidence(deleted_by_a_renewal(false).record)));
  EXPECT_FALSE(rules::renewal_deletes(Evidence(deleted_by_a_renewal(true).record)));
}

TEST(Rules, HaveEachANameOfItsOwn) {
  std::set<std::string_view> names;
  for (const auto& rule : diagnoses()) EXPECT_TRUE(names.insert(rule.key).second) << rule.key;
}

}  // namespace
}  // namespace learning

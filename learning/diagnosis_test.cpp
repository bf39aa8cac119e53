// The rules on histories that were recorded from our stages: each is broken in the way that the
// next one mends, and gets the sentence for it.
#include "learning/diagnosis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

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

TEST(Rules, HaveEachANameOfItsOwn) {
  std::set<std::string_view> names;
  for (const auto& rule : diagnoses()) EXPECT_TRUE(names.insert(rule.key).second) << rule.key;
}

}  // namespace
}  // namespace learning

// Dice in real time find what breaks, and show it in virtual time; they accuse no right lock.
#include "explore/soaking/real_soak.h"

#include <gmock/gmock.h>

#include "explore/search/kept_search.h"
#include "explore/search/words.h"
#include "faults/kit/redis_binary.h"
#include "faults/kit/temp_dir.h"
#include "faults/running/kept_run.h"
#include "faults/testing/kit_test.h"

namespace {

using faults::Property;
using testing::SizeIs;

class RealSoak : public testing::Test {
 protected:
  explore::RealSoakResult soak(const std::string& lock, const std::string& faults, long rounds) {
    const auto client = std::filesystem::path(LAB_BINARY_DIR) / lock / (lock + "_client");
    const explore::WorldPlan world{
        .stage =
            faults::load_stage(std::filesystem::path(LAB_SOURCE_DIR) / lock, {client.native()}),
        .redis = faults::find_redis(),
        .clients = 3,
        .program = explore::program_named("again"),
        .judged = explore::properties_from("")};
    return explore::soak_in_real_time(
        world, {.faults = explore::faults_from(faults), .runs = rounds}, reaper);
  }

  faults::Reaper reaper;
};

TEST_F(RealSoak, FindsWhatBreaksAndShowsItInVirtualTime) {
  const auto result = soak("stage1_setnx", "kill", 5);
  ASSERT_TRUE(result.found);
  ASSERT_TRUE(result.found->example) << result.found->why_not;
  EXPECT_EQ(result.found->example->finding.property, Property::liveness);
  // One takes the lock and dies; some of the others are refused, once or twice.
  EXPECT_LE(result.found->example->steps, 20);
}

TEST_F(RealSoak, KeepsBothHistoriesAndTheSchedule) {
  const auto result = soak("stage1_setnx", "kill", 5);
  ASSERT_TRUE(result.found);
  const faults::TempDir runs(reaper);
  const auto kept = explore::keep(*result.found, "./lab soak 1 --time real", runs.path());
  const auto judged = faults::judge_again(kept);
  ASSERT_THAT(judged.executions, SizeIs(2));
  for (const auto& execution : judged.executions) {
    EXPECT_EQ(execution.judgement.verdict, faults::Verdict::violated);
  }
  const auto schedule = explore::read_schedule(kept / "schedule");
  EXPECT_THAT(schedule.steps, SizeIs(result.found->example->steps));
}

TEST_F(RealSoak, AccusesNoRightLock) {
  const auto result = soak("stage4_lua_release", "kill,lose", 2);
  EXPECT_FALSE(result.found);
  EXPECT_EQ(result.rounds, 2);
  EXPECT_GE(result.passes, 2 * 3 * 4 - result.faults);
}

}  // namespace

// Dice in real time find what breaks, and show it in virtual time; they accuse no right lock.
#include "faults/explore/soaking/real_soak.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "faults/explore/search/kept_search.h"
#include "faults/explore/search/words.h"
#include "faults/kit/redis_binary.h"
#include "faults/kit/temp_dir.h"
#include "faults/running/kept_run.h"
#include "faults/testing/kit_test.h"

namespace {

using faults::Property;
using testing::SizeIs;

class RealSoak : public testing::Test {
 protected:
  static explore::WorldPlan world(const std::string& lock) {
    const auto client = std::filesystem::path(LAB_BINARY_DIR) / lock / (lock + "_client");
    return {.stage =
                faults::load_stage(std::filesystem::path(LAB_SOURCE_DIR) / lock, {client.native()}),
            .redis = faults::find_redis(),
            .clients = 3,
            .program = explore::program_named("again"),
            .judged = explore::properties_from("")};
  }
  explore::RealSoakResult soak(const std::string& lock, const std::string& faults, long rounds) {
    return explore::soak_in_real_time(
        world(lock), {.faults = explore::faults_from(faults), .runs = rounds}, reaper);
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

TEST_F(RealSoak, KeepsTheHistoryWithoutASchedule) {
  auto result = soak("stage1_setnx", "kill", 5);
  ASSERT_TRUE(result.found);
  result.found->example.reset();
  const faults::TempDir runs(reaper);
  const auto kept = explore::keep(*result.found, "./lab soak 1 --time real", runs.path());
  EXPECT_THAT(faults::judge_again(kept).executions, SizeIs(1));
  EXPECT_FALSE(std::filesystem::exists(kept / "schedule"));
}

TEST_F(RealSoak, AccusesNoRightLock) {
  const auto result = soak("stage4_lua_release", "kill,lose", 2);
  EXPECT_FALSE(result.found);
  EXPECT_EQ(result.rounds, 2);
  EXPECT_GE(result.passes, 2 * 3 * 4 - result.faults);
}

// A kind of fault, and the word for it in a history.
struct KindOfFault {
  std::string name;
  std::string_view in_history;
};

class RoundOfFaults : public RealSoak, public testing::WithParamInterface<KindOfFault> {};

TEST_P(RoundOfFaults, HappenAndAreWrittenDown) {
  const auto& [name, in_history] = GetParam();
  const auto round = explore::play_round(world("stage4_lua_release"),
                                         {.faults = explore::faults_from(name)}, reaper);
  EXPECT_GT(round.faults, 0);
  const auto is_one = [&](const faults::Event& event) {
    return event.kind == faults::Kind::fault && event.text("what") == in_history;
  };
  EXPECT_EQ(std::count_if(round.record.begin(), round.record.end(), is_one), round.faults);
}

INSTANTIATE_TEST_SUITE_P(Every, RoundOfFaults,
                         testing::Values(KindOfFault{"kill", faults::fault::killed},
                                         KindOfFault{"freeze", faults::fault::frozen},
                                         KindOfFault{"cut", faults::fault::unreachable},
                                         KindOfFault{"amnesia", faults::fault::restarted},
                                         KindOfFault{"clock", faults::fault::stepped}),
                         [](const auto& test) { return test.param.name; });

}  // namespace

// Runs of processes in Java that are kept, and whose timers renew themselves: each begins in phase.
// Skipped without a JDK.
#include "faults/explore/world/timer_phases.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>

#include "faults/explore/search/search.h"
#include "faults/explore/testing/java_classes.h"
#include "faults/testing/kit_test.h"

namespace {

class TimerPhasesTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!explore::has_javac()) GTEST_SKIP() << "there is no javac";
    auto command = explore::java_program("world/WheelClient.java");
    ASSERT_FALSE(command.empty());
    command.push_back(starts_);
    world_.stage = faults::load_tested_lock(LAB_SOURCE_DIR "/stage3_set_nx_px", command);
    world_.redis = faults::find_redis();
    world_.judged = {faults::Property::mutual_exclusion};
  }

  explore::SearchResult search(unsigned faults, std::optional<long> most_orders = {}) {
    return explore::search(world_,
                           {.faults = faults,
                            .during = {"work"},
                            .budget = std::chrono::minutes(5),
                            .most_orders = most_orders,
                            .sampled = 1,
                            .switches = 1},
                           reaper_);
  }

  // How many processes of the client have started.
  [[nodiscard]] long starts() const {
    std::ifstream lines(starts_);
    return std::count(std::istreambuf_iterator<char>(lines), {}, '\n');
  }

  faults::Reaper reaper_;
  const faults::TempDir directory_{reaper_};
  const std::filesystem::path starts_ = directory_.path() / "starts";
  explore::WorldPlan world_;
};

// Its wheel begins with its process: in another part of each run, if a run could begin anywhere.
TEST_F(TimerPhasesTest, AreThoseOfTheFirstRun) {
  const auto result = search(explore::slow_fault);
  EXPECT_TRUE(result.is_exhausted());
  EXPECT_THAT(result.found, testing::IsEmpty());
  EXPECT_EQ(starts(), 3);  // A, B and the latecomer
}

// Of each that was killed: it ends when its connection breaks.
TEST_F(TimerPhasesTest, AreThoseOfANewProcess) {
  const auto result = search(explore::kill_fault | explore::slow_fault);
  EXPECT_TRUE(result.is_exhausted());
  EXPECT_THAT(result.found, testing::IsEmpty());
  EXPECT_GT(starts(), 3);
}

// A timer that ends shortly after the sleep before a run would end within the run.
TEST_F(TimerPhasesTest, WaitForATimerThatOutlastsASleep) {
  world_.lease = std::chrono::seconds(3);
  world_.stage.command.emplace_back("rests");
  const auto result = search(explore::slow_fault, 150);
  EXPECT_EQ(result.orders(), 150);
  EXPECT_THAT(result.found, testing::IsEmpty());
}

TEST_F(TimerPhasesTest, AreThoseOfAProcessThatGoesOn) {
  world_.stage.command.emplace_back("connects again");
  const auto result = search(explore::kill_fault | explore::slow_fault);
  EXPECT_TRUE(result.is_exhausted());
  EXPECT_THAT(result.found, testing::IsEmpty());
  EXPECT_EQ(starts(), 3);
}

}  // namespace

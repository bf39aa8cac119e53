// Dice find what a search finds, the same with the same seed, and make it short.
#include "faults/explore/search/soak.h"

#include <gmock/gmock.h>

#include "faults/explore/search/option_names.h"
#include "faults/kit/redis_binary.h"
#include "faults/testing/kit_test.h"

namespace {

class SoakTest : public testing::Test {
 protected:
  explore::SoakResult soak(const std::string& lock, const std::string& faults, long runs,
                           std::uint64_t seed = 1) {
    const auto client = std::filesystem::path(LAB_BINARY_DIR) / lock / (lock + "_client");
    const explore::WorldPlan world{
        .stage = faults::load_tested_lock(std::filesystem::path(LAB_SOURCE_DIR) / lock,
                                          {client.native()}),
        .redis = faults::find_redis(),
        .clients = 4,
        .judged = explore::properties_from("")};
    return explore::soak(
        world, {.seed = seed, .faults = explore::faults_from(faults), .runs = runs}, reaper);
  }

  faults::Reaper reaper;
};

TEST_F(SoakTest, FindsWhatBreaksAndMakesItShort) {
  const auto result = soak("stage1_setnx", "kill", 200);
  ASSERT_TRUE(result.found);
  EXPECT_EQ(result.found->finding.property, faults::Property::liveness);
  // One takes the lock and dies; each of the others begins, asks, and is refused.
  EXPECT_LE(result.found->steps, 12);
  EXPECT_GT(result.steps_before, result.found->steps);
}

TEST_F(SoakTest, IsTheSameForASeed) {
  const auto first = soak("stage3_set_nx_px", "kill,lose", 30, 5);
  const auto second = soak("stage3_set_nx_px", "kill,lose", 30, 5);
  EXPECT_FALSE(first.found);
  EXPECT_EQ(first.runs, 30);
  EXPECT_EQ(first.steps, second.steps);
  EXPECT_NE(first.steps, soak("stage3_set_nx_px", "kill,lose", 30, 6).steps);
}

}  // namespace

// The first step after which every order breaks, and what could have been chosen in its place.
#include "faults/explore/search/last_chance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "faults/explore/search/option_names.h"
#include "faults/kit/redis_binary.h"
#include "faults/testing/kit_test.h"

namespace explore {
namespace {

class LastChanceTest : public testing::Test {
 protected:
  static WorldPlan world(const std::string& stage) {
    const auto client = std::filesystem::path(LAB_BINARY_DIR) / stage / (stage + "_client");
    return {.stage = faults::load_tested_lock(std::filesystem::path(LAB_SOURCE_DIR) / stage,
                                              {client.native()}),
            .redis = faults::find_redis(),
            .judged = properties_from("")};
  }

  faults::Reaper reaper;
};

TEST_F(LastChanceTest, IsBeforeTheLateDelete) {
  Controller controller(world("stage3_set_nx_px"), reaper);
  const std::vector<std::string> late_del{
      "A: begin",       "A: send SET",   "A: reply SET",   "A: send READ",
      "A: reply READ",  "A: send BEGIN", "A: reply BEGIN", "A: send WRITE",
      "A: reply WRITE", "A: send GET",   "A: freeze",      "time: to the end of the lease",
      "B: begin",       "B: send SET",   "B: reply SET",   "A: thaw",
      "A: reply GET",   "A: send DEL"};
  const auto chance = last_chance(controller, late_del, faults::Property::owner_only_release,
                                  std::chrono::minutes(1));
  ASSERT_TRUE(chance);
  EXPECT_EQ(chance->step, 18U);
  EXPECT_EQ(describe(*chance),
            "after step 18 (A: send DEL) nothing could save it; in its place B: send READ could");
  const auto& neighbour = chance->neighbour;
  ASSERT_GE(neighbour.size(), late_del.size());
  EXPECT_TRUE(std::equal(late_del.begin(), late_del.end() - 1, neighbour.begin()));
  EXPECT_EQ(neighbour[17], "B: send READ");
  const auto held = replay(controller, {.steps = steps_from(neighbour)});
  EXPECT_EQ(finding_of(held, faults::Property::owner_only_release), nullptr);
}

// A dies as holder of a lock without a lease: from then on no order lets anybody in.
TEST_F(LastChanceTest, IsBeforeADeath) {
  Controller controller(world("stage1_setnx"), reaper);
  const auto chance = last_chance(
      controller,
      {"A: begin", "A: send SETNX", "A: kill", "B: begin", "B: send SETNX", "B: reply SETNX"},
      faults::Property::liveness, std::chrono::minutes(1));
  ASSERT_TRUE(chance);
  EXPECT_EQ(chance->step, 3U);
  EXPECT_EQ(chance->chosen, "A: kill");
}

}  // namespace
}  // namespace explore

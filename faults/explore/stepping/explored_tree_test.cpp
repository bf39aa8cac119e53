// The trees that the report leads through (tools/report/trees/) are made again.
#include "faults/explore/stepping/explored_tree.h"

#include <gmock/gmock.h>

#include <fstream>

#include "faults/explore/search/option_names.h"
#include "faults/kit/redis_binary.h"
#include "faults/testing/kit_test.h"

namespace {

using nlohmann::json;

class ExploredTreeTest : public testing::Test {
 protected:
  static explore::WorldPlan world(const std::string& lock, const std::string& judged) {
    const auto stage = std::filesystem::path(LAB_SOURCE_DIR) / lock;
    const auto client = std::filesystem::path(LAB_BINARY_DIR) / lock / (lock + "_client");
    return {.stage = faults::load_tested_lock(stage, {client.native()}),
            .redis = faults::find_redis(),
            .judged = explore::properties_from(judged)};
  }
  json tree(const std::string& lock, const explore::SearchPlan& plan,
            const std::string& judged = "") {
    return explore::explored_tree(world(lock, judged), plan, reaper).value_or(json());
  }
  // As the file says that it was made.
  json again(const json& kept) {
    const auto& bounds = kept["bounds"];
    return tree(kept["lock"],
                {.faults = explore::faults_from(bounds["faults"].get<std::string>()),
                 .during = bounds["during"],
                 .at_most = bounds["at_most"]},
                bounds["judged"].empty() ? "" : bounds["judged"][0].get<std::string>());
  }

  faults::Reaper reaper;
};

TEST_F(ExploredTreeTest, IsWhatTheReportShows) {
  int trees = 0;
  for (const auto& file : std::filesystem::directory_iterator(
           std::filesystem::path(LAB_SOURCE_DIR) / "tools/report/trees")) {
    if (file.path().extension() != ".json") continue;
    std::ifstream input(file.path());
    const auto kept = json::parse(input);
    EXPECT_EQ(again(kept), kept) << file.path() << ": write it again with ./lab explore --tree";
    ++trees;
  }
  EXPECT_GT(trees, 0);
}

TEST_F(ExploredTreeTest, HasEveryOrderOfASearch) {
  const explore::SearchPlan plan{.faults = explore::kill_fault, .sleeps = false};
  const auto whole = tree("stage4_lua_release", plan);
  EXPECT_EQ(whole["orders"],
            explore::search(world("stage4_lua_release", ""), plan, reaper).orders());
  EXPECT_TRUE(whole["broken"].empty());
}

TEST_F(ExploredTreeTest, IsWholeOrNone) {
  const explore::SearchPlan hasty{.faults = explore::kill_fault,
                                  .budget = std::chrono::milliseconds(0)};
  EXPECT_FALSE(explore::explored_tree(world("stage4_lua_release", ""), hasty, reaper));
}

}  // namespace

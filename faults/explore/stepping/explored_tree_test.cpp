// The trees that the report leads through (tools/report/trees/) are made again.
#include "faults/explore/stepping/explored_tree.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "faults/explore/search/option_names.h"
#include "faults/explore/search/survival.h"
#include "faults/kit/redis_binary.h"
#include "faults/testing/kit_test.h"

namespace {

using nlohmann::json;
using testing::AllOf;
using testing::Gt;
using testing::Le;

class ExploredTreeTest : public testing::Test {
 protected:
  static explore::WorldPlan world(const std::string& lock, const std::string& judged,
                                  int nodes = 1) {
    const auto stage = std::filesystem::path(LAB_SOURCE_DIR) / lock;
    const auto client = std::filesystem::path(LAB_BINARY_DIR) / lock / (lock + "_client");
    auto tested = faults::load_tested_lock(stage, {client.native()});
    tested.nodes = nodes;
    return {.stage = std::move(tested),
            .redis = faults::find_redis(),
            .judged = explore::properties_from(judged)};
  }
  json tree(const std::string& lock, const explore::SearchPlan& plan,
            const std::string& judged = "", int nodes = 1) {
    return explore::explored_tree(world(lock, judged, nodes), plan, reaper).value_or(json());
  }
  // As the file says that it was made.
  json again(const json& kept) {
    const auto& bounds = kept["bounds"];
    explore::SearchPlan plan{.faults = explore::faults_from(bounds["faults"].get<std::string>()),
                             .during = bounds["during"],
                             .at_most = bounds["at_most"]};
    if (!bounds["switches"].is_null()) plan.switches = bounds["switches"].get<int>();
    return tree(kept["lock"], plan,
                bounds["judged"].empty() ? "" : bounds["judged"][0].get<std::string>(),
                bounds["nodes"]);
  }

  faults::Reaper reaper;
};

std::vector<json> kept_trees() {
  std::vector<json> trees;
  for (const auto& file : std::filesystem::directory_iterator(
           std::filesystem::path(LAB_SOURCE_DIR) / "tools/report/trees")) {
    if (file.path().extension() != ".json") continue;
    std::ifstream input(file.path());
    trees.push_back(json::parse(input));
  }
  return trees;
}

std::string title_of(const json& tree) {
  return tree["lock"].get<std::string>() + tree["bounds"].dump();
}

// The small ones: all would take minutes.
TEST_F(ExploredTreeTest, IsWhatTheReportShows) {
  constexpr long most_orders = 50;
  int made = 0;
  for (const auto& kept : kept_trees()) {
    if (kept["orders"].get<long>() > most_orders) continue;
    EXPECT_EQ(again(kept), kept) << title_of(kept) << ": tools/report/trees/make writes it again";
    ++made;
  }
  EXPECT_GT(made, 0);
}

// How many steps the shortest order to a broken property has; 0: there is none.
std::size_t shortest_break(const json& nodes) {
  constexpr std::size_t none = 1'000'000;
  std::vector<std::size_t> steps;
  for (const auto& node : nodes) {
    auto least = none;
    for (std::size_t i = 4; i < node.size(); i += 2) {
      least = std::min(least, steps.at(node[i].get<std::size_t>()) + 1);
    }
    steps.push_back(node[2].get<int>() >= 0 ? 0 : least);
  }
  return steps.back() >= none ? 0 : steps.back();
}

const explore::SurvivalCell* cell_of(const json& tree,
                                     const std::vector<explore::SurvivalCell>& cells) {
  const auto& bounds = tree["bounds"];
  for (const auto& row : explore::survival_rows()) {
    const auto plan = row.plan(1);
    const bool is_same = row.operations == "once" && plan.faults != 0 &&
                         explore::to_words(plan.faults) == bounds["faults"].get<std::string>() &&
                         plan.during == bounds["during"].get<std::vector<std::string>>();
    if (is_same) return explore::find_cell(cells, row.name, tree["lock"]);
  }
  return nullptr;
}

// On several servers the table has five, and one fault in a run.
TEST_F(ExploredTreeTest, BreaksWhatTheTableSaysInAsManySteps) {
  std::ifstream file(std::filesystem::path(LAB_SOURCE_DIR) / "faults/explore/survival.json");
  const auto cells = json::parse(file).get<std::vector<explore::SurvivalCell>>();
  int compared = 0;
  for (const auto& tree : kept_trees()) {
    if (tree["bounds"]["nodes"].get<int>() > 1) continue;
    if (tree["bounds"]["at_most"].get<int>() > 1) continue;
    const auto* cell = cell_of(tree, cells);
    ASSERT_NE(cell, nullptr) << title_of(tree);
    EXPECT_EQ(shortest_break(tree["nodes"]), cell->steps) << title_of(tree);
    ++compared;
  }
  EXPECT_GT(compared, 0);
}

TEST_F(ExploredTreeTest, BreaksNoLaterWithTwoFaults) {
  std::map<std::string, json> once;
  for (const auto& tree : kept_trees()) {
    if (tree["bounds"]["at_most"] == 1) once[title_of(tree)] = tree;
  }
  int compared = 0;
  for (auto tree : kept_trees()) {
    if (tree["bounds"]["at_most"] == 1) continue;
    tree["bounds"]["at_most"] = 1;
    const auto& with_one = once.at(title_of(tree));
    EXPECT_GT(tree["orders"], with_one["orders"]) << title_of(tree);
    if (const auto steps = shortest_break(with_one["nodes"]); steps > 0) {
      EXPECT_THAT(shortest_break(tree["nodes"]), AllOf(Gt(0U), Le(steps))) << title_of(tree);
    }
    ++compared;
  }
  EXPECT_GT(compared, 0);
}

TEST_F(ExploredTreeTest, HasEveryOrderOfASearch) {
  const explore::SearchPlan plan{.faults = explore::kill_fault, .sleeps = false};
  const auto whole = tree("stage4_lua_release", plan);
  EXPECT_EQ(whole["orders"],
            explore::search(world("stage4_lua_release", ""), plan, reaper).orders());
  EXPECT_TRUE(whole["broken"].empty());
}

TEST_F(ExploredTreeTest, HeedsALimitOfSwitches) {
  const explore::SearchPlan plan{.faults = explore::kill_fault, .during = {"work"}, .switches = 1};
  const auto limited = tree("stage7_redlock", plan, "", 3);
  EXPECT_EQ(limited["orders"].get<long>(),
            explore::search(world("stage7_redlock", "", 3), plan, reaper).orders());
  EXPECT_EQ(limited["bounds"]["switches"].get<int>(), 1);
  EXPECT_EQ(again(limited), limited) << "with the same bounds";
}

TEST_F(ExploredTreeTest, IsWholeOrNone) {
  const explore::SearchPlan hasty{.faults = explore::kill_fault,
                                  .budget = std::chrono::milliseconds(0)};
  EXPECT_FALSE(explore::explored_tree(world("stage4_lua_release", ""), hasty, reaper));
}

}  // namespace

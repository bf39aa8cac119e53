// The declared table of what survives what: its cheap cells are searched again, and the documents
// show it.
#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "faults/explore/search/survival_page.h"
#include "faults/kit/redis_binary.h"
#include "faults/testing/kit_test.h"

namespace {

const std::filesystem::path source(LAB_SOURCE_DIR);

std::string text_of(const std::filesystem::path& file) {
  std::ifstream input(file);
  std::ostringstream text;
  text << input.rdbuf();
  return text.str();
}

class SurvivalTest : public testing::Test {
 protected:
  explore::SurvivalCell again(const explore::SurvivalCell& cell) {
    auto rows = explore::survival_rows();
    const auto& pairs = explore::survival_pairs();
    rows.insert(rows.end(), pairs.begin(), pairs.end());
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&](const auto& other) { return other.name == cell.row; });
    const auto client = std::filesystem::path(LAB_BINARY_DIR) / cell.lock / (cell.lock + "_client");
    return explore::examine(*row, faults::load_tested_lock(source / cell.lock, {client.native()}),
                            faults::find_redis(), {.budget = std::chrono::minutes(10)}, reaper);
  }
  void search_again(long fewest, long most) {
    int searched = 0;
    for (const auto& cell : declared) {
      // How far a search comes before its budget is spent depends on the machine.
      const bool is_known = cell.ending != "budget spent";
      if (!is_known || cell.orders < fewest || cell.orders > most) continue;
      ++searched;
      EXPECT_EQ(nlohmann::json(again(cell)), nlohmann::json(cell)) << cell.lock << " " << cell.row;
    }
    EXPECT_GT(searched, 0) << "no cell has so many orders";
  }

  const std::vector<explore::SurvivalCell> declared =
      explore::read_survival(source / "faults" / "explore" / "survival.json");
  const std::vector<std::string> stages{"stage1_setnx",       "stage2_expire",   "stage3_set_nx_px",
                                        "stage4_lua_release", "stage5_watchdog", "stage6_reentrant",
                                        "stage7_redlock",     "stage8_fencing"};
  faults::Reaper reaper;
};

TEST_F(SurvivalTest, DeclaresEveryCell) {
  for (const auto& stage : stages) {
    for (const auto& row : explore::survival_rows()) {
      EXPECT_NE(find_cell(declared, row.name, stage), nullptr) << stage << " " << row.name;
    }
    for (const auto& pair : explore::survival_pairs()) {
      const bool is_known = !broken_alone(declared, pair, stage).empty();
      const bool is_searched = find_cell(declared, pair.name, stage) != nullptr;
      EXPECT_NE(is_known, is_searched) << stage << " " << pair.name;
    }
  }
  for (const auto& cell : declared) EXPECT_NE(cell.ending, "diverged") << cell.lock << cell.row;
}

TEST_F(SurvivalTest, FindsInCheapCellsWhatIsDeclared) {
  search_again(0, 20);
}

TEST_F(SurvivalTest, ComparesACellWithItsDeclaration) {
  using explore::Comparison;
  const explore::SurvivalCell holds{.row = "kill", .lock = "a", .ending = "holds", .orders = 7};
  auto found = holds;
  EXPECT_EQ(compare({holds}, found), Comparison::agrees);
  found.orders = 6;
  EXPECT_EQ(compare({holds}, found), Comparison::differs);
  found.ending = "budget spent";
  EXPECT_EQ(compare({holds}, found), Comparison::budget_spent);
  EXPECT_EQ(compare({found}, holds), Comparison::agrees);
  found.lock = "undeclared";
  EXPECT_EQ(compare({holds}, found), Comparison::agrees);
}

TEST_F(SurvivalTest, HasEachPairOfFaultsOnce) {
  const auto& pairs = explore::survival_pairs();
  EXPECT_EQ(pairs.size(), 28U);
  EXPECT_EQ(pairs.front().name, "kill + lost answer");
  EXPECT_EQ(pairs.front().faults, "kill,lose");
  const auto on_one = pairs.front().plan(/*servers=*/1);
  EXPECT_EQ(on_one.at_most, 2);
  EXPECT_TRUE(on_one.once_each);
}

TEST_F(SurvivalTest, NamesTheFaultThatBreaksAPairAlone) {
  const explore::SurvivalCell red{.row = "kill", .lock = "a", .ending = "violated"};
  const explore::SurvivalCell green{.row = "lost answer", .lock = "a", .ending = "holds"};
  const explore::SurvivalCell both{
      .row = "lost answer + slow work", .lock = "a", .ending = "holds", .orders = 7};
  const auto table = explore::pairs_table({red, green, both});
  EXPECT_THAT(table, testing::HasSubstr("| kill + lost answer | (kill) |"));
  EXPECT_THAT(table, testing::HasSubstr("| lost answer + slow work | ✓ 7 |"));
  EXPECT_THAT(table, testing::HasSubstr("| lost answer + cut off | – |"));
}

class LongSurvivalTest : public SurvivalTest {};

TEST_F(LongSurvivalTest, FindsInDearerCellsWhatIsDeclared) {
  search_again(21, 4'000);
}

TEST_F(SurvivalTest, IsWhatTheDocumentsShow) {
  EXPECT_EQ(text_of(source / "docs/explored.md"), explore::survival_page(declared))
      << "run ./lab explore --table --record";
  const auto of_field = explore::read_survival(source / "field/survival.json");
  EXPECT_EQ(text_of(source / "docs/explored-field.md"), explore::field_survival_page(of_field))
      << "run ./lab explore --table NAME --record";
}

}  // namespace

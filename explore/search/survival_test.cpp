// The declared table of what survives what: its cheap cells are searched again, and the documents
// show it.
#include "explore/search/survival.h"

#include <gmock/gmock.h>

#include <fstream>
#include <limits>
#include <sstream>

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
    const auto& rows = explore::survival_rows();
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&](const auto& other) { return other.name == cell.row; });
    const auto client = std::filesystem::path(LAB_BINARY_DIR) / cell.lock / (cell.lock + "_client");
    return explore::examine(*row, faults::load_stage(source / cell.lock, {client.native()}),
                            faults::find_redis(), std::chrono::minutes(10), /*workers=*/1, reaper);
  }
  void search_again(long fewest, long most) {
    for (const auto& cell : declared) {
      // How far a search comes before its budget is spent depends on the machine.
      const bool is_known = cell.ending != "budget spent";
      if (!is_known || cell.orders < fewest || cell.orders > most) continue;
      EXPECT_EQ(nlohmann::json(again(cell)), nlohmann::json(cell)) << cell.lock << " " << cell.row;
    }
  }

  const std::vector<explore::SurvivalCell> declared =
      explore::read_survival(source / "explore" / "survival.json");
  faults::Reaper reaper;
};

TEST_F(SurvivalTest, DeclaresEveryCell) {
  EXPECT_EQ(declared.size(), 8 * explore::survival_rows().size());
  for (const auto& cell : declared) EXPECT_NE(cell.ending, "diverged") << cell.lock << cell.row;
}

TEST_F(SurvivalTest, FindsInCheapCellsWhatIsDeclared) {
  search_again(0, 40);
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

class LongSurvivalTest : public SurvivalTest {};

TEST_F(LongSurvivalTest, FindsInDearerCellsWhatIsDeclared) {
  search_again(41, std::numeric_limits<long>::max());
}

TEST_F(SurvivalTest, IsWhatTheDocumentsShow) {
  const auto shows = [](const std::string& page, const std::string& text) {
    return text_of(source / page).find(text) != std::string::npos;
  };
  const auto* const again = "run ./lab explore --table --record, and put the table into README.md";
  EXPECT_TRUE(shows("docs/explored.md", explore::survival_page(declared))) << again;
  EXPECT_TRUE(shows("README.md", explore::survival_table(declared))) << again;
}

}  // namespace

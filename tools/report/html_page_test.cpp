// The page as a file; browser_test.py tests its looks and behaviour in a browser.
#include "tools/report/html_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "faults/judging/testing/history_builder.h"
#include "tools/report/data.h"
#include "tools/report/drawing.h"
#include "tools/report/testing/recorded.h"
#include "tools/table/grid.h"

namespace report {
namespace {

using faults::HistoryBuilder;
using nlohmann::json;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

TEST(Page, HasEverythingInIt) {
  const auto page = html_page(json::object());
  EXPECT_THAT(page, HasSubstr(".drawing .bar"));
  EXPECT_THAT(page, HasSubstr("function drawTimeline"));
  EXPECT_THAT(page, HasSubstr("https://d3js.org v"));
  for (const auto* place :
       {"/* page.css */", "/* page.js */", "/* library */", "/* data */", "<!-- moment.html -->"}) {
    EXPECT_THAT(page, Not(HasSubstr(place)));
  }
}

TEST(Page, LoadsNothingFromElsewhere) {
  const auto page = html_page(json::object());
  for (const auto* asks : {" src=", "@import", "url(h", "href=\"h", "fetch(\"", "import("}) {
    EXPECT_THAT(page, Not(HasSubstr(asks)));
  }
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
}

TEST(Page, KeepsTextText) {
  const std::string name = "</script><script>alert(1)</script>";
  const auto drawing = drawing_of(HistoryBuilder().acquires(name).record);
  const auto empty = html_page(json::object());
  const auto page = html_page({{"drawing", drawing}});
  EXPECT_EQ(count_of(page, "<script"), count_of(empty, "<script"));
  EXPECT_EQ(count_of(page, "</script"), count_of(empty, "</script"));
  const auto from = page.find("id=\"data\">") + std::string("id=\"data\">").size();
  const auto data = json::parse(page.substr(from, page.find("</script", from) - from));
  EXPECT_EQ(data["drawing"]["lanes"][0][0], name);
}

// Four kilobytes a cell, and the drawing library.
TEST(Page, IsSmallForAWholeTable) {
  EXPECT_LT(html_page(page_data(full_grid(), std::nullopt)).size(), 2'000'000U);
}

TEST(PageData, HasACellForEachStageAndScenario) {
  const auto grid = grid_of("stage4_lua_release", "slow_holder");
  const auto data = page_data(grid, std::nullopt);
  EXPECT_THAT(data["cells"], SizeIs(grid.stages.size() * grid.scenarios.size()));
  std::vector<std::string> words;
  for (const auto& cell : data["cells"]) {
    if (cell.contains("verdict")) words.push_back(cell["word"]);
  }
  EXPECT_THAT(words, ElementsAre("✗ two inside"));
  EXPECT_THAT(data["words"], Contains("✗ two inside: a write was lost"));
}

TEST(PageData, SaysWhyACellIsEmptyAndHowItDiffers) {
  auto grid = grid_of("stage4_lua_release", "slow_holder");
  auto& red = *std::find_if(grid.cells.begin(), grid.cells.end(),
                            [](const auto& cell) { return cell.result.has_value(); });
  red.difference = "it is declared to hold";
  auto& empty = *std::find_if(grid.cells.begin(), grid.cells.end(),
                              [](const auto& cell) { return !cell.does_not_apply.empty(); });
  const auto cells = page_data(grid, std::nullopt)["cells"];
  EXPECT_EQ(cells[static_cast<std::size_t>(&red - grid.cells.data())]["difference"],
            "it is declared to hold");
  EXPECT_EQ(cells[static_cast<std::size_t>(&empty - grid.cells.data())]["why"],
            empty.does_not_apply);
}

TEST(PageData, OpensACellAtTheExecutionThatIsShown) {
  auto grid = grid_of("stage4_lua_release", "slow_holder");
  auto& cell = *std::find_if(grid.cells.begin(), grid.cells.end(),
                             [](const auto& one) { return one.result.has_value(); });
  auto& executions = cell.result->executions;
  auto holds = executions.front();
  holds.judgement = {.verdict = faults::Verdict::holds, .findings = {}};
  executions.insert(executions.begin(), holds);
  const auto cells = page_data(grid, std::nullopt)["cells"];
  EXPECT_EQ(cells[static_cast<std::size_t>(&cell - grid.cells.data())]["shown"], 1);
}

// From docs/field-report.json: each red cell with its sentence and the command.
TEST(PageData, HasTheFieldReport) {
  const auto field = page_data(table::empty_grid(), std::nullopt).at("field");
  ASSERT_THAT(field["rows"], Not(testing::IsEmpty()));
  std::size_t red = 0;
  for (const auto& row : field["rows"]) {
    ASSERT_THAT(row["cells"], SizeIs(field["locks"].size()));
    for (const auto& cell : row["cells"]) {
      if (!cell.contains("again")) continue;
      ++red;
      EXPECT_NE(cell.value("sentence", ""), "");
      EXPECT_FALSE(cell.contains("timeline"));
      EXPECT_THAT(cell["again"], StartsWith("./lab run "));
    }
  }
  EXPECT_GT(red, 0U);
}

// From tools/report/trees/: each order ends in a leaf.
TEST(PageData, HasWalksThroughExploredTrees) {
  const auto trees = page_data(table::empty_grid(), std::nullopt).at("trees");
  const auto leaves = [](const json& node, const auto& self) -> int {
    if (node[4].empty()) return 1;
    int sum = 0;
    for (const auto& next : node[4]) sum += self(next, self);
    return sum;
  };
  ASSERT_THAT(trees, Not(testing::IsEmpty()));
  for (const auto& tree : trees) EXPECT_EQ(leaves(tree["root"], leaves), tree["orders"]);
}

TEST(PageData, HasEachStagesDifference) {
  const auto data = page_data(table::empty_grid(), std::nullopt);
  ASSERT_THAT(data["diffs"], SizeIs(data["stages"].size() - 1));
  for (const auto& diff : data["diffs"]) {
    EXPECT_THAT(diff["files"][0].get<std::string>(),
                StartsWith("--- " + diff["from"].get<std::string>() + "/lock.h\n"));
    for (const auto& file : diff["files"]) EXPECT_THAT(file.get<std::string>(), StartsWith("---"));
  }
}

}  // namespace
}  // namespace report

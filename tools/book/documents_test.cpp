// Golden files, the lessons' timelines and the tables match what runs print.
// `./lab record --keep` rewrites the first two on purpose, `./lab record` all three.
#include "tools/book/documents.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "faults/kit/reaper.h"
#include "faults/kit/temp_dir.h"
#include "tools/field/markdown_page.h"
#include "tools/field/report_data.h"
#include "tools/table/fill.h"
#include "tools/table/grid.h"
#include "tools/table/grid_text.h"
#include "tools/table/markdown.h"
#include "tools/table/stages.h"
#include "tools/terminal/language.h"
#include "tools/terminal/testing/known_text.h"

namespace {

TEST(GoldenFiles, MatchTheRecordedHistories) {
  for (const auto& stage : table::all_stages()) {
    for (const auto& scenario : book::shown_scenarios(stage)) {
      EXPECT_EQ(book::read_file(book::golden_file(stage, scenario)),
                book::timeline_from_recorded(stage, scenario))
          << stage.name << " " << scenario;
    }
  }
}

TEST(GoldenFiles, ExistForExactlyTheShownScenarios) {
  for (const auto& stage : table::all_stages()) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(book::recordings_of(stage))) {
      if (entry.path().extension() == ".txt") names.push_back(entry.path().stem().native());
    }
    EXPECT_THAT(names, testing::UnorderedElementsAreArray(book::shown_scenarios(stage)))
        << stage.name;
  }
}

TEST(Documents, HaveCurrentTimelinesAndCatalogue) {
  for (const auto& document : book::up_to_date(table::all_stages(), table::all_relatives())) {
    EXPECT_EQ(book::read_file(document.path), document.text) << document.path;
  }
}

TEST(Documents, HaveTheFieldReportOfItsData) {
  const auto docs = std::filesystem::path(LAB_SOURCE_DIR) / "docs";
  EXPECT_EQ(book::read_file(docs / "field-report.md"),
            field::markdown_page(field::read_report_data(docs / "field-report.json"),
                                 field::stage_data(table::all_stages())))
      << "./lab field run --from docs/field-report.json --report docs/field-report.md";
}

TEST(Documents, HaveTheFieldReportInChinese) {
  const auto docs = std::filesystem::path(LAB_SOURCE_DIR) / "docs";
  const auto data = field::read_report_data(docs / "field-report.json");
  const auto page = book::read_file(docs / "zh" / "field-report.md");
  const auto table = field::chinese_table(data, field::stage_data(table::all_stages()));
  for (const auto& block :
       {"<!-- locks -->\n" + table, "<!-- sections -->\n" + field::chinese_sections(data)}) {
    EXPECT_NE(page.find(block + "<!-- end -->"), std::string::npos) << "./lab record --keep";
  }
}

TEST(Lessons, EachHasATimeline) {
  for (const auto& stage : table::all_stages()) {
    const auto lesson = book::read_file(stage.directory / "README.md");
    EXPECT_THAT(lesson, testing::HasSubstr("<!-- timeline: ")) << stage.name;
  }
}

// The first word in each pair of quotes from `needs=(` to the end of the lists, and redis-tools.
std::vector<std::string> packages_that_lab_installs() {
  const auto script =
      book::read_file(std::filesystem::path(LAB_SOURCE_DIR) / "tools/app/entry/install.sh");
  std::istringstream lines(script.substr(script.find("needs=(")));
  std::vector<std::string> packages{"redis-tools"};
  for (std::string line; std::getline(lines, line) && !line.starts_with("# redis-tools");) {
    if (!line.starts_with("  \"")) continue;
    packages.push_back(line.substr(3, line.find(' ', 3) - 3));
  }
  return packages;
}

TEST(Documents, NameEveryPackageThatLabInstalls) {
  const auto packages = packages_that_lab_installs();
  EXPECT_THAT(packages, testing::SizeIs(testing::Gt(10U)));
  for (const auto* document :
       {"docs/reference.md", "docs/trainers-guide.md", "docs/zh/trainers-guide.md"}) {
    const auto text = book::read_file(std::filesystem::path(LAB_SOURCE_DIR) / document);
    for (const auto& package : packages) {
      EXPECT_THAT(text, testing::HasSubstr(package)) << document;
    }
  }
}

// Each cell is a test of its own, so the declarations match what a run gives.
TEST(Documents, HaveTheTableThatIsDeclared) {
  const auto grid = table::empty_grid();
  const auto some = table::rows_of(grid, book::rows_in_readme());
  EXPECT_THAT(book::read_file(std::filesystem::path(LAB_SOURCE_DIR) / "docs" / "survival.md"),
              testing::HasSubstr("<!-- table -->\n" + table::declared_as_markdown(grid, "../") +
                                 "<!-- end -->"));
  EXPECT_THAT(
      book::read_file(std::filesystem::path(LAB_SOURCE_DIR) / "README.md"),
      testing::HasSubstr("<!-- table -->\n" + table::declared_as_markdown(some) + "<!-- end -->"));
  const auto chinese = table::declared_as_markdown(some, "", terminal::Language::named("zh"));
  EXPECT_THAT(book::read_file(std::filesystem::path(LAB_SOURCE_DIR) / "README.zh.md"),
              testing::HasSubstr("<!-- chinese table -->\n" + chinese + "<!-- end -->"));
  EXPECT_THAT(chinese, testing::HasSubstr("| ✗ 卡住 |"));
}

TEST(Catalogue, IsInChineseOnItsChinesePage) {
  const auto page =
      book::read_file(std::filesystem::path(LAB_SOURCE_DIR) / "docs" / "zh" / "scenarios.md");
  std::istringstream lines(page.substr(page.find("<!-- catalogue -->\n")));
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_EQ(terminal::english_in(line), "") << line;
  }
  EXPECT_GT(count, 100);
}

TEST(TrainersGuide, NamesTheTerminalThatTheTableNeeds) {
  const auto grid = table::empty_grid();
  const auto rows = table::rows_to_redraw(grid);
  const auto width = table::text_width(grid);
  const auto docs = std::filesystem::path(LAB_SOURCE_DIR) / "docs";
  EXPECT_THAT(
      book::read_file(docs / "trainers-guide.md"),
      testing::HasSubstr(fmt::format("on a terminal of {} columns and {} rows", width, rows)));
  EXPECT_THAT(book::read_file(docs / "zh" / "trainers-guide.md"),
              testing::HasSubstr(fmt::format("终端要 {} 列、{} 行", width, rows)));
}

void expect_as_declared_when_run(table::Grid grid) {
  faults::Reaper reaper;
  const faults::TempDir runs(reaper);
  table::fill(grid, {.redis = faults::find_redis(), .runs = runs.path()}, 6, reaper, [] {});
  for (const auto& cell : grid.cells) EXPECT_EQ(cell.difference, "");
  EXPECT_EQ(table::as_markdown(grid), table::declared_as_markdown(grid));
}

TEST(Table, IsFilledAsDeclaredInOneRow) {
  auto grid = table::empty_grid();
  std::erase_if(grid.scenarios, [](const auto& one) { return one.name != "stranger_release"; });
  grid.cells = std::vector<table::Cell>(grid.stages.size());
  expect_as_declared_when_run(std::move(grid));
}

TEST(LongTable, IsFilledAsDeclared) {
  expect_as_declared_when_run(table::empty_grid());
}

}  // namespace

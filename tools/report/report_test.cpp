#include "tools/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>

#include "faults/kit/errors.h"
#include "faults/kit/temp_dir.h"
#include "tools/report/runs.h"
#include "tools/report/testing/recorded.h"
#include "tools/table/grid.h"
#include "tools/terminal/exit_codes.h"

namespace report {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::ElementsAre;

// Makes a run directory from a recorded history.
void leave_run(const fs::path& directory, const std::string& stage, const std::string& scenario) {
  fs::create_directories(directory / "1");
  std::ofstream(directory / "run.json")
      << json{{"stage", stage}, {"scenario", scenario}, {"again", "./lab run"}};
  fs::copy_file(recorded(stage, scenario), directory / "1" / "history.jsonl");
}

std::ptrdiff_t filled(const table::Grid& grid) {
  return std::count_if(grid.cells.begin(), grid.cells.end(),
                       [](const auto& cell) { return cell.result.has_value(); });
}

class ReportFrom : public testing::Test {
 protected:
  [[nodiscard]] fs::path path(const std::string& name) const { return directory.path() / name; }

  // The names of the files there.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(directory.path())) {
      found.push_back(entry.path().filename().native());
    }
    return found;
  }

  [[nodiscard]] int make(const Choice& choice) {
    return make_report({.paint = {}, .runs = path("runs")}, choice, reaper);
  }

  faults::Reaper reaper;
  faults::TempDir directory{reaper};
};

TEST_F(ReportFrom, ReadsATableFromItsRuns) {
  leave_run(path("20260101-101010-a"), "stage4_lua_release", "slow_holder");
  leave_run(path("20260101-101011-b"), "stage7_redlock", "frozen_holder");
  const auto grid = grid_from(directory.path()).grid;
  EXPECT_EQ(filled(grid), 2);
  for (std::size_t i = 0; i < grid.cells.size(); ++i) {
    if (!grid.cells[i].result) continue;
    EXPECT_EQ(grid.cells[i].result->stage, grid.stage_of(i).name);
  }
  EXPECT_NO_THROW((void)grid_from(path("20260101-101010-a"))) << "of one run as well";
}

TEST_F(ReportFrom, TakesTheLaterOfTwoRuns) {
  leave_run(path("20260101-a"), "stage4_lua_release", "slow_holder");
  leave_run(path("20260102-b"), "stage4_lua_release", "slow_holder");
  const auto grid = grid_from(directory.path()).grid;
  for (const auto& cell : grid.cells) {
    if (!cell.result) continue;
    EXPECT_EQ(cell.result->directory, path("20260102-b"));
  }
}

TEST_F(ReportFrom, IsNotAsDeclaredIfARunIsNot) {
  leave_run(path("run"), "stage4_lua_release", "slow_holder");
  // What it shows is another scenario's: this one is declared to hold.
  std::ofstream(path("run/run.json")) << json{
      {"stage", "stage4_lua_release"}, {"scenario", "stranger_release"}, {"again", "./lab run"}};
  EXPECT_EQ(make({.out = path("page.html"), .from = path("run")}), terminal::exit_violated);
}

TEST_F(ReportFrom, LeavesNothingIfItCannotWrite) {
  leave_run(path("run"), "stage4_lua_release", "slow_holder");
  const std::string longest(255, 'p');  // no room for the ending of what is written first
  EXPECT_THROW((void)make({.out = path(longest), .from = path("run")}), faults::CannotWrite);
  EXPECT_THAT(names(), ElementsAre("run"));
}

TEST_F(ReportFrom, SkipsInterruptedRuns) {
  leave_run(path("a"), "stage4_lua_release", "slow_holder");
  leave_run(path("b"), "stage7_redlock", "frozen_holder");
  fs::remove_all(path("b/1"));
  leave_run(path("c"), "stage7_redlock", "frozen_holder");
  std::ofstream(path("c/1/history.jsonl"), std::ios::app) << R"({"at_us": 1)";
  const auto from = grid_from(directory.path());
  EXPECT_EQ(filled(from.grid), 1);
  EXPECT_EQ(from.skipped, 2);
  EXPECT_THROW((void)grid_from(path("b")), faults::CannotRun) << "asked for by its name";
}

TEST_F(ReportFrom, RejectsADirectoryWithoutRuns) {
  for (const auto& wrong : {directory.path(), path("nowhere")}) {
    EXPECT_THROW((void)grid_from(wrong), faults::CannotRun);
  }
}

TEST_F(ReportFrom, RejectsARunOfNoStage) {
  leave_run(path("run"), "stage4_lua_release", "slow_holder");
  std::ofstream(path("run/run.json"))
      << json{{"stage", "no_stage"}, {"scenario", "slow_holder"}, {"again", "./lab run"}};
  EXPECT_THROW((void)grid_from(path("run")), faults::CannotRun);
}

TEST_F(ReportFrom, RejectsABadChoiceAndLeavesNothing) {
  leave_run(path("run"), "stage4_lua_release", "slow_holder");
  const auto out = path("page.html");
  for (const auto& wrong : {Choice{.out = out, .from = path("nowhere")},
                            Choice{.out = out, .from = path("run"), .bench = path("none.json")},
                            Choice{.out = path("nowhere/page.html"), .from = path("run")},
                            Choice{.out = directory.path(), .from = path("run")}}) {
    EXPECT_THROW((void)make(wrong), faults::CannotRun);
  }
  EXPECT_THAT(names(), ElementsAre("run"));
}

TEST_F(ReportFrom, DoesNotReplaceAPipe) {
  leave_run(path("run"), "stage4_lua_release", "slow_holder");
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_THROW((void)make({.out = path("pipe"), .from = path("run")}), faults::CannotRun);
  EXPECT_TRUE(fs::is_fifo(path("pipe")));
}

TEST_F(ReportFrom, WritesItsFile) {
  leave_run(path("run"), "stage4_lua_release", "slow_holder");
  EXPECT_EQ(make({.out = path("page.html"), .from = path("run")}), terminal::exit_holds);
  EXPECT_THAT(names(), testing::UnorderedElementsAre("run", "page.html"));
}

}  // namespace
}  // namespace report

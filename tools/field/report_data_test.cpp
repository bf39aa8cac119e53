#include "tools/field/report_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faults/kit/errors.h"

namespace field {
namespace {

namespace fs = std::filesystem;
using faults::Verdict;
using testing::HasSubstr;

faults::Result judged_as(Verdict verdict, const std::string& why = {}) {
  faults::Result result{
      .stage = {}, .scenario = {}, .directory = {}, .executions = {}, .again = "./lab run mine"};
  result.executions.push_back({.boundary = {},
                               .judgement = {.verdict = verdict, .findings = {}, .why = why},
                               .history = {}});
  return result;
}

// The grid of one lock in which nothing was run.
Grid grid_of_one_lock() {
  faults::TestedLock mine;
  mine.name = "mine";
  mine.facts = faults::LockFacts();
  Grid grid{.locks = {mine}, .left_out = {}, .cells = {}};
  for (const auto& scenario : faults::all_scenarios()) {
    grid.cells.push_back({.lock = "mine", .scenario = scenario.name, .not_run = {}, .results = {}});
  }
  return grid;
}

TEST(FieldReport, SaysWhyEachViolationIsOne) {
  const auto data = read_report_data(fs::path(LAB_SOURCE_DIR) / "docs" / "field-report.json");
  const auto& locks = data.at("locks");
  for (const auto& row : data.at("rows")) {
    for (std::size_t i = 0; i < locks.size(); ++i) {
      const auto& cell = row.at("cells").at(i);
      if (!is_violated(cell)) continue;
      EXPECT_TRUE(cell.contains("because"))
          << locks[i].at("name") << ", " << row.at("scenario") << ": say it in its lock.json";
    }
  }
}

nlohmann::json first_cell(const Grid& grid) {
  return report_data(grid, "Made today.").at("rows").at(0).at("cells").at(0);
}

nlohmann::json first_cell(const faults::Result& result) {
  auto grid = grid_of_one_lock();
  grid.cells.front().results.push_back(result);
  return first_cell(grid);
}

TEST(ReportData, HasARowForEachScenarioThatWasRun) {
  auto grid = grid_of_one_lock();
  grid.cells[3].results.push_back(judged_as(Verdict::holds));
  const auto data = report_data(grid, "Made today.");
  ASSERT_EQ(data.at("rows").size(), 1U);
  EXPECT_EQ(data["rows"][0].at("scenario"), grid.cells[3].scenario);
}

TEST(ReportData, TellsVerdictsApart) {
  EXPECT_EQ(first_cell(judged_as(Verdict::holds)).at("state"), "held");
  EXPECT_EQ(first_cell(judged_as(Verdict::holds, "A was refused")).at("state"), "refused");
  EXPECT_EQ(first_cell(judged_as(Verdict::not_exercised, "it never came")),
            nlohmann::json({{"state", "showed_nothing"}, {"sign", "○"}, {"why", "it never came"}}));
  EXPECT_EQ(first_cell(judged_as(Verdict::inconclusive, "too slow")),
            nlohmann::json({{"state", "not_judged"}, {"sign", "?"}, {"why", "too slow"}}));
}

TEST(ReportData, TellsWhyACellWasNotRun) {
  auto grid = grid_of_one_lock();
  grid.cells[1].results.push_back(judged_as(Verdict::holds));
  const auto state_if = [&](const std::string& why, bool could_not_run) {
    grid.cells[0].not_run = why;
    grid.cells[0].could_not_run = could_not_run;
    return first_cell(grid).at("state").get<std::string>();
  };
  grid.cells[0].could_not_run = true;  // so that it has a row
  EXPECT_EQ(state_if("no server", true), "not_run");
  grid.cells.push_back(grid.cells[0]);  // the row stays
  EXPECT_EQ(state_if("", false), "not_run");
  EXPECT_EQ(state_if("not promised: renewal", false), "not_promised");
  EXPECT_EQ(state_if("it is about a queue", false), "not_applicable");
  EXPECT_EQ(state_if("could not be judged: too late", false), "not_judged");
  EXPECT_EQ(first_cell(grid).at("why"), "too late");
}

TEST(ReportData, SaysWhatWasViolated) {
  auto result = judged_as(Verdict::violated);
  auto& execution = result.executions.front();
  execution.judgement.findings.push_back(
      {.sentence = "B overwrote A", .evidence = {}, .inside = {}});
  execution.history =
      fs::path(LAB_SOURCE_DIR) / "faults" / "recorded" / "stage1_setnx" / "amnesia.jsonl";
  auto grid = grid_of_one_lock();
  grid.cells.front().results = {result, judged_as(Verdict::holds)};
  grid.locks.front().facts->documented[grid.cells.front().scenario] = {.says = "so", .where = "x"};
  const auto cell = first_cell(grid);
  EXPECT_EQ(cell.at("state"), "documented");
  EXPECT_TRUE(is_violated(cell));
  EXPECT_EQ(cell.at("documented"), "so (x).");
  EXPECT_EQ(cell.at("not_always"), "Not in every run: in 1 of 2.");
  EXPECT_EQ(cell.at("again"), "./lab run mine");
  EXPECT_THAT(cell.at("sentence").get<std::string>(), HasSubstr("B overwrote A"));
  EXPECT_THAT(cell.at("timeline").get<std::string>(), HasSubstr("acquire"));
}

TEST(ReportData, SaysWhatAShortenedLeaseSays) {
  auto grid = grid_of_one_lock();
  auto& cell = grid.cells.front();
  cell.results = {judged_as(Verdict::holds)};
  EXPECT_FALSE(first_cell(grid).contains("shortened"));
  cell.shortened = {judged_as(Verdict::violated)};
  cell.shortened.front().executions.front().judgement.findings.push_back(
      {.sentence = "B overwrote A", .evidence = {}, .inside = {}});
  EXPECT_EQ(first_cell(grid).at("shortened"), "B overwrote A");
}

TEST(StageData, IsWhatStagesDeclare) {
  faults::TestedLock stage;
  stage.name = "stage9";
  stage.declared["killed_holder"] = {.broken = {faults::Property::liveness}};
  stage.declared["slow_holder"] = {};
  stage.declared["half_open"] = {.does_not_apply = "it has no lease"};
  std::map<std::string, std::string> states;
  const auto data = stage_data({stage});
  for (const auto& row : data.at("rows")) {
    states[row.at("scenario")] = row.at("cells").at(0).at("state");
  }
  EXPECT_EQ(states["killed_holder"], "violated");
  EXPECT_EQ(states["slow_holder"], "held");
  EXPECT_EQ(states["half_open"], "not_applicable");
  EXPECT_EQ(states["no_overtaking"], "not_applicable");
}

TEST(ReportData, IsReadFromNothingElse) {
  EXPECT_THROW((void)read_report_data("/nowhere"), faults::CannotRun);
  EXPECT_THROW((void)read_report_data(fs::path(LAB_SOURCE_DIR) / "field/redis-py/lock.json"),
               faults::CannotRun);
}

}  // namespace
}  // namespace field

// The grid, and how its cells are filled.
#include "tools/table/grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "faults/kit/errors.h"
#include "tools/table/fill.h"
#include "tools/table/grid_text.h"

namespace table {
namespace {

using faults::Verdict;

// Two scenarios on one stage: one is declared to break, one does not apply.
Grid small_grid() {
  faults::TestedLock stage;
  stage.name = "stage1_setnx";
  stage.declared["killed_holder"].broken = {faults::Property::liveness};
  Grid grid{.stages = {stage}, .scenarios = {}, .cells = {}};
  for (const auto* name : {"killed_holder", "nested_lock"}) {
    grid.scenarios.push_back(*faults::find_scenario(name));
  }
  grid.cells.resize(2);
  grid.cells[1].does_not_apply = "it is not re-entrant";
  return grid;
}

faults::Result result_with(Verdict verdict, const std::string& stage, const std::string& scenario) {
  faults::Result result{
      .stage = stage, .scenario = scenario, .directory = {}, .executions = {}, .again = {}};
  faults::Judgement judgement{.verdict = verdict, .findings = {}};
  if (verdict == Verdict::violated) {
    judgement.findings.push_back({.property = faults::Property::liveness});
  }
  result.executions.push_back({.boundary = {}, .judgement = judgement, .history = {}});
  return result;
}

// Fills the grid with runs that end so.
int filled_with(Grid& grid, Verdict verdict) {
  faults::Reaper reaper;
  std::atomic<int> runs{0};
  fill(
      grid, {}, 2, reaper, [] {},
      [&](const auto& stage, const auto& scenario, const auto&, auto&) {
        ++runs;
        return result_with(verdict, stage.name, scenario.name);
      });
  return runs;
}

TEST(Grid, IsAsDeclaredOnceEveryCellIsFilled) {
  auto grid = small_grid();
  EXPECT_FALSE(grid.as_declared());
  EXPECT_EQ(filled_with(grid, Verdict::violated), 1) << "a cell that does not apply is not run";
  EXPECT_TRUE(grid.as_declared());
}

TEST(Grid, IsNotAsDeclaredIfABreakingCellHolds) {
  auto grid = small_grid();
  filled_with(grid, Verdict::holds);
  EXPECT_FALSE(grid.as_declared());
  EXPECT_NE(grid.at(0, 0).difference, "");
}

TEST(Grid, IsGivenUpWhenACellCannotRun) {
  auto grid = small_grid();
  faults::Reaper reaper;
  const auto cannot_run = [](const auto&, const auto&, const auto&, auto&) -> faults::Result {
    throw faults::CannotRun("no server");
  };
  EXPECT_THROW(fill(
                   grid, {}, 1, reaper, [] {}, cannot_run),
               faults::CannotRun);
}

TEST(Grid, SaysThatItChangedForEachCellThatRan) {
  auto grid = small_grid();
  faults::Reaper reaper;
  int changes = 0;
  fill(
      grid, {}, 1, reaper, [&] { ++changes; },
      [](const auto& stage, const auto& scenario, const auto&, auto&) {
        return result_with(Verdict::holds, stage.name, scenario.name);
      });
  EXPECT_EQ(changes, 1);
}

TEST(EmptyGrid, LeavesOutWhatDoesNotApply) {
  const auto grid = empty_grid();
  for (std::size_t i = 0; i < grid.cells.size(); ++i) {
    const auto& declared = grid.stage_of(i).declared;
    const auto found = declared.find(grid.scenario_of(i).name);
    if (found == declared.end()) continue;
    EXPECT_EQ(grid.cells[i].does_not_apply, found->second.does_not_apply);
  }
}

TEST(EmptyGrid, HasACellForEachPair) {
  const auto grid = empty_grid();
  ASSERT_EQ(grid.cells.size(), grid.stages.size() * grid.scenarios.size());
  EXPECT_EQ(grid.stage_of(grid.stages.size()).name, grid.stages.front().name);
  EXPECT_EQ(grid.scenario_of(grid.stages.size()).name, grid.scenarios.at(1).name);
  for (const auto& scenario : grid.scenarios) EXPECT_FALSE(scenario.is_beside_the_stages());
}

TEST(GridText, AlignsItsColumns) {
  auto grid = small_grid();
  grid.stages.push_back(grid.stages.front());
  grid.stages.back().name = "stage8_a_name_that_is_too_long";
  grid.cells.resize(4);
  grid.cells[0].result = result_with(Verdict::violated, "", "");
  EXPECT_EQ(as_text(grid, {.on = false}),
            "                       1 setnx       8 a_name_that \n"
            "killed_holder          ✗ stuck       –             \n"
            "nested_lock            ·             ·             \n");
  EXPECT_THAT(as_text(grid, {.on = true}),
              testing::HasSubstr(faults::Paint{.on = true}.red("✗ stuck       ")));
}

TEST(GridText, AlignsItsColumnsInChinese) {
  auto grid = small_grid();
  grid.stages.push_back(grid.stages.front());
  grid.cells.resize(4);
  grid.cells[0].result = result_with(Verdict::violated, "", "");
  EXPECT_EQ(as_text(grid, {.on = false}, terminal::Language::named("zh")),
            "                       1 setnx       1 setnx       \n"
            "killed_holder          ✗ 卡住        –             \n"
            "nested_lock            ·             ·             \n");
}

TEST(WhatChanges, NamesWhatTheNewerStageMendsAndBreaks) {
  auto grid = small_grid();
  grid.stages.push_back(grid.stages.front());
  grid.stages.back().name = "stage2_expire";
  grid.stages.back().adds = "a lease";
  grid.cells.clear();
  for (const auto verdict : {Verdict::violated, Verdict::holds, Verdict::holds, Verdict::violated,
                             Verdict::violated, Verdict::not_exercised}) {
    grid.cells.push_back({.result = result_with(verdict, "", "")});
  }
  grid.scenarios.push_back(*faults::find_scenario("slow_holder"));
  EXPECT_EQ(what_changes(grid),
            "stage2_expire (a lease) fixes killed_holder, and breaks nested_lock");
  for (auto& cell : grid.cells) cell.result = result_with(Verdict::holds, "", "");
  EXPECT_EQ(what_changes(grid), "stage2_expire (a lease) fixes none of them");
}

TEST(RowsOf, KeepsTheNamedRowsWithTheirCells) {
  const auto grid = small_grid();
  const auto few = rows_of(grid, {"nested_lock"});
  ASSERT_THAT(few.scenarios, testing::SizeIs(1));
  EXPECT_EQ(few.at(0, 0).does_not_apply, "it is not re-entrant");
  EXPECT_THROW((void)rows_of(grid, {"no_such_row"}), std::out_of_range);
}

TEST(Jobs, AreTheUsualNumberUnlessWanted) {
  EXPECT_EQ(jobs_for(3), 3);
  EXPECT_GT(jobs_for(0), 0);
}

}  // namespace
}  // namespace table

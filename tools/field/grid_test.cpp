// The words of a cell, and the names of locks.
#include "tools/field/grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "faults/kit/errors.h"
#include "tools/field/locks.h"
#include "tools/field/new_lock.h"

namespace field {
namespace {

using faults::Verdict;
using testing::HasSubstr;

faults::Result result_with(Verdict verdict) {
  faults::Result result{
      .stage = {}, .scenario = {}, .directory = {}, .executions = {}, .again = {}};
  result.executions.push_back(
      {.boundary = {}, .judgement = {.verdict = verdict, .findings = {}}, .history = {}});
  return result;
}

Cell cell_with(std::vector<Verdict> verdicts) {
  Cell cell{.lock = "mine", .scenario = "killed_holder", .not_run = {}, .results = {}};
  for (const auto verdict : verdicts) cell.results.push_back(result_with(verdict));
  return cell;
}

TEST(FieldCell, ShowsTheWorstOfItsRuns) {
  const auto cell = cell_with({Verdict::holds, Verdict::violated, Verdict::inconclusive});
  EXPECT_TRUE(cell.is_violated());
  EXPECT_FALSE(cell.runs_agree());
  EXPECT_EQ(cell.word(), "violated (not always)");
  EXPECT_EQ(cell_with({Verdict::holds, Verdict::holds}).word(), "holds");
}

TEST(FieldCell, TellsALockThatRefusesAsItSays) {
  auto cell = cell_with({Verdict::holds});
  cell.results[0].executions[0].judgement.why = "A was refused, since no replica acknowledged";
  EXPECT_EQ(cell.word(), "refused");
  EXPECT_FALSE(cell.is_violated());
}

TEST(FieldCell, SaysWhyItWasNotRun) {
  const auto word = [](const std::string& why, bool could_not_run = false) {
    auto cell = cell_with({});
    cell.not_run = why;
    cell.could_not_run = could_not_run;
    return cell.word();
  };
  EXPECT_EQ(word(""), "not run");
  EXPECT_EQ(word("not promised: renewal"), "not promised");
  EXPECT_EQ(word("it is about a queue"), "–");
  EXPECT_EQ(word("no server", true), "could not run");
}

TEST(FieldGrid, LosesTheLocksThatHaveNoRuns) {
  faults::TestedLock mine;
  mine.name = "mine";
  faults::TestedLock other;
  other.name = "other";
  Grid grid{.locks = {mine, other}, .left_out = {}, .cells = {cell_with({Verdict::holds})}};
  grid.cells.push_back(
      {.lock = "other", .scenario = "killed_holder", .not_run = {}, .results = {}});
  drop_locks_without_runs(grid);
  ASSERT_EQ(grid.locks.size(), 1U);
  EXPECT_EQ(grid.cells.size(), 1U);
  EXPECT_EQ(grid.locks.front().name, "mine");
}

TEST(FieldGrid, RunsOnlyTheLocksThatAreWanted) {
  Grid grid;
  for (const auto* name : {"mine", "other"}) {
    grid.locks.emplace_back().name = name;
    for (const auto& scenario : faults::all_scenarios()) {
      grid.cells.push_back({.lock = name, .scenario = scenario.name, .not_run = {}, .results = {}});
    }
  }
  faults::Reaper reaper;
  std::set<std::string> done;
  fill(grid, {},
       {.run_cell = [](const auto&...) { return result_with(Verdict::holds); },
        .wants = [](const faults::TestedLock& lock) { return lock.name == "other"; }},
       reaper, [&](const Cell& cell) { done.insert(cell.lock); });
  EXPECT_THAT(done, testing::ElementsAre("other"));
  EXPECT_EQ(grid.cells.front().word(), "not run");
  EXPECT_EQ(grid.cells.back().word(), "holds");
}

TEST(FieldLocks, AreFoundByTheirNamesAndVariants) {
  EXPECT_TRUE(names_lock("redis-py"));
  EXPECT_TRUE(names_lock("redis-py/command_timeout"));
  EXPECT_FALSE(names_lock("../field/redis-py"));
  EXPECT_FALSE(names_lock(""));
}

TEST(FieldLocks, SuggestTheNearestName) {
  try {
    (void)locks_named({"redis-pi"});
    FAIL() << "there is no such lock";
  } catch (const faults::CannotRun& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean redis-py"));
  }
}

TEST(FieldLocks, HaveATemplateForEachLanguage) {
  for (const auto* language : languages) {
    EXPECT_TRUE(std::filesystem::exists(locks_directory() / "templates" / language / "lock.json"));
  }
}

TEST(NewLock, NeedsAPlainNameThatIsFree) {
  EXPECT_THROW(make_lock("../mine", "python"), faults::CannotRun);
  EXPECT_THROW(make_lock("", "python"), faults::CannotRun);
  EXPECT_THROW(make_lock("redis-py", "python"), faults::CannotRun);
}

}  // namespace
}  // namespace field

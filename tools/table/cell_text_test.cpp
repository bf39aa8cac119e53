// A cell in words, and the table in Markdown.
#include "tools/table/cell_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faults/scenarios/scenario.h"
#include "tools/table/markdown.h"
#include "tools/table/stages.h"
#include "tools/terminal/testing/known_text.h"

namespace table {
namespace {

using faults::Property;
using faults::Verdict;

Cell cell_with(Verdict verdict, std::vector<faults::Finding> findings = {}) {
  faults::Result result{
      .stage = {}, .scenario = {}, .directory = {}, .executions = {}, .again = {}};
  result.executions.push_back(
      {.boundary = {}, .judgement = {.verdict = verdict, .findings = findings}, .history = {}});
  return {.result = result, .does_not_apply = {}, .difference = {}};
}

faults::TestedLock stage_with(faults::Declared declared) {
  faults::TestedLock stage;
  stage.name = "stage1_setnx";
  stage.declared["killed_holder"] = std::move(declared);
  return stage;
}

TEST(CellText, SaysWhichPropertyWasBroken) {
  const auto cell = cell_with(Verdict::violated, {{.property = Property::liveness}});
  EXPECT_EQ(cell_text(cell), "✗ stuck");
}

TEST(CellText, TellsALockThatRefusesAsItSays) {
  auto cell = cell_with(Verdict::holds);
  cell.result->executions[0].judgement.why = "A was refused, since no replica acknowledged";
  EXPECT_EQ(cell_text(cell), "✓ refused");
}

TEST(CellText, MarksACellThatIsNotAsDeclared) {
  auto cell = cell_with(Verdict::holds);
  EXPECT_EQ(cell_text(cell), "✓");
  cell.difference = "it is declared to break";
  EXPECT_EQ(cell_text(cell), "✓ (!)");
}

TEST(CellText, DistinguishesNothingShownFromNotRun) {
  EXPECT_EQ(cell_text(cell_with(Verdict::inconclusive)), "? inconclusive");
  EXPECT_EQ(cell_text({}), "·");
  EXPECT_EQ(cell_text({.result = {}, .does_not_apply = "no lease", .difference = {}}), "–");
}

TEST(DeclaredText, IsTheTextOfACellAsDeclared) {
  const auto text = [](const faults::Declared& declared) {
    return declared_text(stage_with(declared), "killed_holder");
  };
  EXPECT_EQ(text({.broken = {Property::mutual_exclusion}}), "✗ two inside");
  EXPECT_EQ(text({}), "✓");
  EXPECT_EQ(text({.does_not_apply = "no lease"}), "–");
  EXPECT_EQ(declared_text(stage_with({}), "nested_lock"), "·");
}

TEST(Legend, ExplainsEachMark) {
  const auto meanings = legend();
  for (const auto* mark : {"✓", "✗ stuck", "–", "·", "(!)"}) {
    EXPECT_THAT(meanings, testing::Contains(testing::StartsWith(mark)));
  }
}

TEST(ChineseTexts, HaveEachWordOfTheTable) {
  static const auto chinese = terminal::Language::named("zh");
  for (const auto& meaning : legend()) EXPECT_NE(chinese(meaning), meaning);
  for (const auto& stage : all_stages()) {
    for (const auto& scenario : faults::all_scenarios()) {
      const auto text = declared_text(stage, scenario.name);
      if (!text.starts_with("✗")) continue;
      EXPECT_NE(chinese(text), text);
    }
    for (const auto& [scenario, declared] : stage.declared) {
      const auto& why = declared.does_not_apply;
      if (!why.empty()) terminal::expect_known(why);
    }
  }
}

TEST(Markdown, HasARowForEachScenario) {
  Grid grid{.stages = {stage_with({})},
            .scenarios = {*faults::find_scenario("killed_holder")},
            .cells = {cell_with(Verdict::inconclusive)}};
  EXPECT_EQ(as_markdown(grid),
            "| scenario | [stage1_setnx](stage1_setnx/) |\n|---|---|\n"
            "| `killed_holder` | ? inconclusive |\n");
  EXPECT_THAT(declared_as_markdown(grid, "../"),
              testing::AllOf(testing::HasSubstr(" [stage1_setnx](../stage1_setnx/) |"),
                             testing::HasSubstr("| `killed_holder` | ✓ |\n")));
}

}  // namespace
}  // namespace table

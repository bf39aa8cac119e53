#include "tools/bench/tables/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faults/kit/errors.h"

namespace bench {
namespace {

using testing::HasSubstr;
using testing::Not;

// As Google Benchmark writes it: repetitions, and statistics that are ignored.
BenchmarkResults run_with(const std::string& name, const std::vector<double>& ratios) {
  auto benchmarks = nlohmann::json::array();
  for (const auto ratio : ratios) {
    benchmarks.push_back({{"run_name", name}, {"run_type", "iteration"}, {"ratio", ratio}});
  }
  benchmarks.push_back({{"run_name", name}, {"run_type", "aggregate"}, {"ratio", 1'000}});
  return results_from({{"context", {{"num_cpus", 2}}}, {"benchmarks", benchmarks}}, "a test");
}

TEST(Comparison, PutsMediansAndSpreadsSideBySide) {
  const auto text = comparison(run_with("uncontended/stage4", {0.9, 0.8, 1.0}),
                               run_with("uncontended/stage4", {0.95, 0.99, 0.97}));
  EXPECT_THAT(text, HasSubstr("uncontended/stage4"));
  EXPECT_THAT(text, HasSubstr("0.900 (0.800–1.000)"));
  EXPECT_THAT(text, HasSubstr("0.970 (0.950–0.990)"));
  EXPECT_THAT(text, HasSubstr("+7.8 %\n"));
}

TEST(Comparison, MarksOnlySpreadsThatDoNotOverlap) {
  const auto name = "uncontended/stage4";
  EXPECT_THAT(comparison(run_with(name, {1, 2}), run_with(name, {3, 4})), HasSubstr("% *\n"));
  EXPECT_THAT(comparison(run_with(name, {1, 3}), run_with(name, {2, 4})), Not(HasSubstr("% *\n")));
}

TEST(Comparison, NamesCasesOfOnlyOneRun) {
  auto before = run_with("uncontended/stage4", {1});
  before.rows.merge(run_with("uncontended/stage3", {1}).rows);
  const auto text = comparison(before, run_with("uncontended/stage4", {1}));
  EXPECT_THAT(text, HasSubstr("only before: uncontended/stage3"));
}

TEST(Comparison, NeedsACaseInCommon) {
  EXPECT_THROW((void)comparison(run_with("uncontended/stage4", {1}), run_with("quorum/x", {1})),
               faults::CannotRun);
}

TEST(StagesCompared, NamesNoWinnerWithinTheNoise) {
  auto run = run_with("uncontended/stage3/tcp/free", {1, 3});
  run.rows.merge(run_with("uncontended/stage4/tcp/free", {2, 4}).rows);
  run.rows.merge(run_with("contended/held/stage3/own", {1}).rows);
  const auto text = comparison(run, 3, 4);
  EXPECT_THAT(text, HasSubstr("uncontended/tcp/free"));
  EXPECT_THAT(text, HasSubstr("within the noise"));
  EXPECT_THAT(text, Not(HasSubstr("%")));
  EXPECT_THAT(text, Not(HasSubstr("contended/held")));
}

TEST(StagesCompared, IsATableInMarkdown) {
  auto run = run_with("uncontended/tcp/stage7", {1, 2});
  run.rows.merge(run_with("uncontended/tcp/stage8", {1, 2}).rows);
  const auto text = comparison(run, 7, 8, Layout::markdown);
  EXPECT_THAT(text, HasSubstr("| uncontended/tcp |"));
  EXPECT_THAT(text, HasSubstr("|---:|"));
}

TEST(StagesCompared, SaysByHowMuchTheyDiffer) {
  auto run = run_with("uncontended/stage3/tcp/free", {1, 2});
  run.rows.merge(run_with("uncontended/stage4/tcp/free", {3, 3}).rows);
  EXPECT_THAT(comparison(run, 3, 4), HasSubstr("+100.0 % *"));
  EXPECT_THROW((void)comparison(run, 3, 5), faults::CannotRun);
}

TEST(ResultsFrom, RejectsOtherJson) {
  EXPECT_THROW((void)results_from({{"no", "benchmarks"}}, "a test"), faults::CannotRun);
  EXPECT_THROW((void)read_json("/nonexistent"), faults::CannotRun);
}

}  // namespace
}  // namespace bench

#include "tools/report/price.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "faults/kit/errors.h"
#include "faults/kit/temp_dir.h"
#include "tools/table/grid.h"

namespace report {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Results of `./lab bench`, with the times of each stage that the price shows.
json whole_bench() {
  auto rows = json::array();
  for (int stage = 1; stage <= 8; ++stage) {
    const auto name = fmt::format("stage{}", stage);
    for (const auto& alone : {"uncontended/" + name + "/tcp/free", "quorum/nodes5/" + name}) {
      rows.push_back({{"run_name", alone}, {"p50_us", 1}, {"p99_us", 2}});
    }
    rows.push_back({{"run_name", "contended/held1ms_pause5ms/" + name + "/own"},
                    {"handoff_p50_us", 3},
                    {"handoff_p99_us", 4}});
  }
  return {{"context", {{"scale", "quick"}}}, {"benchmarks", rows}};
}

class PriceFrom : public testing::Test {
 protected:
  [[nodiscard]] fs::path path(const std::string& name) const { return directory.path() / name; }

  void leave(const std::string& run, const std::string& results) const {
    fs::create_directories(path(run));
    std::ofstream(path(run) / "results.json") << results;
  }

  faults::Reaper reaper;
  faults::TempDir directory{reaper};
};

TEST(Price, HasCommandsWithoutABenchmark) {
  const auto price = price_of(table::empty_grid(), std::nullopt);
  EXPECT_TRUE(price["measured"].is_null());
  const auto& on_a_quorum = price["stages"][6];
  EXPECT_EQ(on_a_quorum["commands"], 10);
  EXPECT_EQ(on_a_quorum["round_trips"], 2);
  EXPECT_FALSE(on_a_quorum.contains("latency"));
}

TEST(Price, CountsThePlayedScenariosThatHold) {
  auto grid = table::empty_grid();
  for (const auto verdict : {faults::Verdict::holds, faults::Verdict::violated}) {
    faults::Result result{
        .stage = {}, .scenario = {}, .directory = {}, .executions = {}, .again = {}};
    result.executions.push_back(
        {.boundary = {}, .judgement = {.verdict = verdict, .findings = {}}, .history = {}});
    const auto row = verdict == faults::Verdict::holds ? 0U : grid.stages.size();
    grid.cells[row].result = result;
  }
  const auto first = price_of(grid, std::nullopt)["stages"][0];
  EXPECT_EQ(first["holds"], 1);
  EXPECT_EQ(first["of"], 2);
}

TEST_F(PriceFrom, PutsTheFiguresBesideTheirStage) {
  const auto run = [](const std::string& name, json counters) {
    counters["run_name"] = name;
    return counters;
  };
  std::ofstream(path("results.json"))
      << json{{"context", {{"num_cpus", 2}, {"host_name", "workstation"}, {"date", "today"}}},
              {"benchmarks",
               {run("uncontended/stage1/tcp/free", {{"p50_us", 10}, {"p99_us", 30}}),
                run("uncontended/stage1/tcp/free", {{"p50_us", 20}, {"p99_us", 40}}),
                run("quorum/nodes5/stage7", {{"p50_us", 70}}),
                run("contended/held1ms_pause5ms/stage7/own", {{"handoff_p50_us", 700}})}}};
  const auto price = price_of(table::empty_grid(), path("results.json"));
  EXPECT_THAT(price["measured"].get<std::string>(),
              AllOf(HasSubstr("The table is from another machine"), Not(HasSubstr("workstation"))));
  EXPECT_EQ(price["stages"][0]["latency"], json({10.0, 15.0, 20.0}));
  EXPECT_EQ(price["stages"][6]["latency"][1], 70);
  EXPECT_EQ(price["stages"][6]["handoff"][1], 700);
  EXPECT_EQ(price["stages"][0]["latency_p99"][0], 30);
  EXPECT_TRUE(price["stages"][6]["handoff_p99"].is_null());
  EXPECT_TRUE(price["stages"][1]["latency"].is_null());
}

TEST_F(PriceFrom, TakesTheNewestBenchmark) {
  EXPECT_EQ(newest_bench(path("nowhere")), std::nullopt);
  for (const auto* run : {"20260102-101010-bench", "20260103-101010-bench", "20260104-table"}) {
    leave(run, whole_bench().dump());
  }
  EXPECT_EQ(newest_bench(directory.path()), path("20260103-101010-bench") / "results.json");
}

TEST_F(PriceFrom, SkipsABenchmarkThatIsIncomplete) {
  auto filtered = whole_bench();
  filtered["benchmarks"].erase(0);
  auto smoke = whole_bench();
  smoke["context"]["scale"] = "smoke";
  leave("20260101-bench", whole_bench().dump());
  leave("20260102-bench", filtered.dump());
  leave("20260103-bench", smoke.dump());
  leave("20260104-bench", "{\"context\": ");
  auto without_handoff = whole_bench();
  for (auto& row : without_handoff["benchmarks"]) row.erase("handoff_p50_us");
  leave("20260105-bench", without_handoff.dump());
  EXPECT_EQ(newest_bench(directory.path()), path("20260101-bench") / "results.json");
}

TEST_F(PriceFrom, RejectsOtherFiles) {
  std::ofstream(path("results.json")) << "{}";
  EXPECT_THROW((void)price_of(table::empty_grid(), path("results.json")), faults::CannotRun);
}

}  // namespace
}  // namespace report

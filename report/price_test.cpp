#include "report/price.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "faults/errors.h"
#include "faults/parts/temp_dir.h"

namespace report {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

class PriceFrom : public testing::Test {
 protected:
  [[nodiscard]] fs::path path(const std::string& name) const { return directory.path() / name; }

  faults::Reaper reaper;
  faults::TempDir directory{reaper};
};

TEST(Price, WithoutABenchmarkHasWhatIsSent) {
  const auto price = price_of(workshop::empty_grid(), std::nullopt);
  EXPECT_TRUE(price["measured"].is_null());
  const auto& on_a_quorum = price["stages"][6];
  EXPECT_EQ(on_a_quorum["commands"], 10);
  EXPECT_EQ(on_a_quorum["round_trips"], 2);
  EXPECT_FALSE(on_a_quorum.contains("latency"));
}

TEST_F(PriceFrom, ABenchmarksFiguresStandBesideTheirStage) {
  const auto run = [](const std::string& name, json counters) {
    counters["run_name"] = name;
    return counters;
  };
  std::ofstream(path("results.json"))
      << json{{"context", {{"num_cpus", 2}, {"host_name", "another"}, {"date", "today"}}},
              {"benchmarks",
               {run("uncontended/stage1/tcp/free", {{"p50_us", 10}, {"p99_us", 30}}),
                run("uncontended/stage1/tcp/free", {{"p50_us", 20}, {"p99_us", 40}}),
                run("quorum/nodes5/stage7", {{"p50_us", 70}}),
                run("contended/held1ms_pause5ms/stage7/own", {{"handoff_p50_us", 700}})}}};
  const auto price = price_of(workshop::empty_grid(), path("results.json"));
  EXPECT_THAT(price["measured"].get<std::string>(), HasSubstr("is not the one of the table"));
  EXPECT_EQ(price["stages"][0]["latency"], json({10.0, 15.0, 20.0}));
  EXPECT_EQ(price["stages"][6]["latency"][1], 70);
  EXPECT_EQ(price["stages"][6]["handoff"][1], 700);
  EXPECT_TRUE(price["stages"][1]["latency"].is_null());
}

TEST_F(PriceFrom, TheNewestBenchmarkCounts) {
  EXPECT_EQ(newest_bench(path("nowhere")), std::nullopt);
  for (const auto* run : {"20260102-101010-bench", "20260103-101010-bench", "20260104-table"}) {
    fs::create_directories(path(run));
    std::ofstream(path(run) / "results.json") << "{}";
  }
  EXPECT_EQ(newest_bench(directory.path()), path("20260103-101010-bench") / "results.json");
}

TEST_F(PriceFrom, WhatIsNoBenchmarkIsRefused) {
  std::ofstream(path("results.json")) << "{}";
  EXPECT_THROW((void)price_of(workshop::empty_grid(), path("results.json")), faults::CannotRun);
}

}  // namespace
}  // namespace report

// Scenarios in virtual time give the verdicts that are declared, one of each kind of fault and of
// each kind of server. (`./lab table --time virtual` runs all of them on all stages.)
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "faults/testing/called_program.h"
#include "faults/testing/expectations.h"

namespace app {
namespace {

using faults::Playground;

struct Cell {
  std::string stage, scenario;
};

void PrintTo(const Cell& cell, std::ostream* stream) {
  *stream << cell.stage << " " << cell.scenario;
}

class VirtualCell : public testing::TestWithParam<Cell> {};

TEST_P(VirtualCell, IsAsDeclared) {
  Playground playground;
  const auto runs = playground.path("runs").native();
  const auto ended = playground.call(LAB_PROGRAM, {"run", GetParam().stage, GetParam().scenario,
                                                   "--time", "virtual", "--json", "--runs", runs});
  const auto results = nlohmann::json::parse(ended.output, nullptr, /*allow_exceptions=*/false);
  ASSERT_TRUE(results.is_array()) << ended.errors;
  EXPECT_TRUE(results.at(0)["as_declared"].get<bool>()) << results.at(0).dump(2);
  faults::expect_nothing_left(playground);
}

INSTANTIATE_TEST_SUITE_P(
    EachKind, VirtualCell,
    testing::Values(Cell{"1", "killed_holder"}, Cell{"2", "killed_mid_acquire"},
                    Cell{"3", "frozen_mid_release"}, Cell{"4", "client_clock_jump"},
                    Cell{"5", "cut_off_holder"}, Cell{"5", "failover"},
                    Cell{"6", "failover_sentinel"}, Cell{"6", "failover_cluster"},
                    Cell{"7", "split_vote"}, Cell{"7", "clock_jump"}, Cell{"7", "amnesia"},
                    Cell{"8", "frozen_holder"}, Cell{"8", "one_slow_node"}),
    [](const auto& tested) { return "Stage" + tested.param.stage + "_" + tested.param.scenario; });

TEST(VirtualRun, LeavesNothingBehindWhenInterrupted) {
  for (const int number : {SIGINT, SIGTERM, SIGKILL}) {
    Playground playground;
    const auto runs = playground.path("runs").native();
    const auto lab =
        playground.start(LAB_PROGRAM, {"run", "7", "--time", "virtual", "--runs", runs});
    faults::await_processes(playground, 6);
    kill(lab->id(), number);
    ASSERT_TRUE(lab->ending(faults::standstill));
    faults::expect_nothing_left(playground);
  }
}

TEST(VirtualRun, RefusesServersThatKeepRealTime) {
  Playground playground;
  const auto ended =
      playground.call(LAB_PROGRAM, {"run", "etcd", "killed_holder", "--time", "virtual", "--runs",
                                    playground.path("runs").native()});
  if (ended.errors.find("install") != std::string::npos) GTEST_SKIP() << ended.errors;
  faults::expect_one_sentence(playground, ended, "whose servers keep real time");
}

}  // namespace
}  // namespace app

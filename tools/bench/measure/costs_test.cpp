// The costs of a lock that do not depend on the machine: the commands of one acquire and one
// release when nobody else wants it. Each is a round trip; on a quorum each goes to all nodes at
// once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/bench/measure/acquire_and_release.h"
#include "tools/bench/measure/baseline.h"
#include "tools/bench/measure/fixture.h"
#include "tools/bench/measure/node.h"

namespace bench {
namespace {

using Names = std::vector<std::string>;

struct Cost {
  int stage;
  Names acquire;
  Names release;
};

void PrintTo(const Cost& cost, std::ostream* out) {
  *out << "stage " << cost.stage;
}

class CostsOnTheWire : public testing::TestWithParam<Cost> {
 protected:
  Names names_during(const std::function<void()>& action) {
    Names names;
    for (const auto& command : commands_during(node.unix_socket(), action)) {
      names.push_back(command.front());
    }
    return names;
  }

  faults::Reaper reaper;
  Node node{{.reaper = reaper, .redis = faults::find_redis()}};
};

TEST_P(CostsOnTheWire, MatchForOneAcquireAndOneRelease) {
  const auto fixture = make_fixture({.stage = GetParam().stage, .nodes = {node.unix_socket()}});
  const auto lock = fixture->make("lock").lock;
  acquire_and_release(*lock);  // the scripts are there now
  auto acquired = core::Acquire::unknown;
  auto released = core::Release::unknown;
  EXPECT_EQ(names_during([&] { acquired = lock->try_acquire(); }), GetParam().acquire);
  EXPECT_EQ(acquired, core::Acquire::acquired);
  EXPECT_EQ(names_during([&] { released = lock->release(); }), GetParam().release);
  EXPECT_EQ(released, core::Release::released);
}

INSTANTIATE_TEST_SUITE_P(
    Stages, CostsOnTheWire,
    testing::Values(Cost{1, {"SETNX"}, {"DEL"}}, Cost{2, {"SETNX", "PEXPIRE"}, {"DEL"}},
                    Cost{3, {"SET"}, {"GET", "DEL"}}, Cost{4, {"SET"}, {"EVALSHA"}},
                    Cost{5, {"SET"}, {"EVALSHA"}}, Cost{6, {"EVALSHA"}, {"EVALSHA"}},
                    Cost{7, {"EVALSHA"}, {"EVALSHA"}}, Cost{8, {"EVALSHA"}, {"EVALSHA"}}),
    [](const auto& stage) { return "Stage" + std::to_string(stage.param.stage); });

class CostsOnAQuorum : public testing::TestWithParam<int> {};

TEST_P(CostsOnAQuorum, AreTwoCommandsAtEachNode) {
  faults::Reaper reaper;
  const auto nodes = start_nodes({.reaper = reaper, .redis = faults::find_redis()}, 5);
  FixturePlan plan{.stage = GetParam()};
  for (const auto& node : nodes) plan.nodes.push_back(node->unix_socket());
  const auto fixture = make_fixture(plan);
  const auto lock = fixture->make("lock").lock;
  constexpr int pairs = 10;
  for (int i = 0; i < pairs; ++i) acquire_and_release(*lock);
  for (const auto& node : nodes) {
    // The slowest minority may not have run the last release yet.
    const auto scripts = [&] {
      auto calls = node->calls();
      return calls["eval"] + calls["evalsha"];
    };
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (scripts() < 2 * pairs && std::chrono::steady_clock::now() < deadline) {
    }
    EXPECT_EQ(scripts(), 2 * pairs);
  }
}

INSTANTIATE_TEST_SUITE_P(Stages, CostsOnAQuorum, testing::Values(7, 8),
                         [](const auto& stage) { return "Stage" + std::to_string(stage.param); });

}  // namespace
}  // namespace bench

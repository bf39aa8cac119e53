#include "tools/bench/measure/quorum_baseline.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "core/testing/eventually.h"
#include "tools/bench/measure/node.h"

namespace bench {
namespace {

class QuorumBaselineOnThree : public testing::Test {
 protected:
  [[nodiscard]] QuorumBaseline sends(const Command& command) const {
    return {{nodes[0]->tcp(), nodes[1]->tcp(), nodes[2]->tcp()}, {command}};
  }

  [[nodiscard]] std::string counted_by(std::size_t node) {
    return std::string(nodes[node]->direct().command({"GET", "counter"}).text());
  }

  faults::Reaper reaper;
  std::vector<std::unique_ptr<Node>> nodes =
      start_nodes({.reaper = reaper, .redis = faults::find_redis()}, 3);
};

TEST_F(QuorumBaselineOnThree, GoesOnAfterTwoReplies) {
  auto baseline = sends({"INCR", "counter"});
  baseline.wait_for_first_majority();
  nodes[2]->process().freeze();
  baseline.wait_for_first_majority();
  baseline.wait_for_first_majority();
  EXPECT_EQ(counted_by(0), "3");
  EXPECT_EQ(counted_by(1), "3");
  nodes[2]->process().thaw();
  // Two answers are still on the way, or have come; with this one it has been asked four times.
  baseline.wait_for_first_majority();
  nodes[0]->process().freeze();
  baseline.wait_for_first_majority();
  EXPECT_EQ(counted_by(2), "5");
  nodes[0]->process().thaw();
}

TEST_F(QuorumBaselineOnThree, WaitsForTheSecondReply) {
  auto baseline = sends({"INCR", "counter"});
  nodes[1]->process().freeze();
  nodes[2]->process().freeze();
  std::atomic<bool> thawed = false;
  const std::jthread helper([&] {
    core::eventually("one has counted", [&] { return counted_by(0) == "1"; });
    thawed = true;
    nodes[1]->process().thaw();
  });
  baseline.wait_for_first_majority();
  EXPECT_TRUE(thawed);
  nodes[2]->process().thaw();
}

TEST_F(QuorumBaselineOnThree, WaitsForAllThree) {
  auto baseline = sends({"INCR", "counter"});
  baseline.wait_for_all();
  baseline.one_after_another();
  for (std::size_t node = 0; node < nodes.size(); ++node) EXPECT_EQ(counted_by(node), "2");
}

TEST_F(QuorumBaselineOnThree, RejectsAnErrorReply) {
  auto baseline = sends({"INCR"});
  EXPECT_THROW(baseline.wait_for_first_majority(), std::runtime_error);
}

}  // namespace
}  // namespace bench

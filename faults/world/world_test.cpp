#include "faults/world/world.h"

#include <unistd.h>

#include <chrono>
#include <fstream>
#include <set>

#include "core/error.h"
#include "core/testing/eventually.h"
#include "faults/kit/errors.h"
#include "faults/testing/kit_test.h"

namespace faults {
namespace {

using std::chrono::milliseconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

// Worlds with as many servers as asked for, and clients that use only the first.
class WorldTest : public KitTest {
 protected:
  [[nodiscard]] std::unique_ptr<World> world_of(int nodes, const SweepBoundary& position = {}) {
    stage.nodes = nodes;
    return std::make_unique<World>(stage, find_redis(), reaper, history, directory.path(),
                                   WorldOptions{.boundary = position});
  }
  [[nodiscard]] std::vector<std::string> faults_seen() const {
    return events_of(Kind::fault, history.record());
  }
  static long long count_at(World& world, std::size_t node, const std::string& key) {
    return world.servers.at(node).direct().command({"EXISTS", key}).integer();
  }
  static void hold_at(World& world, std::size_t node) {
    (void)world.servers.at(node).direct().command({"SET", "lock", "x"});
  }

  // How many threads of `process` does this program keep an eye on (cpu_waits.h)?
  static std::size_t threads_watched(pid_t process) {
    const auto threads = "/proc/" + std::to_string(process) + "/task/";
    std::set<std::string> watched;
    std::error_code gone;
    for (const auto& open : std::filesystem::directory_iterator("/proc/self/fd")) {
      const auto file = std::filesystem::read_symlink(open, gone).native();
      if (file.starts_with(threads)) watched.insert(file);
    }
    return watched.size();
  }
  static bool is_watched(pid_t process) { return threads_watched(process) > 0; }

  TestedLock stage{.name = "plain", .directory = directory.path(), .command = {LAB_PLAIN_CLIENT}};
};

TEST_F(WorldTest, OneServerHasNoNumber) {
  const auto world = world_of(1);
  EXPECT_EQ(world->servers.size(), 1U);
  EXPECT_EQ(world->servers.at(0).name(), "redis");
}

TEST_F(WorldTest, WatchesTheThreadsOfTheScenario) {
  if (!counts_cpu_waits()) GTEST_SKIP() << no_cpu_waits;
  EXPECT_EQ(threads_watched(getpid()), 0U);
  const auto world = world_of(1);
  EXPECT_EQ(threads_watched(getpid()), 2U);  // this one, and the loop's
}

TEST_F(WorldTest, SeveralServersAreNumberedAndApart) {
  const auto world = world_of(3);
  EXPECT_EQ(world->servers.at(0).name(), "node1");
  EXPECT_EQ(world->servers.at(2).name(), "node3");
  hold_at(*world, 0);
  EXPECT_EQ(count_at(*world, 0, "lock"), 1);
  EXPECT_EQ(count_at(*world, 1, "lock"), 0);
}

TEST_F(WorldTest, KnowsWhatAMajorityIs) {
  for (const auto& [nodes, majority] : std::vector<std::pair<int, std::size_t>>{{1, 1}, {4, 3}}) {
    const auto world = world_of(nodes);
    EXPECT_EQ(world->servers.majority(), majority);
    EXPECT_EQ(world->servers.minority(), static_cast<std::size_t>(nodes) - majority);
  }
}

TEST_F(WorldTest, EveryServerHasTheMarkerAfterARestart) {
  stage.marker = "redlock:member";
  const auto world = world_of(3);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(count_at(*world, i, stage.marker), 1);
  hold_at(*world, 2);
  world->servers.kill_last(1);
  world->servers.restart_last(1);
  EXPECT_EQ(count_at(*world, 2, "lock"), 0);
  EXPECT_EQ(count_at(*world, 2, stage.marker), 1);
  EXPECT_THAT(faults_seen(), ElementsAre("node3 killed", "node3 restarted"));
}

TEST_F(WorldTest, EveryServerIsWatchedWhileItLives) {
  if (!std::filesystem::exists("/proc/self/schedstat")) GTEST_SKIP() << "no kernel that counts";
  const auto world = world_of(2);
  const auto killed = world->servers.at(1).process().id();
  EXPECT_TRUE(is_watched(killed));
  world->servers.kill_last(1);
  EXPECT_TRUE(eventually([&] { return !is_watched(killed); }));
  world->servers.restart_last(1);
  EXPECT_TRUE(is_watched(world->servers.at(1).process().id()));
  world->servers.restart_empty(0);
  EXPECT_TRUE(is_watched(world->servers.at(0).process().id()));
  world->fail_over.start_replica();
  world->fail_over.kill_master_and_promote();
  EXPECT_TRUE(is_watched(world->servers.at(0).process().id()));
}

TEST_F(WorldTest, ARestartForOneClientIsNoneForOthers) {
  const auto world = world_of(2);
  auto& a = world->client("A");
  auto& b = world->client("B");
  world->servers.kill_last(1);
  world->servers.restart_last_for(b, 1);
  EXPECT_NO_THROW(Wire{b.lock_link(1).address()});
  EXPECT_THROW(Wire{a.lock_link(1).address()}, std::runtime_error);
}

TEST_F(WorldTest, ARestartKeepsDataIfTheStageDoes) {
  stage.keeps_data = true;
  const auto world = world_of(3);
  hold_at(*world, 1);
  hold_at(*world, 2);
  world->servers.kill_last(2);
  world->servers.restart_last(2);
  EXPECT_EQ(count_at(*world, 1, "lock"), 1);
  EXPECT_EQ(count_at(*world, 2, "lock"), 1);
}

TEST_F(WorldTest, AClientHasALinkToEachServer) {
  const auto world = world_of(3);
  auto& a = world->client("A");
  ASSERT_EQ(a.lock_links(), 3U);
  world->steps.must_acquire(a);
  EXPECT_THAT(a.lock_link(0).commands_seen(), Contains("SET"));
  EXPECT_TRUE(a.lock_link(2).commands_seen().empty());
  world->end();
}

TEST_F(WorldTest, WritesDownWithWhichLeaseAClientBegins) {
  const auto world = world_of(1);
  (void)world->client("A");
  world->clients.set_default_lease(milliseconds(900));
  (void)world->client("B");
  std::vector<long long> leases;
  for (const auto& event : history.record()) {
    if (event.kind == Kind::ready) leases.push_back(event.data.value("lease_ms", 0LL));
  }
  EXPECT_THAT(leases, ElementsAre(Timing::usual_lease.count(), 900));
  world->end();
}

TEST(WorldTiming, IsAStallOnceTheTimeIsOver) {
  const auto since = std::chrono::steady_clock::now();
  EXPECT_NO_THROW(Timing::must_be_within(std::chrono::hours(1), since));
  EXPECT_THROW(Timing::must_be_within(milliseconds(0), since), Stalled);
}

TEST_F(WorldTest, TwoThirdsOfALeaseAreTooMuchForAStep) {
  const auto world = world_of(1);
  auto& a = world->client("A");
  world->steps.must_acquire(a, {.lease = milliseconds(300)});
  const auto late = std::chrono::steady_clock::now() + milliseconds(200);
  core::eventually("that time is over", [&] { return std::chrono::steady_clock::now() > late; });
  EXPECT_THROW(world->steps.must_be_within_lease(a), Stalled);
  world->end();
}

TEST_F(WorldTest, ACutIsACutFromEveryServer) {
  const auto world = world_of(2);
  world->client("A").cut_off(Direction::command);
  EXPECT_THAT(faults_seen(), ElementsAre("A cut off", "A cut off"));
}

TEST_F(WorldTest, IsHeldIfAMajorityHoldsIt) {
  const auto world = world_of(3);
  auto& a = world->client("A");
  hold_at(*world, 0);
  EXPECT_THROW(world->servers.must_hold_lock_of(a), Stalled);
  hold_at(*world, 1);
  world->servers.must_hold_lock_of(a);
  world->servers.kill_last(2);
  EXPECT_THROW(world->servers.must_hold_lock_of(a), Stalled);
}

TEST_F(WorldTest, AFrozenServerKeepsNobodyWaiting) {
  const auto world = world_of(2);
  auto& a = world->client("A");
  world->servers.freeze_last(1);
  EXPECT_EQ(a.acquire(), "acquired");
  world->servers.thaw_last(1);
  world->end();
  EXPECT_THAT(faults_seen(), ElementsAre("node2 frozen", "node2 thawed"));
}

TEST_F(WorldTest, ADecidingNodeHasAMinorityDown) {
  const auto world = world_of(5, {.nth = 1, .name = {}, .role = Role::deciding, .node = 4});
  auto& a = world->client("A");
  const auto held = world->sweep.arm(a, Action::hold_back);
  EXPECT_THAT(faults_seen(), ElementsAre("node4 killed", "node3 killed"));
}

TEST_F(WorldTest, RemovesTheLockIfAMajorityHadIt) {
  const auto world = world_of(2);
  EXPECT_THROW(world->servers.remove_lock(), Stalled);
  hold_at(*world, 0);
  hold_at(*world, 1);
  world->servers.remove_lock();
  EXPECT_EQ(count_at(*world, 0, "lock"), 0);
  EXPECT_EQ(count_at(*world, 1, "lock"), 0);
}

TEST_F(WorldTest, EveryServerForgetsItsScripts) {
  std::ofstream(directory.path() / "a.lua") << "return 1";
  const auto world = world_of(2);
  world->servers.flush_scripts();
  EXPECT_THAT(faults_seen(), ElementsAre("node1 flushed", "node2 flushed"));
}

TEST_F(WorldTest, ADemotedServerRefusesWrites) {
  const auto world = world_of(2);
  hold_at(*world, 0);
  world->servers.demote_all();
  EXPECT_THROW(hold_at(*world, 1), core::ErrorReply);
  EXPECT_EQ(count_at(*world, 0, "lock"), 1);
  world->servers.reinstate_all();
  hold_at(*world, 1);
  EXPECT_EQ(count_at(*world, 1, "lock"), 1);
  EXPECT_THAT(faults_seen(), ElementsAre("node1 demoted", "node2 demoted", "node1 reinstated",
                                         "node2 reinstated"));
}

TEST_F(WorldTest, AReplicaTakesTheFirstServersPlace) {
  const auto world = world_of(2);
  auto& a = world->client("A");
  world->fail_over.start_replica();
  world->fail_over.kill_master_and_promote();
  EXPECT_EQ(world->servers.at(0).name(), "replica");
  EXPECT_EQ(world->servers.at(1).name(), "node2");
  // Its connection broke, and it may notice that only now.
  EXPECT_TRUE(eventually([&] { return a.acquire() == "acquired"; }));
  EXPECT_EQ(count_at(*world, 0, "lock"), 1);
}

TEST_F(WorldTest, ADeadServerIsAnOutcomeIfAllowed) {
  const auto world = world_of(1);
  auto& a = world->client("A");
  world->servers.kill_last(1);
  const auto outcome = a.acquire({.may_fail = true});
  EXPECT_TRUE(outcome == "error" || outcome == "unknown") << outcome;
}

}  // namespace
}  // namespace faults

// The executions of a sweep have one set of servers, and do not see each other.
#include <set>

#include "faults/running/run_scenario.h"
#include "faults/testing/kit_test.h"
#include "faults/world/world.h"

namespace faults {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class SweepServers : public KitTest {
 protected:
  // A sweep over four boundaries that does this at each, in a world of its own.
  Result at_each_boundary(const std::function<void(World&)>& action) {
    return run_scenario(lock,
                        {.name = "test",
                         .sentence = "a test",
                         .judged = {Property::mutual_exclusion},
                         .sweep = Sweep{.operation = "release",
                                        .directions = {Direction::command, Direction::reply}},
                         .run = action},
                        {.redis = find_redis(), .runs = directory.path() / "runs"}, reaper);
  }
  // The process of each world's first server. (An execution may be run again.)
  [[nodiscard]] std::vector<pid_t> processes_if(const std::function<void(World&)>& action) {
    std::vector<pid_t> processes;
    const auto result = at_each_boundary([&](World& world) {
      processes.push_back(world.servers.at(0).process().id());
      action(world);
    });
    EXPECT_THAT(result.executions, SizeIs(4));
    return processes;
  }
  static bool differ(const std::vector<pid_t>& processes) {
    return std::set(processes.begin(), processes.end()).size() == processes.size();
  }

  TestedLock lock{.name = "plain",
                  .directory = directory.path(),
                  .command = {LAB_PLAIN_CLIENT, "get-then-del"}};
};

TEST_F(SweepServers, AreOneSet) {
  const auto first = processes_if([](World&) {});
  EXPECT_THAT(first, testing::Each(first.front()));
  lock.nodes = 3;
  std::set<pid_t> processes;
  (void)at_each_boundary([&](World& world) {
    for (std::size_t i = 0; i < 3; ++i) processes.insert(world.servers.at(i).process().id());
  });
  EXPECT_THAT(processes, SizeIs(3));
}

TEST_F(SweepServers, AreNewWhereTheFaultWasTheirs) {
  EXPECT_TRUE(differ(processes_if([](World& world) { world.servers.freeze_last(1); })));
  EXPECT_TRUE(differ(processes_if([](World& world) {
    world.servers.demote_all();
    world.servers.reinstate_all();
  })));
  EXPECT_TRUE(differ(processes_if([](World& world) { world.fail_over.start_replica(); })));
}

TEST_F(SweepServers, ShowNothingOfOneExecutionToTheNext) {
  std::optional<RedisState> first;
  std::vector<std::string> seen;
  (void)at_each_boundary([&](World& world) {
    auto& direct = world.servers.at(0).direct();
    const auto now = state_of(direct);
    if (!first) first = now;
    seen.push_back(left_over(*first, now));
    world.steps.must_acquire(world.client("A"), {.lease = Timing::usual_long_lease});
    (void)direct.command({"SET", "token:counter", "7"});
    (void)direct.command({"SCRIPT", "LOAD", "return 1"});
    (void)direct.command({"CONFIG", "SET", "maxmemory", "1000000000"});
    (void)direct.command({"ACL", "SETUSER", "default", "-del"});
  });
  EXPECT_THAT(seen, ElementsAre("", "", "", ""));
}

TEST_F(SweepServers, AreNotUsedWithWhatIsLeftOver) {
  EXPECT_THAT(said_by<CannotRun>([this] {
                (void)at_each_boundary([](World& world) {
                  auto& direct = world.servers.at(0).direct();
                  (void)direct.command({"REPLICAOF", "127.0.0.1", "1"});
                  (void)direct.command({"REPLICAOF", "NO", "ONE"});
                });
              }),
              AllOf(HasSubstr("redis is not as it was before the execution in "),
                    HasSubstr("/1: second_repl_offset is ")));
}

}  // namespace
}  // namespace faults

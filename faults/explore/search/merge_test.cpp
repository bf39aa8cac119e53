// A search that merges states finds what one does that runs every order, and a state that lacks a
// field is caught by the merges that are followed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <string>

#include "faults/explore/search/option_names.h"
#include "faults/explore/search/search.h"
#include "faults/kit/redis_binary.h"
#include "faults/testing/kit_test.h"

namespace explore {
namespace {

using testing::HasSubstr;

// The properties that a search finds broken, each with the fewest steps.
using Broken = std::map<std::string, std::size_t>;

class MergeTest : public testing::Test {
 protected:
  static WorldPlan world(const std::string& name, int nodes = 1) {
    const auto at = name.find('/');
    const auto stage = name.substr(0, at);
    const auto client = std::filesystem::path(LAB_BINARY_DIR) / stage / (stage + "_client");
    auto lock =
        faults::load_tested_lock(std::filesystem::path(LAB_SOURCE_DIR) / stage, {client.native()});
    if (at != std::string::npos) {
      for (auto& turn : faults::load_wrong_turns(lock)) {
        if (turn.name == name) lock = turn;
      }
    }
    lock.nodes = nodes;
    return {.stage = lock, .redis = faults::find_redis(), .judged = properties_from("")};
  }
  static SearchPlan plan(const std::string& faults) {
    return {.faults = faults_from(faults), .budget = std::chrono::minutes(10), .workers = 2};
  }
  static Broken broken_in(const SearchResult& result) {
    Broken broken;
    for (const auto& example : result.found) {
      broken[std::string(faults::to_string(example.finding.property))] = example.steps;
    }
    return broken;
  }

  // With it and without it the same is broken, in as many steps; and it needs fewer runs.
  void is_harmless(const std::string& lock, SearchPlan plan, int nodes = 1) {
    const auto all = search(world(lock, nodes), plan, reaper);
    plan.merges = true;
    plan.followed = 3;
    const auto merged = search(world(lock, nodes), plan, reaper);
    EXPECT_TRUE(all.is_exhausted() && merged.is_exhausted()) << lock;
    EXPECT_EQ(broken_in(all), broken_in(merged)) << lock;
    EXPECT_LT(merged.runs, all.runs) << lock;
  }
  // Whether states say which server is which or not, the same is broken; and these are fewer.
  void may_take_servers_for_alike(const std::string& lock, SearchPlan plan, int nodes) {
    plan.merges = true;
    const auto named = search(world(lock, nodes), plan, reaper);
    plan.servers_are_alike = true;
    plan.followed = 3;
    const auto alike = search(world(lock, nodes), plan, reaper);
    EXPECT_TRUE(named.is_exhausted() && alike.is_exhausted()) << lock;
    EXPECT_EQ(properties_in(named), properties_in(alike)) << lock;
    EXPECT_LT(alike.levels.back().states, named.levels.back().states * 2 / 3) << lock;
  }
  static std::set<faults::Property> properties_in(const SearchResult& result) {
    std::set<faults::Property> properties;
    for (const auto& example : result.found) properties.insert(example.finding.property);
    return properties;
  }
  // What a search says whose states lack that field.
  std::string without(const std::string& field, const WorldPlan& lock, const std::string& faults,
                      bool servers_are_alike = false) {
    auto lacking = plan(faults);
    lacking.merges = true;
    lacking.servers_are_alike = servers_are_alike;
    lacking.followed = 1;
    lacking.forgets = field;
    try {
      (void)search(lock, lacking, reaper);
    } catch (const Diverged& difference) {
      return difference.what();
    }
    return "nothing";
  }

  faults::Reaper reaper;
};

class LongMergeTest : public MergeTest {};

TEST_F(MergeTest, FindsWhatEveryOrderTogetherFinds) {
  is_harmless("stage2_expire", plan("kill"));
  is_harmless("stage3_set_nx_px", plan("freeze"));
  is_harmless("stage6_reentrant/counts_up", plan("lose"));
  is_harmless("stage7_redlock", plan(""), 2);
}

TEST_F(LongMergeTest, FindsWhatEveryOrderTogetherFinds) {
  for (const auto* lock :
       {"stage1_setnx", "stage2_expire", "stage3_set_nx_px", "stage4_lua_release",
        "stage5_watchdog", "stage6_reentrant", "stage5_watchdog/renews_whatever_is_there",
        "stage5_watchdog/checks_then_renews", "stage6_reentrant/bare_thread_id"}) {
    for (const auto* faults : {"kill", "lose", "slow", "freeze", "cut", "failover", "clock"}) {
      is_harmless(lock, plan(faults));
    }
  }
}

TEST_F(MergeTest, MayTakeServersForAlike) {
  may_take_servers_for_alike("stage7_redlock", plan(""), 2);
  may_take_servers_for_alike("stage7_redlock", plan("kill"), 2);
  may_take_servers_for_alike("stage8_fencing", plan(""), 2);
}

TEST_F(LongMergeTest, MayTakeServersForAlike) {
  may_take_servers_for_alike("stage7_redlock", plan(""), 3);
  for (const auto* lock : {"stage7_redlock", "stage7_redlock/no_marker", "stage8_fencing"}) {
    for (const auto* faults : {"lose", "freeze", "amnesia", "failover", "clock"}) {
      may_take_servers_for_alike(lock, plan(faults), 2);
    }
  }
}

TEST_F(MergeTest, IsCaughtIfItForgetsAmongAlike) {
  EXPECT_THAT(
      without("in flight of", world("stage7_redlock", 2), "freeze", /*servers_are_alike=*/true),
      HasSubstr("search it without --alike"));
}

// What a replica has is part of a state until the last fault that an order may have.
TEST_F(MergeTest, FollowsTheLastOfTwoFaults) {
  auto two = plan("cut,failover");
  two.at_most = 2;
  two.once_each = two.merges = true;
  auto lock = world("stage4_lua_release");
  lock.judged = properties_from("owner-only release");
  EXPECT_TRUE(search(lock, two, reaper).is_exhausted());
}

TEST_F(MergeTest, KnowsWhatAnOrderMayStillHave) {
  auto two = plan("kill,lose");
  EXPECT_NE(two.left({}, 1), two.left({kill_fault}, 1));
  EXPECT_NE(two.left({}, 2), two.left({kill_fault}, 2));
  EXPECT_EQ(two.left({lose_fault}, 2), two.left({kill_fault}, 2));
  two.once_each = true;
  EXPECT_NE(two.left({lose_fault}, 2), two.left({kill_fault}, 2));
}

TEST_F(MergeTest, CountsTheSameWithOneWorker) {
  auto merging = plan("freeze");
  merging.merges = true;
  const auto two = search(world("stage3_set_nx_px"), merging, reaper);
  merging.workers = 1;
  const auto one = search(world("stage3_set_nx_px"), merging, reaper);
  EXPECT_GT(one.levels.back().states, 500);
  EXPECT_EQ(one.levels.back().states, two.levels.back().states);
  EXPECT_EQ(one.levels.back().edges, two.levels.back().edges);
}

TEST_F(MergeTest, SaysHowMuchIsLeftOnceItsBudgetIsSpent) {
  auto some = plan("");
  some.merges = true;
  some.most_orders = 1;
  const auto part = search(world("stage3_set_nx_px"), some, reaper).levels.back();
  EXPECT_FALSE(part.exhausted);
  EXPECT_GT(part.open_edges, 0);
  some.most_orders = {};
  const auto whole = search(world("stage3_set_nx_px"), some, reaper).levels.back();
  EXPECT_TRUE(whole.exhausted);
  EXPECT_EQ(whole.open_edges, 0);
}

TEST_F(MergeTest, SearchesAsATreeOnceItsMemoryIsFull) {
  auto small = plan("freeze");
  small.merges = true;
  small.memory = 10'000;
  const auto result = search(world("stage3_set_nx_px"), small, reaper);
  EXPECT_TRUE(result.levels.back().is_memory_full);
  small.memory = SearchPlan().memory;
  const auto enough = search(world("stage3_set_nx_px"), small, reaper);
  EXPECT_FALSE(enough.levels.back().is_memory_full);
  EXPECT_GT(result.runs, enough.runs);
  for (const auto& [property, steps] : broken_in(enough)) {
    EXPECT_TRUE(broken_in(result).contains(property)) << property;
  }
}

TEST_F(MergeTest, IsCaughtIfItForgetsWhatIsInFlight) {
  EXPECT_THAT(without("in flight of", world("stage3_set_nx_px"), "freeze"), HasSubstr("differ"));
}

TEST_F(MergeTest, IsCaughtIfItForgetsWhatIsBroken) {
  EXPECT_THAT(without("broken", world("stage3_set_nx_px"), "freeze"),
              HasSubstr("break different properties"));
}

// A lock in Python for exercises' client, and the place where it is kept.
struct PythonLock {
  PythonLock(faults::Reaper& reaper, const std::string& text) : place(reaper) {
    std::ofstream(place.path() / "lock.py") << text;
  }
  [[nodiscard]] WorldPlan in(WorldPlan plan) const {
    plan.stage.command = {LAB_PYTHON, LAB_SOURCE_DIR "/tools/learning/exercises/python/client.py",
                          place.path()};
    return plan;
  }
  faults::TempDir place;
};

// Of two clients each asks which number it is, and gives the lock back only if that is even. All
// that a state shows beside what each has seen is the same, whoever came first.
TEST_F(MergeTest, IsCaughtIfItForgetsWhatAClientHasSeen) {
  if (std::string_view(LAB_PYTHON).empty()) GTEST_SKIP() << "there is no Python here";
  const PythonLock lock(
      reaper,
      "CAPABILITIES = []\n"
      "class Lock:\n"
      "    def __init__(self, server, key): self.server, self.key = server, key\n"
      "    def try_acquire(self, lease):\n"
      "        self.server.command('ECHO', 'who comes first')\n"
      "        self.number = int(self.server.command('HINCRBY', 'n:' + self.key, 'n', 1))\n"
      "        return 'acquired'\n"
      "    def release(self):\n"
      "        if self.number % 2: self.server.command('PING')\n"
      "        return 'released'\n");
  const auto numbered = lock.in(world("stage3_set_nx_px"));
  EXPECT_THAT(without("seen by", numbered, ""), HasSubstr("differ"));
  EXPECT_EQ(without("nothing", numbered, ""), "nothing");
}

// It asks both servers, asks the first that answers once more, and acts later by which that was.
TEST_F(MergeTest, IsCaughtIfALockPrefersAServer) {
  if (std::string_view(LAB_PYTHON).empty()) GTEST_SKIP() << "there is no Python here";
  const PythonLock lock(
      reaper,
      "import os, select, socket\n"
      "CAPABILITIES, links, PING = [], [], b'*1\\r\\n$4\\r\\nPING\\r\\n'\n"
      "def ask(link): link.sendall(PING)\n"
      "class Lock:\n"
      "    def __init__(self, server, key): pass\n"
      "    def try_acquire(self, lease):\n"
      "        if not links:\n"
      "            for one in os.environ['LOCK_NODES'].split(','):\n"
      "                links.append(socket.create_connection(one.rsplit(':', 1)))\n"
      "        for link in links: ask(link)\n"
      "        self.first = select.select(links, [], [])[0][0]\n"
      "        self.first.recv(7)\n"
      "        ask(self.first)\n"
      "        for link in links: link.recv(7)\n"
      "        return 'acquired'\n"
      "    def release(self):\n"
      "        if self.first is links[1]:\n"
      "            ask(self.first)\n"
      "            self.first.recv(7)\n"
      "        return 'released'\n");
  const auto prefers = lock.in(world("stage3_set_nx_px", 2));
  EXPECT_EQ(without("nothing", prefers, ""), "nothing");
  EXPECT_THAT(without("nothing", prefers, "", /*servers_are_alike=*/true),
              HasSubstr("search it without --alike"));
}

}  // namespace
}  // namespace explore

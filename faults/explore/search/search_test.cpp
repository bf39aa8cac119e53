// Searches on real locks: the search finds by itself what breaks each stage, and the next stage
// holds under the same bounds.
#include "faults/explore/search/search.h"

#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "faults/explore/search/option_names.h"
#include "faults/explore/search/saved_search.h"
#include "faults/explore/search/search_report.h"
#include "faults/explore/search/sleep_set.h"
#include "faults/kit/redis_binary.h"
#include "faults/testing/kit_test.h"

namespace {

using explore::SearchPlan;
using explore::SearchResult;
using faults::Property;
using testing::HasSubstr;

// "stage3_set_nx_px", or "stage6_reentrant/counts_up".
faults::TestedLock stage_named(const std::string& name) {
  const auto at = name.find('/');
  const auto stage = name.substr(0, at);
  const std::filesystem::path source(LAB_SOURCE_DIR);
  const auto client = std::filesystem::path(LAB_BINARY_DIR) / stage / (stage + "_client");
  auto loaded = faults::load_tested_lock(source / stage, {client.native()});
  if (at == std::string::npos) return loaded;
  for (auto& turn : faults::load_wrong_turns(loaded)) {
    if (turn.name == name) return turn;
  }
  throw std::runtime_error("there is no " + name);
}

std::set<std::string> broken_in(const SearchResult& result) {
  std::set<std::string> broken;
  for (const auto& example : result.found) {
    broken.emplace(faults::to_string(example.finding.property));
  }
  return broken;
}

// The properties that its orders break, and "not exhausted" if it did not end.
std::set<std::string> all_of(const SearchResult& result) {
  auto all = broken_in(result);
  if (!result.is_exhausted()) all.insert("not exhausted");
  return all;
}

// The steps in which A takes the lock, by these commands, and does its work.
std::vector<std::string> worked(const std::vector<std::string>& acquire,
                                const std::vector<std::string>& work = {"READ", "BEGIN", "WRITE"}) {
  std::vector<std::string> labels{"A: begin"};
  for (const auto& commands : {acquire, work}) {
    for (const auto& command : commands) {
      labels.push_back("A: send " + command);
      labels.push_back("A: reply " + command);
    }
  }
  return labels;
}

class SearchTest : public testing::Test {
 protected:
  explore::WorldPlan world(const std::string& lock, const std::string& judged = "") {
    return {.stage = stage_named(lock),
            .redis = faults::find_redis(),
            .judged = explore::properties_from(judged)};
  }
  SearchResult search(const std::string& lock, const SearchPlan& plan,
                      const std::string& judged = "") {
    return explore::search(world(lock, judged), plan, reaper);
  }
  static SearchPlan plan(const std::string& faults, const std::string& during = "") {
    return {.faults = explore::faults_from(faults),
            .during = explore::operations_from(during),
            .budget = std::chrono::minutes(10)};
  }
  std::set<std::string> broken(const std::string& lock, const SearchPlan& plan,
                               const std::string& judged = "") {
    return all_of(search(lock, plan, judged));
  }

  faults::Reaper reaper;
  const std::set<std::string> none;
};

class LongSearchTest : public SearchTest {};

TEST_F(SearchTest, FindsThatADeadHolderKeepsStage1) {
  const auto result = search("stage1_setnx", plan("kill", "work,release"));
  EXPECT_EQ(all_of(result), std::set<std::string>{"liveness"});
  EXPECT_EQ(result.levels.at(0).violated, 0);
  EXPECT_THAT(result.found.at(0).finding.sentence,
              HasSubstr("the lock that A left behind was never freed"));
  EXPECT_EQ(broken("stage2_expire", plan("kill", "work,release")), none);
}

TEST_F(SearchTest, FindsTheDeathBetweenTwoCommandsOfStage2) {
  const auto result = search("stage2_expire", plan("kill"));
  EXPECT_EQ(all_of(result), std::set<std::string>{"liveness"});
  EXPECT_THAT(result.found.at(0).run.labels,
              testing::ElementsAre("A: begin", "A: send SETNX", "A: kill", "B: begin",
                                   "B: send SETNX", "B: reply SETNX"));
  EXPECT_EQ(broken("stage3_set_nx_px", plan("kill")), none);
}

TEST_F(SearchTest, FindsTheLateReleaseOfStage2) {
  const std::string owner_only = "owner-only release";
  auto frozen_at_work = plan("freeze", "work");
  frozen_at_work.switches = 2;
  EXPECT_THAT(broken("stage2_expire", frozen_at_work, owner_only), testing::Contains(owner_only));
  EXPECT_EQ(broken("stage3_set_nx_px", frozen_at_work, owner_only), none);
}

TEST_F(SearchTest, FindsTheFreezeBeforeTheDelOfStage3) {
  const std::string owner_only = "owner-only release";
  const auto result = search("stage3_set_nx_px", plan("freeze", "release"), owner_only);
  EXPECT_EQ(all_of(result), std::set<std::string>{owner_only});
  const auto& labels = result.found.at(0).run.labels;
  const auto frozen = std::find(labels.begin(), labels.end(), "A: freeze");
  ASSERT_NE(frozen, labels.end());
  EXPECT_THAT(*(frozen - 1), testing::AnyOf("A: reply GET", "A: send GET"));
  EXPECT_EQ(broken("stage4_lua_release", plan("freeze", "release"), owner_only), none);
}

TEST_F(SearchTest, FindsThatTheWorkOutlivesTheLeaseOfStage4) {
  auto slow = plan("slow");
  slow.switches = 2;
  EXPECT_EQ(broken("stage4_lua_release", slow), std::set<std::string>{"mutual exclusion"});
  slow.switches = 1;
  EXPECT_EQ(broken("stage5_watchdog", slow), none);
}

TEST_F(SearchTest, FindsThatAThreadOfStage5WaitsForItself) {
  const auto nested = [&](const std::string& lock, const std::string& faults) {
    auto twice = world(lock);
    twice.program = explore::program_named("nested");
    return explore::search(twice, plan(faults), reaper);
  };
  const auto result = nested("stage5_watchdog", "");
  EXPECT_EQ(all_of(result), std::set<std::string>{"liveness"});
  EXPECT_THAT(result.found.at(0).finding.sentence, HasSubstr("it waited for the lock that it had"));
  EXPECT_EQ(all_of(nested("stage6_reentrant", "kill")), none);
}

TEST_F(SearchTest, TakesTheLockAgain) {
  auto twice = world("stage4_lua_release");
  twice.program = explore::program_named("again");
  const auto result = explore::search(twice, plan(""), reaper);
  EXPECT_EQ(all_of(result), none);
  EXPECT_GT(result.orders(), search("stage4_lua_release", plan("")).orders());
}

TEST_F(SearchTest, FindsThatAReplicaLetsTwoIntoStage6) {
  const std::string mutual_exclusion = "mutual exclusion";
  auto behind = plan("failover");
  behind.after = worked({"acquire.lua"}, {"READ", "BEGIN"});
  behind.switches = 1;
  const auto result = search("stage6_reentrant", behind, mutual_exclusion);
  ASSERT_EQ(all_of(result), std::set<std::string>{mutual_exclusion});
  EXPECT_THAT(
      result.found.at(0).run.labels,
      testing::IsSupersetOf({"A: reply acquire.lua", "redis: fails over", "B: reply acquire.lua"}));
  // Every server has said yes: one that forgets it leaves a majority.
  auto three = world("stage7_redlock", mutual_exclusion);
  three.stage.nodes = 3;
  behind.after = worked({"acquire.lua to node1", "acquire.lua to node2", "acquire.lua to node3"},
                        {"READ", "BEGIN"});
  EXPECT_EQ(all_of(explore::search(three, behind, reaper)), none);
}

TEST_F(SearchTest, FindsWhatAServerForgets) {
  auto late = plan("amnesia");
  late.after = worked({"SET"}, {});
  EXPECT_THAT(broken("stage4_lua_release", late, "mutual exclusion"),
              testing::Contains("mutual exclusion"));
}

TEST_F(SearchTest, FindsThatAServersClockEndsALease) {
  EXPECT_EQ(broken("stage1_setnx", plan("clock")), none);
  EXPECT_THAT(broken("stage6_reentrant", plan("clock")), testing::Contains("mutual exclusion"));
}

TEST_F(SearchTest, FindsWhomABareThreadIdLetsIn) {
  const auto result = search("stage6_reentrant/bare_thread_id", plan(""));
  EXPECT_THAT(broken_in(result), testing::Contains("mutual exclusion"));
  EXPECT_EQ(result.found.at(0).faults, 0);
}

// A client whose acquire was sent twice has it twice, and gives it back once.
TEST_F(SearchTest, FindsThatALostAnswerCountsTwice) {
  const auto result = search("stage6_reentrant/counts_up", plan("lose"));
  EXPECT_EQ(all_of(result), std::set<std::string>{"liveness"});
  EXPECT_THAT(result.found.at(0).run.labels, testing::Contains("A: lose reply acquire.lua"));
  EXPECT_EQ(broken("stage6_reentrant", plan("lose")), none);
}

// It knows nothing but TCP.
TEST_F(SearchTest, FindsTheLateReleaseOfAClientInPython) {
  if (std::string_view(LAB_PYTHON).empty()) GTEST_SKIP() << "there is no Python here";
  const std::filesystem::path python(LAB_SOURCE_DIR "/tools/learning/exercises/python");
  auto plan = world("stage3_set_nx_px");
  plan.stage.command = {LAB_PYTHON, python / "client.py", python.parent_path() / "python4/start"};
  const auto result = explore::search(
      plan, {.faults = explore::freeze_fault, .during = {"release"}, .switches = 2}, reaper);
  EXPECT_THAT(all_of(result), testing::Contains("owner-only release"));
  EXPECT_TRUE(result.is_exhausted());
}

// It renews when its lease ends, to the millisecond: either may come first.
TEST_F(SearchTest, TriesBothOrdersOfTwoCloseDeadlines) {
  if (std::string_view(LAB_PYTHON).empty()) GTEST_SKIP() << "there is no Python here";
  auto plan = world("stage3_set_nx_px", "mutual exclusion");
  const auto renewing = [&](const std::string& after) {
    plan.stage.command = {LAB_PYTHON, LAB_SOURCE_DIR "/faults/testing/renewing_client.py",
                          "renews_after=" + after};
    const SearchPlan slow{.faults = explore::slow_fault, .during = {"work"}, .switches = 4};
    return all_of(explore::search(plan, slow, reaper));
  };
  EXPECT_EQ(renewing("1.0"), std::set<std::string>{"mutual exclusion"});
  EXPECT_EQ(renewing("0.9"), none);
}

// The process that has waited by chance would wait for another time in the next run.
TEST_F(SearchTest, ForgetsHowLongAClientPaused) {
  if (std::string_view(LAB_PYTHON).empty()) GTEST_SKIP() << "there is no Python here";
  auto plan = world("stage3_set_nx_px", "mutual exclusion");
  plan.stage.command = {LAB_PYTHON, LAB_SOURCE_DIR "/faults/testing/renewing_client.py",
                        "pauses=by_chance"};
  plan.stage.facts = faults::LockFacts{};
  const auto result =
      explore::search(plan, {.faults = explore::lose_fault, .sampled = 1, .switches = 1}, reaper);
  EXPECT_EQ(all_of(result), none);
}

// A run may end within a millisecond, since a client that lost an answer pauses by chance. The next
// run and its processes still start as a millisecond begins. A begins each run, so no pause has
// come before its acquire.
TEST_F(SearchTest, StartsAClientAsAMillisecondBegins) {
  if (std::string_view(LAB_PYTHON).empty()) GTEST_SKIP() << "there is no Python here";
  const faults::TempDir place(reaper);
  auto plan = world("stage3_set_nx_px", "mutual exclusion");
  plan.stage.command = {LAB_PYTHON, LAB_SOURCE_DIR "/faults/testing/renewing_client.py",
                        "pauses=by_chance", "notes=" + (place.path() / "notes").native()};
  plan.stage.facts = faults::LockFacts{};
  plan.fresh_clients = true;
  auto few = SearchTest::plan("lose");
  few.most_orders = 6;
  few.sampled = 1;
  few.switches = 1;
  EXPECT_EQ(explore::search(plan, few, reaper).orders(), 6);
  std::ifstream lines(place.path() / "notes");
  const std::vector<int> notes{std::istream_iterator<int>(lines), {}};
  EXPECT_THAT(notes, testing::SizeIs(testing::Gt(2 * 6)));  // with those that warm up
  EXPECT_THAT(notes, testing::Each(0));
}

// Two keys end at one moment: in which order depends on the server, and on their names.
TEST_F(SearchTest, TellsTwoEndsOfOneMomentByName) {
  if (std::string_view(LAB_PYTHON).empty()) GTEST_SKIP() << "there is no Python here";
  const faults::TempDir place(reaper);
  const std::filesystem::path python(LAB_SOURCE_DIR "/tools/learning/exercises");
  std::ofstream(place.path() / "lock.py")
      << "import importlib.util\n"
         "spec = importlib.util.spec_from_file_location('ours', '"
      << (python / "python4/solution/lock.py").native()
      << "')\n"
         "ours = importlib.util.module_from_spec(spec); spec.loader.exec_module(ours)\n"
         "CAPABILITIES = ours.CAPABILITIES\n"
         "class Lock(ours.Lock):\n"
         "    def try_acquire(self, lease_ms):\n"
         "        outcome = super().try_acquire(lease_ms)\n"
         "        if outcome == 'acquired':\n"
         "            self.server.command('SET', 'of:' + self.key, 1, 'PX', lease_ms)\n"
         "        return outcome\n";
  auto plan = world("stage3_set_nx_px", "owner-only release");
  plan.stage.command = {LAB_PYTHON, python / "python/client.py", place.path()};
  auto few = SearchTest::plan("freeze", "work");
  few.most_orders = 30;
  few.sampled = 1;
  const auto result = explore::search(plan, few, reaper);
  EXPECT_EQ(result.orders(), 30);
  EXPECT_THAT(result.found, testing::IsEmpty());
}

// Nothing can be wrong with a lock that is never held.
TEST_F(SearchTest, RefusesAClientThatGetsNoLock) {
  if (std::string_view(LAB_PYTHON).empty()) GTEST_SKIP() << "there is no Python here";
  const faults::TempDir place(reaper);
  std::ofstream(place.path() / "lock.py") << "CAPABILITIES = []\n"
                                             "class Lock:\n"
                                             "    def __init__(self, server, key): pass\n"
                                             "    def try_acquire(self, lease): return 'unknown'\n"
                                             "    def release(self): return 'not_held'\n";
  auto plan = world("stage3_set_nx_px");
  plan.stage.command = {LAB_PYTHON, LAB_SOURCE_DIR "/tools/learning/exercises/python/client.py",
                        place.path()};
  EXPECT_THAT(faults::said_by<faults::ClientFailed>(
                  [&] { (void)explore::search(plan, {.faults = explore::kill_fault}, reaper); }),
              HasSubstr("A did not get the key that clients warm up with: its acquire answered "
                        "\"unknown\"; does it reach its server?"));
}

TEST_F(SearchTest, EndsAfterSoManyOrders) {
  const auto result =
      explore::search(world("stage3_set_nx_px"), {.most_orders = 5, .sampled = 0}, reaper);
  EXPECT_EQ(result.orders(), 5);
  EXPECT_FALSE(result.is_exhausted());
}

TEST_F(SearchTest, LeavesAScheduleThatShowsIt) {
  const auto lock = world("stage2_expire");
  const auto result = explore::search(lock, plan("kill"), reaper);
  const auto text = to_text(schedule_of(result.found.at(0).labels(), lock), "why");
  EXPECT_THAT(text, testing::EndsWith("steps:\nA: begin\nA: send SETNX\nA: kill\nB: begin\n"
                                      "B: send SETNX\nB: reply SETNX\n"));
  EXPECT_THAT(explore::describe_example(result.found.at(0), {}),
              testing::AllOf(HasSubstr("A is killed"), HasSubstr("  3  A: kill\n")));
}

// A server that comes back empty, or a clock, may follow a client's fault, and the reverse.
class PairTest : public SearchTest {
 protected:
  // The events after these steps, by label, as a search with those faults sees them.
  std::vector<std::string> behind(const std::vector<std::string>& labels, const std::string& faults,
                                  const std::string& during = "") {
    explore::Controller controller(world("stage4_lua_release"), reaper);
    explore::RunRecorder recorder(controller);
    recorder.follow({.lock = "stage4_lua_release", .steps = explore::steps_from(labels)});
    std::vector<std::string> next;
    const explore::Rules rules{.faults = explore::faults_from(faults),
                               .during = explore::operations_from(during)};
    for (const auto& event : controller.events(rules)) {
      next.push_back(event.label);
    }
    controller.end();
    return next;
  }
};

TEST_F(PairTest, FollowTheSameStep) {
  const std::vector<std::string> acquired{"A: begin", "A: send SET", "A: reply SET"};
  const auto with = [&](const std::string& fault) {
    auto labels = acquired;
    labels.push_back(fault);
    return behind(labels, "kill,freeze,amnesia");
  };
  EXPECT_THAT(with("A: freeze"), testing::Contains("redis: comes back empty"));
  EXPECT_THAT(with("redis: comes back empty"), testing::Contains("A: freeze"));
  // To kill it then is the same as to kill it before.
  EXPECT_THAT(with("A: kill"), testing::Contains("redis: comes back empty"));
  EXPECT_THAT(with("redis: comes back empty"), testing::Not(testing::Contains("A: kill")));
}

// A fault of a server may follow a death within the work; what comes later is not within it.
TEST_F(PairTest, EndWithTheStepOfADeadClient) {
  std::vector<std::string> steps{"A: begin", "A: send SET", "A: reply SET", "A: kill"};
  EXPECT_THAT(behind(steps, "kill,amnesia", "work"), testing::Contains("redis: comes back empty"));
  steps.insert(steps.end(), {"B: begin", "B: send SET"});
  EXPECT_THAT(behind(steps, "kill,amnesia", "work"),
              testing::Not(testing::Contains("redis: comes back empty")));
  EXPECT_THAT(behind(steps, "kill,amnesia", "acquire"),
              testing::Contains("redis: comes back empty"));
}

// Neither a reply nor the end of a connection reaches a client that is cut off.
TEST_F(PairTest, HideFromACutOffClientThatItsServerDied) {
  explore::Controller controller(world("stage4_lua_release"), reaper);
  explore::RunRecorder recorder(controller);
  auto steps = worked({"SET"}, {"READ", "BEGIN"});
  steps.insert(steps.end(),
               {"A: cut off", "redis: comes back empty", "A: send WRITE", "A: reply WRITE"});
  recorder.follow({.lock = "stage4_lua_release", .steps = explore::steps_from(steps)});
  const auto knows_that_it_lost_an_answer = [&] {
    const auto& record = controller.record();
    return std::any_of(record.begin(), record.end(), [](const auto& event) {
      return event.kind == faults::Kind::answer && event.data.value("outcome", "") == "unknown";
    });
  };
  EXPECT_FALSE(knows_that_it_lost_an_answer());
  ASSERT_TRUE(recorder.choose_labelled("A: mend"));
  EXPECT_TRUE(knows_that_it_lost_an_answer());
  controller.end();
}

// Its work outlives the lease, and its renewal does not arrive: each alone breaks nothing.
TEST_F(PairTest, BreakWhatOneDoesNot) {
  auto second = plan("cut");
  second.switches = 1;
  second.after = worked({"SET"}, {"READ", "BEGIN"});
  const std::string mutual_exclusion = "mutual exclusion";
  EXPECT_EQ(broken("stage5_watchdog", second, mutual_exclusion), none);
  second.after.emplace_back("A: slow send WRITE");
  EXPECT_EQ(broken("stage5_watchdog", second, mutual_exclusion),
            std::set<std::string>{mutual_exclusion});
}

TEST_F(PairTest, HaveEachKindOnce) {
  auto pair = plan("kill,lose", "release");
  pair.at_most = 2;
  const auto any = search("stage4_lua_release", pair);
  pair.once_each = true;
  const auto one_of_each = search("stage4_lua_release", pair);
  EXPECT_EQ(one_of_each.levels.at(1).orders, any.levels.at(1).orders);
  EXPECT_LT(one_of_each.levels.at(2).orders, any.levels.at(2).orders);
  pair.faults = explore::lose_fault;
  EXPECT_EQ(search("stage4_lua_release", pair).levels.at(2).orders, 0);
}

class LongPairTest : public PairTest {};

TEST_F(LongPairTest, BreakWhatOneDoesNot) {
  auto pair = plan("slow,cut", "work");
  pair.at_most = 2;
  pair.once_each = true;
  pair.switches = 2;
  pair.after = worked({"SET"}, {"READ", "BEGIN"});
  const auto result = search("stage5_watchdog", pair, "mutual exclusion");
  ASSERT_EQ(all_of(result), std::set<std::string>{"mutual exclusion"});
  EXPECT_EQ(result.found.at(0).faults, 2);
}

TEST_F(SearchTest, FindsTheLateReleaseOfACutOffClient) {
  auto cut = plan("cut", "release");
  cut.switches = 2;
  const auto result = search("stage3_set_nx_px", cut, "owner-only release");
  ASSERT_EQ(all_of(result), std::set<std::string>{"owner-only release"});
  EXPECT_THAT(result.found.at(0).run.labels,
              testing::IsSupersetOf({"A: cut off", "B: reply SET", "A: mend", "A: send DEL"}));
  EXPECT_EQ(broken("stage4_lua_release", cut), none);
}

// Its clients live on from run to run, and learn which scripts a server has. No run may
// depend on that.
TEST_F(SearchTest, ForgetsOnAQuorumWhatARunTaught) {
  auto three = world("stage8_fencing");
  three.stage.nodes = 3;
  auto twice = plan("lose");
  twice.switches = 1;
  twice.sampled = 1;
  EXPECT_EQ(all_of(explore::search(three, twice, reaper)), none);
}

class WaitingTest : public SearchTest {
 protected:
  SearchResult search_waiting(const std::string& lock, const std::string& faults) {
    auto waiting = world(lock);
    waiting.program = explore::program_named("waiting");
    auto twice = plan(faults);
    twice.sampled = 1;  // a waiter pauses for a time at random
    return explore::search(waiting, twice, reaper);
  }
};

TEST_F(WaitingTest, GetsTheLockBehindAnother) {
  auto waiting = world("stage4_lua_release");
  waiting.program = explore::program_named("waiting");
  explore::Controller controller(waiting, reaper);
  const auto run = explore::replay(
      controller, {.lock = "stage4_lua_release",
                   .steps = explore::steps_from({"A: begin", "A: send SET", "A: reply SET",
                                                 "B: begin", "B: send SET", "B: reply SET"})});
  EXPECT_FALSE(run.is_violated());
  EXPECT_EQ(run.labels.back(), "B: reply release.lua");
}

TEST_F(WaitingTest, IsTheSameEachTime) {
  EXPECT_EQ(all_of(search_waiting("stage4_lua_release", "lose")), none);
  EXPECT_EQ(all_of(search_waiting("stage6_reentrant", "")), none);
}

// A lease that ends by itself does so at a whole millisecond, a waiter's pause within one.
TEST_F(WaitingTest, EndsLeasesAtTheSameMoment) {
  EXPECT_EQ(all_of(search_waiting("stage3_set_nx_px", "kill")), none);
}

// A frozen holder's late write goes through on a quorum, and not to a store that checks tokens.
TEST_F(LongSearchTest, FindsTheLateWriteOfStage7) {
  auto switched = plan("freeze", "work");
  switched.switches = 1;
  switched.workers = 2;
  EXPECT_THAT(broken("stage7_redlock", switched), testing::Contains("mutual exclusion"));
  EXPECT_EQ(broken("stage8_fencing", switched), none);
}

TEST_F(SearchTest, LimitsTheSwitches) {
  const auto with = [&](int most) {
    auto switched = plan("freeze", "release");
    switched.switches = most;
    return search("stage3_set_nx_px", switched, "owner-only release");
  };
  EXPECT_EQ(all_of(with(1)), none);
  const auto two = with(2);
  EXPECT_EQ(all_of(two), std::set<std::string>{"owner-only release"});
  auto all = plan("freeze", "release");
  all.sleeps = false;
  EXPECT_LT(two.orders(), search("stage3_set_nx_px", all).orders());
}

TEST_F(SearchTest, GivesTheSameNumbersTwice) {
  const auto counts = [&] {
    const auto result = search("stage3_set_nx_px", plan("kill,lose"));
    return std::vector{result.orders(), result.runs, result.steps};
  };
  EXPECT_EQ(counts(), counts());
}

TEST_F(SearchTest, FindsTheSameWithSeveralWorkers) {
  const auto found = [&](int workers) {
    auto shared = plan("freeze", "release");
    shared.workers = workers;
    const auto result = search("stage3_set_nx_px", shared);
    auto all = result.found.at(0).run.labels;
    for (const auto count : {result.orders(), result.runs, result.steps}) {
      all.push_back(std::to_string(count));
    }
    return all;
  };
  EXPECT_EQ(found(1), found(3));
}

TEST_F(SearchTest, BeginsBehindGivenSteps) {
  auto late = plan("freeze", "release");
  late.after = worked({"SET"});
  const auto result = search("stage3_set_nx_px", late, "owner-only release");
  EXPECT_EQ(all_of(result), std::set<std::string>{"owner-only release"});
  EXPECT_EQ(result.found.at(0).run.labels.at(8), "A: reply WRITE");
  EXPECT_LT(result.orders(), search("stage3_set_nx_px", plan("freeze", "release")).orders());
}

TEST_F(SearchTest, StopsWhenItsBudgetIsSpent) {
  auto hasty = plan("freeze");
  hasty.budget = std::chrono::milliseconds(0);
  const auto result = search("stage5_watchdog", hasty);
  EXPECT_FALSE(result.is_exhausted());
  EXPECT_TRUE(result.found.empty());
}

// The same properties are broken without the reduction: on every order there is.
class ReductionTest : public SearchTest {
 protected:
  void is_harmless(const std::string& lock, SearchPlan plan, const std::string& judged = "") {
    const auto reduced = search(lock, plan, judged);
    plan.reduced = false;
    const auto all = search(lock, plan, judged);
    EXPECT_EQ(all_of(all), all_of(reduced)) << lock;
    EXPECT_GT(all.orders(), reduced.orders()) << lock;
  }
  void is_harmless_in_release(const std::string& lock, const std::vector<std::string>& acquire) {
    auto from_release_on = plan("freeze,kill,lose", "release");
    from_release_on.after = worked(acquire);
    is_harmless(lock, from_release_on);
  }
};

TEST_F(ReductionTest, KeepsWhatOrdersAloneBreak) {
  is_harmless("stage1_setnx", plan(""));
}

TEST_F(ReductionTest, KeepsWhatAClockBreaks) {
  auto late = plan("clock", "release");
  late.after = worked({"SET"});
  is_harmless("stage4_lua_release", late);
}

class SleepTest : public SearchTest {
 protected:
  // It leaves something out, and the same is broken in as many steps.
  void is_harmless(const std::string& lock, SearchPlan plan, int nodes = 1) {
    auto its_world = world(lock);
    its_world.stage.nodes = nodes;
    const auto with = explore::search(its_world, plan, reaper);
    plan.sleeps = false;
    const auto without = explore::search(its_world, plan, reaper);
    EXPECT_EQ(all_of(without), all_of(with)) << lock;
    EXPECT_GT(without.orders(), with.orders()) << lock;
    for (const auto& example : without.found) {
      const auto same = std::find_if(with.found.begin(), with.found.end(), [&](const auto& other) {
        return other.finding.property == example.finding.property;
      });
      EXPECT_EQ(example.steps, same->steps) << lock;
    }
  }
};

TEST_F(SleepTest, KeepsWhatAFreezeInReleaseBreaks) {
  is_harmless("stage3_set_nx_px", plan("freeze,kill", "release"));
}

// Measured, and not assumed: exchanges events that are said to commute, in runs at random.
class CommuteTest : public SearchTest {
 protected:
  // Each process's part of a run, and what is broken.
  static std::map<std::string, std::string> parts_of(const explore::Run& run) {
    std::istringstream lines(explore::fingerprint(run));
    std::map<std::string, std::string> parts;
    std::string line;
    for (std::size_t i = 0; i < run.labels.size(); ++i) std::getline(lines, line);
    while (std::getline(lines, line)) {
      std::istringstream words(line);
      std::string time;
      std::string process;
      words >> time >> process;
      parts[process] += line + "\n";
    }
    return parts;
  }
  static std::vector<explore::Event> thrown(explore::Controller& controller, unsigned seed) {
    std::mt19937 dice(seed);
    explore::RunRecorder recorder(controller);
    std::vector<explore::Event> chosen;
    for (bool faulty = false;;) {
      const auto events = controller.events(
          {.faults = faulty ? 0 : explore::faults_from("freeze,kill,lose,slow,cut"),
           .reduced = false});
      if (events.empty()) break;
      chosen.push_back(events[dice() % events.size()]);
      faulty = faulty || is_fault(chosen.back().kind);
      recorder.choose(chosen.back());
    }
    controller.end();
    return chosen;
  }
  // Returns how many pairs of that run were exchanged, each alone.
  static int exchange(explore::Controller& controller, const std::vector<explore::Event>& events) {
    std::vector<std::string> labels;
    for (const auto& event : events) labels.push_back(event.label);
    const auto parts = [&] {
      return parts_of(explore::replay(controller, {.steps = explore::steps_from(labels)}));
    };
    const auto before = parts();
    int pairs = 0;
    for (std::size_t i = 0; i + 1 < events.size(); ++i) {
      if (!explore::commute(events[i], events[i + 1])) continue;
      std::swap(labels[i], labels[i + 1]);
      EXPECT_EQ(parts(), before) << labels[i] << ", and then " << labels[i + 1];
      std::swap(labels[i], labels[i + 1]);
      ++pairs;
    }
    return pairs;
  }
  // The same of several runs.
  int exchange(const std::string& lock, int nodes, unsigned runs) {
    auto its_world = world(lock);
    its_world.stage.nodes = nodes;
    explore::Controller controller(its_world, reaper);
    int pairs = 0;
    for (unsigned seed = 0; seed < runs; ++seed) {
      pairs += exchange(controller, thrown(controller, seed));
    }
    return pairs;
  }
};

TEST_F(CommuteTest, LeadsToTheSamePlace) {
  EXPECT_GT(exchange("stage3_set_nx_px", 1, 20), 5);
  EXPECT_GT(exchange("stage6_reentrant", 1, 20), 5);
  EXPECT_GT(exchange("stage7_redlock", 3, 2), 2);
}

class LongCommuteTest : public CommuteTest {};

TEST_F(LongCommuteTest, LeadsToTheSamePlace) {
  for (const auto* lock : {"stage1_setnx", "stage2_expire", "stage3_set_nx_px",
                           "stage4_lua_release", "stage5_watchdog", "stage6_reentrant"}) {
    EXPECT_GT(exchange(lock, 1, 200), 100) << lock;
  }
  for (const auto* lock : {"stage7_redlock", "stage8_fencing"}) {
    EXPECT_GT(exchange(lock, 3, 20), 50) << lock;
  }
}

class LongSleepTest : public SleepTest {};

TEST_F(LongSleepTest, KeepsWhatAFaultBreaksOnOneServer) {
  for (const auto* lock : {"stage1_setnx", "stage2_expire", "stage3_set_nx_px",
                           "stage4_lua_release", "stage5_watchdog", "stage6_reentrant",
                           "stage6_reentrant/counts_up", "stage6_reentrant/bare_thread_id"}) {
    is_harmless(lock, plan("freeze,kill,lose,slow"));
  }
}

TEST_F(LongSleepTest, KeepsWhatAFaultBreaksOnThreeServers) {
  auto in_order = plan("kill", "acquire");
  in_order.in_order = true;
  in_order.workers = 2;
  is_harmless("stage7_redlock", in_order, 3);
}

// After given steps a fault of any client may come immediately.
TEST_F(SearchTest, BeginsWithAFaultBehindGivenSteps) {
  auto late = plan("clock");
  late.after = worked({"SET"}, {"READ", "BEGIN"});
  const auto result = search("stage4_lua_release", late, "mutual exclusion");
  ASSERT_FALSE(result.found.empty());
  EXPECT_EQ(result.found.at(0).run.labels.at(7), "redis: clock jumps");
}

// The search begins after a step of B, and both faults are of A.
TEST_F(ReductionTest, KeepsAPairBehindTheStepOfAnother) {
  auto late = plan("kill,cut");
  late.at_most = 2;
  late.after = worked({"SET"});
  late.after.insert(late.after.end(), {"B: begin", "B: freeze"});
  late.prefix = {"A: cut off", "A: kill"};
  is_harmless("stage4_lua_release", late);
}

TEST_F(ReductionTest, KeepsWhatOrdersOfAWrongTurnBreak) {
  auto late = plan("");
  late.after = worked({"acquire.lua"}, {"READ", "BEGIN"});
  late.after.insert(late.after.end(), {"B: begin", "B: send acquire.lua", "B: reply acquire.lua"});
  is_harmless("stage6_reentrant/bare_thread_id", late);
}

class LongReductionTest : public ReductionTest {};

TEST_F(LongReductionTest, KeepsWhatAFaultInReleaseBreaks) {
  is_harmless_in_release("stage1_setnx", {"SETNX"});
  is_harmless_in_release("stage2_expire", {"SETNX", "PEXPIRE"});
  is_harmless_in_release("stage3_set_nx_px", {"SET"});
  is_harmless_in_release("stage4_lua_release", {"SET"});
}

TEST_F(LongReductionTest, KeepsWhatAFailOverBreaks) {
  auto late = plan("failover", "release");
  late.after = worked({"SET"});
  is_harmless("stage4_lua_release", late);
}

// All but truthful outcomes: those a fail-over breaks alone, and then no pair is searched.
TEST_F(LongReductionTest, KeepsWhatTwoFaultsInReleaseBreak) {
  for (const auto* pair : {"freeze,failover", "freeze,amnesia", "kill,amnesia", "cut,lose"}) {
    auto late = plan(pair, "release");
    late.at_most = 2;
    late.once_each = true;
    late.switches = 1;
    late.after = worked({"SET"});
    is_harmless("stage4_lua_release", late,
                "mutual exclusion,owner-only release,owner-only renewal");
  }
}

// A's work is slow, and one of them is cut off meanwhile: neither breaks stage 5 alone.
TEST_F(LongReductionTest, KeepsWhatOnlyTwoFaultsBreak) {
  auto pair = plan("slow,cut", "work");
  pair.at_most = 2;
  pair.once_each = true;
  pair.switches = 2;
  pair.prefix = worked({"SET"}, {"READ", "BEGIN"});
  pair.prefix.emplace_back("A: slow send WRITE");
  is_harmless("stage5_watchdog", pair, "mutual exclusion");
}

TEST_F(LongReductionTest, KeepsWhatACutBreaks) {
  auto late = plan("cut", "release");
  late.after = worked({"SET"});
  is_harmless("stage3_set_nx_px", late);
}

TEST_F(LongReductionTest, KeepsWhatAFaultInAcquireBreaks) {
  for (const auto* lock : {"stage1_setnx", "stage2_expire", "stage3_set_nx_px"}) {
    is_harmless(lock, plan("kill,lose", "acquire"));
  }
}

class ReplayTest : public SearchTest {
 protected:
  explore::Run replay(const std::string& lock, const std::vector<std::string>& labels) {
    explore::Controller controller(world(lock), reaper);
    return explore::replay(controller, {.lock = lock, .steps = explore::steps_from(labels)});
  }

  const std::vector<std::string> late_del{
      "A: begin",       "A: send SET",   "A: reply SET",   "A: send READ",
      "A: reply READ",  "A: send BEGIN", "A: reply BEGIN", "A: send WRITE",
      "A: reply WRITE", "A: send GET",   "A: freeze",      "time: to the end of the lease",
      "B: begin",       "B: send SET",   "B: reply SET",   "A: thaw",
      "A: reply GET",   "A: send DEL"};
};

TEST_F(ReplayTest, BreaksTheSamePropertyAgain) {
  const auto run = replay("stage3_set_nx_px", late_del);
  ASSERT_TRUE(run.is_violated());
  EXPECT_EQ(run.judgement.findings.at(0).property, Property::owner_only_release);
}

TEST_F(ReplayTest, IsTheSameEachTime) {
  explore::Controller controller(world("stage3_set_nx_px"), reaper);
  const explore::Schedule schedule{.lock = "stage3_set_nx_px",
                                   .steps = explore::steps_from(late_del)};
  const auto first = explore::fingerprint(explore::replay(controller, schedule));
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(explore::fingerprint(explore::replay(controller, schedule)), first);
  }
}

// The names of all its keys have the number of the run, and the history has not.
TEST_F(ReplayTest, KnowsEveryKeyOfTheLockAgain) {
  explore::Controller controller(world("stage8_fencing"), reaper);
  const auto replayed = [&] {
    return explore::fingerprint(
        explore::replay(controller, {.lock = "stage8_fencing", .steps = {}}));
  };
  const auto first = replayed();
  EXPECT_THAT(first, HasSubstr("\"lock:fencing\""));
  EXPECT_EQ(first, replayed());
}

// Its clients lose patience with a server before the run ends; on one server they never do.
TEST_F(ReplayTest, TriesNoReleaseInVainWhileCutOff) {
  explore::Controller controller(world("stage7_redlock"), reaper);
  explore::RunRecorder recorder(controller);
  recorder.follow({.lock = "stage7_redlock",
                   .steps = explore::steps_from(
                       {"A: begin", "A: send acquire.lua to node1", "A: reply acquire.lua to node1",
                        "A: send acquire.lua to node2", "A: reply acquire.lua to node2",
                        "A: send acquire.lua to node3", "A: reply acquire.lua to node3",
                        "A: send READ", "A: reply READ", "A: send BEGIN", "A: reply BEGIN",
                        "A: send WRITE", "A: reply WRITE", "A: cut off"})});
  const auto time_goes_on = [&] {
    for (const auto& event : controller.events({})) {
      if (event.kind != explore::EventKind::advance) continue;
      recorder.choose(event);
      return true;
    }
    return false;
  };
  constexpr int most_moments = 20;
  int moments = 0;
  while (moments < most_moments && time_goes_on()) ++moments;
  EXPECT_LT(moments, most_moments);
  ASSERT_TRUE(recorder.choose_labelled("A: mend"));
  EXPECT_FALSE(recorder.run_to_end().is_violated());
}

// A replica lacks a change only if there was one since the server came back.
TEST_F(ReplayTest, FailsOverOnlyBehindAChange) {
  explore::Controller controller(world("stage4_lua_release"), reaper);
  explore::RunRecorder recorder(controller);
  recorder.follow({.lock = "stage4_lua_release",
                   .steps = explore::steps_from(
                       {"A: begin", "A: send SET", "A: reply SET", "redis: comes back empty"})});
  EXPECT_FALSE(recorder.choose_labelled("redis: fails over"));
  controller.end();
}

TEST_F(ReplayTest, SaysWhichStepDoesNotFit) {
  EXPECT_THAT(
      faults::said_by<faults::CannotRun>([&] { (void)replay("stage4_lua_release", late_del); }),
      testing::AllOf(HasSubstr("step 10 does not fit: \"A: send GET\" cannot happen here"),
                     HasSubstr("A: send release.lua")));
}

TEST_F(ReplayTest, RunsToItsEndByItself) {
  const auto run = replay("stage5_watchdog", {"A: begin"});
  EXPECT_FALSE(run.is_violated());
  EXPECT_EQ(run.labels.back(), "B: reply release.lua");
}

}  // namespace

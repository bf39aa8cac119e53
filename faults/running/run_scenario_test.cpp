#include "faults/running/run_scenario.h"

#include <atomic>
#include <fstream>

#include "faults/running/boundaries.h"
#include "faults/running/kept_run.h"
#include "faults/running/result_text.h"
#include "faults/testing/kit_test.h"
#include "faults/world/world.h"

namespace faults {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

Execution execution_of(Verdict verdict, const std::string& boundary = {},
                       std::vector<Property> broken = {}) {
  Execution result{.boundary = boundary, .judgement = {.verdict = verdict}, .history = {}};
  for (const auto property : broken) result.judgement.findings.push_back({.property = property});
  if (verdict == Verdict::not_exercised) result.judgement.why = "nothing happened";
  return result;
}

Result result_of(std::vector<Execution> executions, int commands = 0) {
  return {.stage = "plain",
          .scenario = "frozen_mid_release",
          .directory = {},
          .executions = std::move(executions),
          .commands = commands};
}

// A lock that is declared to break at "b" in one way, and to send two commands.
TestedLock declared() {
  return {.name = "plain",
          .commands_on_the_wire = {{"acquire", 1}, {"release", 2}},
          .declared = {{"frozen_mid_release",
                        {.claim = "Release.Breaks",
                         .broken = {Property::liveness, Property::mutual_exclusion},
                         .boundaries = {"b"}}}}};
}

Result as_declared() {
  return result_of(
      {execution_of(Verdict::holds, "a"),
       execution_of(Verdict::violated, "b", {Property::mutual_exclusion, Property::liveness})},
      2);
}

std::string difference(const Result& result) {
  return difference_from_declared(declared(), result);
}

TEST(Result, TheWorstExecutionIsTheVerdict) {
  const auto holds = execution_of(Verdict::holds);
  const auto not_exercised = execution_of(Verdict::not_exercised);
  const auto inconclusive = execution_of(Verdict::inconclusive);
  const auto violated = execution_of(Verdict::violated);
  EXPECT_EQ(result_of({holds, holds}).verdict(), Verdict::holds);
  EXPECT_EQ(result_of({holds, not_exercised, holds}).verdict(), Verdict::not_exercised);
  EXPECT_EQ(result_of({not_exercised, inconclusive}).verdict(), Verdict::inconclusive);
  EXPECT_EQ(result_of({inconclusive, violated, holds}).verdict(), Verdict::violated);
}

TEST(Result, WithoutAnExecutionIsNotExercised) {
  EXPECT_EQ(result_of({}).verdict(), Verdict::not_exercised);
}

TEST(Result, ShowsTheFirstExecutionWithTheVerdict) {
  const auto result =
      result_of({execution_of(Verdict::holds, "a"), execution_of(Verdict::violated, "b"),
                 execution_of(Verdict::violated, "c")});
  EXPECT_EQ(result.shown().boundary, "b");
  EXPECT_THAT(result.broken_at(), ElementsAre("b", "c"));
}

TEST(Result, NamesEveryBrokenPropertyOnce) {
  using enum Property;
  const auto result =
      result_of({execution_of(Verdict::violated, "a", {liveness, liveness}),
                 execution_of(Verdict::violated, "b", {mutual_exclusion, liveness})});
  EXPECT_THAT(result.broken(), ElementsAre(liveness, mutual_exclusion));
}

TEST(Declared, AResultAsDeclaredDoesNotDiffer) {
  EXPECT_EQ(difference(as_declared()), "");
}

TEST(Declared, AScenarioOfWhichNothingIsDeclaredDiffers) {
  auto result = as_declared();
  result.scenario = "killed_holder";
  EXPECT_EQ(difference(result), "plain/declared.json says nothing about killed_holder");
}

TEST(Declared, AnExecutionNotExercisedDiffers) {
  auto result = as_declared();
  result.executions.push_back(execution_of(Verdict::not_exercised, "c"));
  EXPECT_EQ(difference(result), "not exercised at c: nothing happened");
  result.executions.back().judgement.verdict = Verdict::inconclusive;
  EXPECT_THAT(difference(result), HasSubstr("inconclusive at c"));
}

TEST(Declared, ARedThatTurnsGreenDiffers) {
  EXPECT_EQ(difference(result_of(
                {execution_of(Verdict::holds, "a"), execution_of(Verdict::holds, "b")}, 2)),
            "declared broken: [liveness, mutual exclusion]; seen broken: []");
}

TEST(Declared, ARedForAnotherReasonDiffers) {
  auto result = as_declared();
  result.executions[1].judgement.findings.pop_back();
  EXPECT_THAT(difference(result), HasSubstr("seen broken: [mutual exclusion]"));
  result.executions[1].judgement.findings.push_back({.property = Property::truthful_outcomes});
  EXPECT_THAT(difference(result), HasSubstr("seen broken: [mutual exclusion, truthful outcomes]"));
}

TEST(Declared, ARedAtAnotherBoundaryDiffers) {
  auto result = as_declared();
  result.executions[1].boundary = "c";
  EXPECT_EQ(difference(result), "declared to break at [b]; seen to break at [c]");
}

TEST(Declared, ARedAtOneBoundaryMoreDiffers) {
  auto result = as_declared();
  result.executions.push_back(execution_of(Verdict::violated, "c", {Property::liveness}));
  EXPECT_THAT(difference(result), HasSubstr("seen to break at [b; c]"));
}

TEST(Declared, AnotherNumberOfCommandsDiffers) {
  auto result = as_declared();
  result.commands = 3;
  EXPECT_THAT(difference(result), HasSubstr("release sent 3 commands"));
}

TEST(Declared, AGreenThatIsDeclaredGreenDoesNotDiffer) {
  auto stage = declared();
  stage.declared["frozen_mid_release"] = {.claim = "Release.Survives"};
  EXPECT_EQ(difference_from_declared(stage, result_of({execution_of(Verdict::holds, "a")}, 2)), "");
  EXPECT_THAT(difference_from_declared(stage, as_declared()), HasSubstr("declared broken: []"));
}

TEST(Declared, NoExecutionAtAllDiffers) {
  auto stage = declared();
  stage.declared["frozen_mid_release"] = {.claim = "Release.Survives"};
  EXPECT_NE(difference_from_declared(stage, result_of({})), "");
}

// Real runs.
class RunTest : public KitTest {
 protected:
  [[nodiscard]] Result run_with(const std::vector<std::string>& command, const Scenario& scenario) {
    stage.command = command;
    return run_scenario(stage, scenario, {.redis = find_redis(), .runs = directory.path() / "runs"},
                        reaper);
  }
  [[nodiscard]] static Scenario scenario_of(std::function<void(World&)> run,
                                            std::vector<std::string_view> needs = {}) {
    return {.name = "test",
            .sentence = "a test",
            .judged = {Property::mutual_exclusion, Property::liveness},
            .needs = std::move(needs),
            .run = std::move(run)};
  }

  const std::vector<std::string> plain{LAB_PLAIN_CLIENT};
  // Says yes to everything, and sends nothing to any server.
  const std::vector<std::string> talker{"/bin/sh", "-c", R"(n=0
    while read -r line; do
      n=$((n+1))
      case $line in
        *'"op":"acquire"'*) outcome=acquired;;
        *'"op":"release"'*) outcome=released;;
        *'"throws":true'*) outcome=abandoned;;
        *) outcome=done;;
      esac
      echo "{\"id\":$n,\"outcome\":\"$outcome\"}"
      case $line in *'"bye"'*) exit 0;; esac
    done)"};
  TestedLock stage{.name = "plain", .directory = directory.path()};
};

TEST_F(RunTest, AScenarioThatGoesWellHolds) {
  const auto result = run_with(plain, scenario_of([](World& world) {
                                 auto& a = world.client("A");
                                 world.steps.must_acquire(a);
                                 a.work();
                                 a.release();
                               }));
  EXPECT_EQ(result.verdict(), Verdict::holds) << result.shown().judgement.sentence();
}

TEST_F(RunTest, IsJudgedTheSameAgain) {
  const auto result = run_with(plain, scenario_of([](World& world) {
                                 auto& a = world.client("A");
                                 auto& b = world.client("B");
                                 world.steps.must_acquire(a);
                                 b.acquire({.must_get_in = true});
                               }));
  EXPECT_EQ(result.verdict(), Verdict::violated);
  const auto again = judge_again(result.directory);
  EXPECT_EQ(again.stage, "plain");
  EXPECT_EQ(again.scenario, "test");
  EXPECT_EQ(again.verdict(), Verdict::violated);
  EXPECT_EQ(again.shown().judgement.sentence(), result.shown().judgement.sentence());
}

TEST_F(RunTest, OneThatBrokeOffHasShownNothing) {
  const auto scenario = scenario_of([](World& world) {
    world.steps.must_acquire(world.client("A"));
    world.client("B").acquire({.must_get_in = true});
    throw CannotRun("as when it is interrupted");
  });
  EXPECT_THROW((void)run_with(plain, scenario), CannotRun);
  for (const auto& entry : std::filesystem::directory_iterator(directory.path() / "runs")) {
    const auto again = judge_again(entry.path());
    EXPECT_EQ(again.verdict(), Verdict::not_exercised);
    EXPECT_EQ(again.shown().judgement.sentence(), "this run broke off before it came to its end");
    EXPECT_THAT(describe_result(again, {}), Not(HasSubstr("violated")));
  }
}

TEST_F(RunTest, ABoundaryThatNoMessageFitsIsNotExercised) {
  const auto result = run_with(plain, scenario_of([](World& world) {
                                 auto& a = world.client("A");
                                 const auto held =
                                     a.lock_link().arm({.command = "NEVER"}, Action::hold_back);
                                 auto acquiring = a.start_acquire();
                                 must_reach(held, acquiring);
                               }));
  EXPECT_EQ(result.verdict(), Verdict::not_exercised);
  EXPECT_THAT(result.shown().judgement.sentence(), HasSubstr("of NEVER, and it never came"));
}

TEST_F(RunTest, AForgottenFaultIsNotExercised) {
  const auto result = run_with(plain, scenario_of(
                                          [](World& world) {
                                            auto& a = world.client("A");
                                            world.steps.must_acquire(a);
                                            a.release();
                                          },
                                          {fault::frozen}));
  EXPECT_EQ(result.verdict(), Verdict::not_exercised);
  EXPECT_EQ(result.shown().judgement.sentence(), "the fault did not happen: nothing was frozen");
}

TEST_F(RunTest, AStalledMachineIsInconclusiveAfterReruns) {
  const auto result = run_with(plain, scenario_of([](World&) { throw Stalled("it slept"); }));
  EXPECT_EQ(result.verdict(), Verdict::inconclusive);
  EXPECT_EQ(result.shown().reruns, 8);
  EXPECT_EQ(result.shown().judgement.sentence(), "it slept");
}

TEST_F(RunTest, RunsAgainWithLongerLeases) {
  std::vector<std::chrono::milliseconds> leases;
  const auto result =
      run_with(plain, scenario_of([&](World& world) {
                 leases.push_back(world.timing.lease());
                 if (leases.size() < 4) throw Stalled("it slept");
                 auto& a = world.client("A");
                 world.steps.must_acquire(a);
                 const auto left = world.servers.at(0).direct().command({"PTTL", "lock"}).integer();
                 EXPECT_GT(left, 2 * Timing::usual_lease.count());
                 a.release();
               }));
  EXPECT_EQ(result.verdict(), Verdict::holds);
  EXPECT_THAT(leases, ElementsAre(1 * Timing::usual_lease, 2 * Timing::usual_lease,
                                  3 * Timing::usual_lease, 3 * Timing::usual_lease));
  const auto setting = read_record(result.shown().history).front();
  EXPECT_EQ(setting.data.at("lease_ms"), 900);
}

TEST_F(RunTest, RunsInTheSlowestWorldOnASlowMachine) {
  int executions = 0;
  const auto result = run_with(plain, scenario_of([&](World& world) {
                                 ++executions;
                                 auto& a = world.client("A");
                                 const auto since = std::chrono::steady_clock::now();
                                 world.steps.must_acquire(a);
                                 a.release();
                                 world.timing.should_be_within(std::chrono::milliseconds(0), since);
                               }));
  EXPECT_EQ(result.verdict(), Verdict::holds);
  EXPECT_EQ(executions, Timing::max_slowdown);
}

bool is_free(World& world) {
  return world.servers.at(0).direct().command({"EXISTS", "lock"}).integer() == 0;
}

// A's release is held back when `and_then` is done, and never delivered.
std::function<void(World&)> with_a_release_held(std::function<void()> and_then) {
  return [and_then = std::move(and_then)](World& world) {
    auto& a = world.client("A");
    world.steps.must_acquire(a);
    const auto held = a.lock_link().arm({}, Action::hold_back);
    const auto releasing = a.start_release();
    must_reach(held, releasing);
    and_then();
  };
}

// The message is delivered at the end only, so nothing shows that its consequences took place.
TEST_F(RunTest, AMessageHeldBackToTheEndIsNotExercised) {
  const auto result = run_with(plain, scenario_of(with_a_release_held([] {})));
  EXPECT_EQ(result.verdict(), Verdict::not_exercised);
  EXPECT_EQ(result.shown().judgement.sentence(), "DEL was held back to the end");
}

TEST_F(RunTest, RunsAgainWhereTheLeaseWasTooShort) {
  const auto never_comes_there = [&](std::chrono::milliseconds lease) {
    return run_with(plain, scenario_of([lease](World& world) {
                      auto& a = world.client("A");
                      world.steps.must_acquire(a, {.lease = lease});
                      if (lease < Timing::usual_long_lease) {
                        EXPECT_TRUE(eventually([&] { return is_free(world); }));
                      }
                      (void)world.steps.freeze_at_work(a, {.command = "NEVER"});
                    }));
  };
  const auto too_short = never_comes_there(std::chrono::milliseconds(10));
  EXPECT_EQ(too_short.verdict(), Verdict::inconclusive);
  EXPECT_EQ(too_short.shown().judgement.sentence(), "A's lease was over before the fault");
  const auto long_enough = never_comes_there(Timing::usual_long_lease);
  EXPECT_EQ(long_enough.verdict(), Verdict::not_exercised);
}

// The exception is the reason, and not the message that it left no time to deliver.
TEST_F(RunTest, AnExceptionOutweighsAHeldBackMessage) {
  const auto result = run_with(
      plain, scenario_of(with_a_release_held([] { throw NotExercised("it did not come"); })));
  EXPECT_EQ(result.shown().judgement.sentence(), "it did not come");
}

TEST_F(RunTest, RunsAgainIfATimedEventDidNotCome) {
  std::atomic<int> executions = 0;
  auto scenario = scenario_of([&](World& world) {
    if (++executions < 3) throw NotExercised("it did not come");
    auto& a = world.client("A");
    world.steps.must_acquire(a);
    a.release();
  });
  EXPECT_EQ(run_with(plain, scenario).verdict(), Verdict::not_exercised);
  EXPECT_EQ(executions, 1);
  executions = 0;
  scenario.depends_on_time = true;
  const auto result = run_with(plain, scenario);
  EXPECT_EQ(result.verdict(), Verdict::holds);
  EXPECT_EQ(result.shown().reruns, 2);
}

TEST_F(RunTest, StallsDoNotUseUpTheOtherReruns) {
  std::atomic<int> executions = 0;
  auto scenario = scenario_of([&](World& world) {
    const int now = ++executions;
    if (now < 4) throw Stalled("it slept");
    if (now < 6) throw NotExercised("it did not come");
    auto& a = world.client("A");
    world.steps.must_acquire(a);
    a.release();
  });
  scenario.depends_on_time = true;
  EXPECT_EQ(run_with(plain, scenario).verdict(), Verdict::holds);
}

class EveryScenario : public RunTest, public testing::WithParamInterface<std::string> {};

TEST_P(EveryScenario, IsNotExercisedByAClientThatOnlyTalks) {
  const auto result = run_with(talker, *find_scenario(GetParam()));
  EXPECT_EQ(result.verdict(), Verdict::not_exercised);
  EXPECT_FALSE(result.shown().judgement.sentence().empty());
  EXPECT_THAT(describe_result(result, {}), HasSubstr("not exercised"));
}

std::vector<std::string> scenario_names() {
  std::vector<std::string> names;
  for (const auto& scenario : all_scenarios()) names.push_back(scenario.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Scenarios, EveryScenario, testing::ValuesIn(scenario_names()),
                         [](const auto& each) { return each.param; });

// Other people's locks (testing/foreign_client.py).
class ForeignRun : public RunTest {
 protected:
  [[nodiscard]] Result run_foreign(const Scenario& scenario,
                                   const std::vector<std::string>& options = {}) {
    std::vector<std::string> command{"/usr/bin/python3", LAB_FOREIGN_CLIENT};
    command.insert(command.end(), options.begin(), options.end());
    stage.facts = LockFacts{.capabilities = {"lease", "token", "atomic_release"}, .key = "%s"};
    return run_with(command, scenario);
  }
  [[nodiscard]] Result run_foreign(const std::string& scenario,
                                   const std::vector<std::string>& options = {}) {
    return run_foreign(*find_scenario(scenario), options);
  }
};

TEST_F(ForeignRun, IsAskedAgainWhereItGivesUpBeforeItsTime) {
  const auto result = run_foreign("frozen_holder", {"wrong=impatient"});
  EXPECT_EQ(result.verdict(), Verdict::violated) << describe_result(result, {});
}

TEST_F(ForeignRun, ShowsNothingWhereNoLeaseRunsOut) {
  const auto result = run_foreign("overrun_release", {"renews=always"});
  EXPECT_EQ(result.verdict(), Verdict::not_exercised) << describe_result(result, {});
  EXPECT_THAT(result.shown().judgement.why, HasSubstr("did not get in: no lease ran out"));
}

TEST_F(ForeignRun, WaitsOnceItHasAskedForTheLastTime) {
  const auto result = run_foreign("lost_word", {"waits=for_word"});
  EXPECT_EQ(result.verdict(), Verdict::violated) << describe_result(result, {});
  EXPECT_THAT(result.broken(), ElementsAre(Property::liveness));
}

// If its outcome is soon unknown, the last call decides.
TEST_F(ForeignRun, IsAskedAgainWhereItDoesNotKnow) {
  const auto scenario = scenario_of([](World& world) {
    auto& a = world.client("A");
    world.steps.must_acquire(a);
    a.release();
    world.steps.must_get_turn(world.client("B"));
  });
  const auto once = run_foreign(scenario, {"unknown_tries=1"});
  EXPECT_EQ(once.verdict(), Verdict::holds) << describe_result(once, {});
  const auto always = run_foreign(scenario, {"unknown_tries=1000000"});
  EXPECT_THAT(always.broken(), ElementsAre(Property::liveness)) << describe_result(always, {});
}

// It asks, works for a while, and asks again; then it waits.
TEST_F(ForeignRun, HasBegunToWaitWhenItIsAtRest) {
  const auto result = run_foreign(
      scenario_of([](World& world) {
        auto& a = world.client("A");
        auto& b = world.client("B");
        world.steps.must_acquire(a, {.lease = Timing::usual_long_lease});
        auto waiting = world.steps.start_waiting(b, {.wait = 2 * world.timing.wait_limit()});
        a.release();
        (void)waiting.wait();
      }),
      {"waits=for_word"});
  int asked = 0;
  for (const auto& event : read_record(result.shown().history)) {
    const bool is_call = event.kind == Kind::call && event.text("key") == lock_key;
    if (is_call && event.process == "A" && event.text("op") == "release") break;
    if (is_call && event.process == "B") asked = 0;
    if (event.is(Kind::command, "B") && event.text("text").starts_with("EVAL")) ++asked;
  }
  EXPECT_EQ(asked, 2) << describe_result(result, {});
}

// It does not wait, whatever it is asked for.
TEST_F(ForeignRun, WaitsNotIfItHasGivenUp) {
  const auto result = run_foreign("waiter_clock_jump", {"retry_ms=1000000"});
  EXPECT_EQ(result.verdict(), Verdict::not_exercised) << describe_result(result, {});
  EXPECT_THAT(result.shown().judgement.why, HasSubstr("B gave up before it was seen to wait"));
}

TEST_F(ForeignRun, IsNotJudgedByANoticeThatItDoesNotPromise) {
  auto scenario = scenario_of([](World& world) {
    auto& a = world.client("A");
    world.steps.must_acquire(a, {.lease = Timing::usual_long_lease});
    a.release();
  });
  scenario.judged = {Property::mutual_exclusion, Property::holder_was_told};
  const auto result = run_foreign(scenario);
  const auto record = read_record(result.shown().history);
  EXPECT_EQ(record.front().data.at("judged"), json({"mutual exclusion"}));
}

TEST_F(ForeignRun, IsGivenTimeToHearThatItIsToStop) {
  const auto result = run_foreign("graceful_stop", {"wrong=hears_late"});
  EXPECT_EQ(result.verdict(), Verdict::holds) << describe_result(result, {});
  const auto record = read_record(result.shown().history);
  EXPECT_TRUE(std::none_of(record.begin(), record.end(), [](const Event& event) {
    return event.is(Kind::storage, "A") && event.text("what") == "write";
  })) << describe_result(result, {});
}

TEST_F(ForeignRun, HasAClockThatJumpsIfItsProgramReadsOne) {
  EXPECT_EQ(run_foreign("waiter_clock_jump").verdict(), Verdict::holds);
}

TEST_F(RunTest, AProgramThatReadsNoClockHasNoneThatJumps) {
  const auto result =
      run_with(talker, scenario_of([](World& world) {
                 world.clients.give_wall_clocks();
                 world.clients.step_wall_clock(world.client("A"), std::chrono::hours(1));
               }));
  EXPECT_THAT(result.shown().judgement.why, HasSubstr("does not read the clock that is to jump"));
}

TEST_F(RunTest, SaysWhetherTheKeyWasGivenOrNotGivenBack) {
  const auto why_if_refused = [this](const std::string& client) {
    auto refused = talker;
    auto& script = refused.back();
    const std::string yes = "outcome=acquired";
    script.replace(script.find(yes), yes.size(),
                   "outcome=acquired; [ $LOCK_CLIENT = " + client + " ] && outcome=contended");
    const auto result = run_with(refused, *find_scenario("same_thread_id"));
    return result.shown().judgement.why;
  };
  EXPECT_THAT(why_if_refused("A"), AllOf(HasSubstr("A did not get"), HasSubstr("nobody was ever"),
                                         Not(HasSubstr("did not give it back"))));
  EXPECT_THAT(why_if_refused("B"),
              AllOf(HasSubstr("B did not get"), HasSubstr("did not give it back")));
}

// Commands that were sent one after the other.
std::vector<SeenCommand> sent(const std::vector<std::string>& labels) {
  std::vector<SeenCommand> commands;
  for (const auto& label : labels) commands.push_back({.name = label, .label = label});
  return commands;
}

std::vector<std::string> names_of(const std::vector<SweepBoundary>& boundaries) {
  std::vector<std::string> names;
  for (const auto& boundary : boundaries) names.push_back(boundary.name);
  return names;
}

TEST(SweepBoundaries, AreCountedFromWhereTheFaultIsArmed) {
  const Sweep sweep{.operation = "release", .directions = {Direction::command}};
  const auto boundaries = boundaries_of(
      sweep, {.commands = sent({"GET", "DEL"}), .before = sent({"GET", "SET", "GET"})});
  ASSERT_EQ(boundaries.size(), 2U);
  EXPECT_EQ(boundaries[0].command, "GET");
  EXPECT_EQ(boundaries[0].nth, 3);
  EXPECT_EQ(boundaries[1].command, "DEL");
  EXPECT_EQ(boundaries[1].nth, 1);
}

TEST(SweepBoundaries, HaveNamesOfTheirOwn) {
  const Sweep sweep{.operation = "release", .directions = {Direction::reply}};
  const UndisturbedOperation twice{.commands = sent({"DEL", "DEL"})};
  EXPECT_THAT(names_of(boundaries_of(sweep, twice)),
              ElementsAre("release, after DEL was answered, before DEL (2) was sent",
                          "release, after DEL (2) was applied, before its answer arrived"));
}

TEST(SweepBoundaries, DoNotSayThatAnAnswerIsAwaitedIfItIsNot) {
  const Sweep sweep{.operation = "release", .directions = {Direction::reply}};
  auto commands = sent({"DEL", "PUBLISH"});
  commands[1].follows_an_answer = false;
  const auto boundaries = boundaries_of(sweep, {.commands = commands});
  EXPECT_THAT(names_of(boundaries),
              ElementsAre("release, after DEL was applied, before its answer arrived",
                          "release, after PUBLISH was applied, before its answer arrived"));
  EXPECT_FALSE(boundaries[0].more_follows);
}

TEST(SweepBoundaries, NameAScriptByItsFile) {
  const Sweep sweep{.operation = "release", .directions = {Direction::command}};
  EXPECT_THAT(names_of(boundaries_of(sweep, {.commands = sent({"script 1", "script 2"})},
                                     {{"script 1", "release.lua"}})),
              ElementsAre("release, after release.lua was sent, before it was applied",
                          "release, after script 2 was sent, before it was applied"));
}

TEST(SweepBoundaries, AreNotAtAScriptThatTheServerDidNotKnow) {
  const Sweep sweep{.operation = "release", .directions = {Direction::command}};
  auto commands = sent({"script 1", "SCRIPT", "script 1"});
  commands[0].script_was_unknown = true;
  const auto boundaries = boundaries_of(sweep, {.commands = commands, .before = commands});
  ASSERT_EQ(boundaries.size(), 2U);
  EXPECT_EQ(boundaries[1].name, "release, after script 1 was sent, before it was applied");
  EXPECT_EQ(boundaries[1].nth, 2);
}

TEST(SweepBoundaries, OfTwoServersAreAtOneThatDecides) {
  const Sweep sweep{.operation = "release", .directions = {Direction::command}};
  const auto of_one = boundaries_of(sweep, {.commands = sent({"DEL"})});
  EXPECT_EQ(on_several(of_one, 3, /*every_node=*/false).size(), 2U);
  const auto of_two = on_several(of_one, 2, /*every_node=*/false);
  ASSERT_EQ(of_two.size(), 1U);
  EXPECT_EQ(of_two[0].role, Role::deciding);
}

// A client that uses only the first of its servers: that one always decides.
TEST_F(RunTest, ASweepOnSeveralServersGoesByRole) {
  stage.nodes = 3;
  const auto result = run_with(plain, *find_scenario("reply_lost_acquire"));
  std::vector<std::string> boundaries;
  for (const auto& execution : result.executions) boundaries.push_back(execution.boundary);
  EXPECT_THAT(boundaries,
              ElementsAre("acquire at one node of 3, after SET was applied, before its answer "
                          "arrived",
                          "acquire at a node that decides, after SET was applied, before its "
                          "answer arrived"));
}

TEST_F(RunTest, ASweepNamesEveryBoundaryOfTwoCommands) {
  auto scenario = scenario_of([](World& world) {
    auto& a = world.client("A");
    world.steps.must_acquire(a, {.lease = Timing::usual_long_lease});
    auto held = world.sweep.arm(a, Action::hold_back);
    auto releasing = a.start_release();
    must_reach(held, releasing);
    held.deliver();
    must_answer(releasing.wait(), "released");
  });
  scenario.sweep =
      Sweep{.operation = "release", .directions = {Direction::command, Direction::reply}};
  const auto result = run_with({LAB_PLAIN_CLIENT, "get-then-del"}, scenario);
  EXPECT_EQ(result.verdict(), Verdict::holds) << result.shown().judgement.sentence();
  std::vector<std::string> boundaries;
  for (const auto& execution : result.executions) boundaries.push_back(execution.boundary);
  EXPECT_THAT(boundaries, ElementsAre("release, after GET was sent, before it was applied",
                                      "release, after GET was answered, before DEL was sent",
                                      "release, after DEL was sent, before it was applied",
                                      "release, after DEL was applied, before its answer arrived"));
}

TEST_F(RunTest, ASweepOverEveryServerNamesEach) {
  stage.nodes = 3;
  stage.command = plain;
  const auto result = run_scenario(
      stage, *find_scenario("killed_mid_acquire"),
      {.redis = find_redis(), .runs = directory.path() / "runs", .every_node = true}, reaper);
  EXPECT_THAT(result.executions, SizeIs(3 * 2 * 2));
  EXPECT_THAT(result.executions.back().boundary,
              HasSubstr("acquire at node3, a node that decides"));
}

TEST_F(RunTest, AScenarioMayHaveItsOwnNumberOfServers) {
  std::size_t nodes = 0;
  auto scenario = scenario_of([&](World& world) { nodes = world.servers.size(); });
  scenario.nodes = 3;
  (void)run_with(plain, scenario);
  EXPECT_EQ(nodes, 1) << "a lock on one server is not made one on several";
  stage.nodes = 5;
  (void)run_with(plain, scenario);
  EXPECT_EQ(nodes, 3);
}

TEST_F(RunTest, AClientThatDiesAtItsStartCannotRun) {
  EXPECT_THAT(
      said_by<CannotRun>([&] {
        (void)run_with({"/bin/sh", "-c", "echo alas >&2; exit 1"}, *find_scenario("killed_holder"));
      }),
      HasSubstr("alas"));
}

TEST_F(RunTest, ACrashInALogCannotRun) {
  const auto scenario =
      scenario_of([](World& world) { world.steps.must_acquire(world.client("A")); });
  const auto script = "echo 'x.cpp:1: runtime error: overflow' >&2; exec " + plain[0];
  EXPECT_THAT(said_by<CannotRun>([&] {
                (void)run_with({"/bin/sh", "-c", script}, scenario);
              }),
              HasSubstr("reports a crash: x.cpp:1: runtime error: overflow"));
}

TEST_F(RunTest, ADirectoryThatIsNoRunIsNamed) {
  EXPECT_THAT(said_by<CannotRun>([&] { (void)judge_again(directory.path()); }),
              HasSubstr("is not the directory of a run"));
  std::ofstream(directory.path() / "run.json") << R"({"stage":"s","scenario":"c"})";
  EXPECT_THAT(said_by<CannotRun>([&] { (void)judge_again(directory.path()); }),
              HasSubstr("holds no history"));
}

TEST_F(RunTest, ADirectoryWithFieldsOfAnotherKindIsNamed) {
  const auto judged = [&] { (void)judge_again(directory.path()); };
  const auto named = HasSubstr(directory.path().native() + " is not what a run leaves behind");
  std::ofstream(directory.path() / "run.json") << R"({"stage": 1, "scenario": "c"})";
  EXPECT_THAT(said_by<CannotRun>(judged), named);
  std::ofstream(directory.path() / "run.json") << R"({"stage": "s", "scenario": "c"})";
  std::filesystem::create_directory(directory.path() / "1");
  std::ofstream(directory.path() / "1" / "history.jsonl")
      << R"({"at_us": 1, "lane": "A", "kind": "call", "data": {"id": "one"}})";
  EXPECT_THAT(said_by<CannotRun>(judged), named);
}

// A reader sees it whole, also after a kill or on a full disk.
TEST_F(RunTest, ReplacesRunJsonAsAWhole) {
  std::ifstream begun;
  const auto result = run_with(
      plain, scenario_of([&](World&) {
        for (const auto& entry : std::filesystem::directory_iterator(directory.path() / "runs")) {
          begun.open(entry.path() / "run.json");
        }
      }));
  const std::string text{std::istreambuf_iterator<char>(begun), {}};
  EXPECT_THAT(text, HasSubstr("under_way"));
  EXPECT_THAT(text, testing::EndsWith("}\n"));
}

TEST_F(RunTest, JudgesARunThatFailedUndisturbed) {
  auto scenario = scenario_of([](World&) {});
  scenario.sweep = Sweep{.operation = "release", .directions = {Direction::command}};
  EXPECT_THROW((void)run_with({"/bin/sh", "-c", "exit 3"}, scenario), CannotRun);
  for (const auto& entry : std::filesystem::directory_iterator(directory.path() / "runs")) {
    const auto result = judge_again(entry.path());
    ASSERT_THAT(result.executions, testing::SizeIs(1));
    EXPECT_EQ(result.executions[0].boundary, "release, without a fault");
  }
}

TEST_F(RunTest, TwoRunsInOneSecondGetTwoDirectories) {
  const auto scenario = scenario_of([](World&) {});
  EXPECT_NE(run_with(plain, scenario).directory, run_with(plain, scenario).directory);
}

}  // namespace
}  // namespace faults

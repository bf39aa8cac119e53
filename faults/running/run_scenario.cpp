#include "faults/running/run_scenario.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "faults/judging/judge.h"
#include "faults/kit/command_names.h"
#include "faults/kit/errors.h"
#include "faults/kit/replace_file.h"
#include "faults/running/boundaries.h"
#include "faults/running/kept_run.h"
#include "faults/running/parallel.h"
#include "faults/running/result_text.h"
#include "faults/running/setting.h"
#include "faults/world/world.h"

namespace faults {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// How often a scenario that showed nothing is run again: because the machine stood still, and then
// with longer leases, since it may stay slow; because something that takes its time, such as the
// sixth renewal, did not come before a deadline.
constexpr int max_reruns = 8;
constexpr int max_reruns_after_not_exercised = 2;
constexpr std::string_view sent_no_command = ", which sent no command";

void make_directory(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error)
    throw CannotWrite(fmt::format("cannot make {}: {}", directory.native(), error.message()));
}

void write_json(const fs::path& file, const json& object) {
  if (replace_file(file, object.dump(2) + '\n')) return;
  throw CannotWrite(fmt::format("cannot write {}: is the disk full?", file.native()));
}

// The things that every execution of one run has in common.
struct Run {
  const TestedLock& lock;
  const Scenario& scenario;
  const RunPlan& plan;
  Reaper& reaper;
  fs::path directory;
  RedisPool& pool;  // the servers of a sweep
};

WorldOptions options_of(const Run& run, const SweepBoundary& boundary, int slowdown) {
  return {.boundary = boundary,
          .slowdown = slowdown,
          .say = run.plan.say,
          .time_waits = run.plan.time_waits,
          .started_as = run.plan.started_as,
          .pool = run.scenario.sweep ? &run.pool : nullptr};
}

void write_setting(History& history, const Run& run, const SweepBoundary& boundary, int slowdown) {
  history.add("", Kind::setting,
              setting_of(run.lock, {.scenario = run.scenario.name,
                                    .sentence = run.scenario.sentence,
                                    .boundary = boundary.name,
                                    .lease = slowdown * run.lock.pace().lease,
                                    .judged = run.scenario.judged,
                                    .needs = run.scenario.needs,
                                    .depends_on_time = run.scenario.depends_on_time}));
}

// The commands that `a` has sent since it had sent `before` of them.
std::vector<SeenCommand> commands_since(Client& a, std::size_t before) {
  const auto seen = a.lock_link().seen();
  return {seen.begin() + static_cast<std::ptrdiff_t>(before), seen.end()};
}

// The commands of one renewal, after `before` commands: a renewal ends when the next one begins
// with the same command. What cannot use a key is none of them, and a script that the server did
// not know is sent again. None if there is no renewal.
std::vector<SeenCommand> one_renewal(const World& world, Client& a, std::size_t before) {
  const auto deadline = std::chrono::steady_clock::now() + world.timing.renewal_limit();
  for (;;) {
    auto sent = commands_since(a, before);
    std::erase_if(sent, [](const SeenCommand& command) {
      return !may_use_keys(command.name) || command.script_was_unknown;
    });
    const auto next =
        sent.empty() ? sent.end()
                     : std::find_if(sent.begin() + 1, sent.end(), [&](const SeenCommand& command) {
                         return command.label == sent.front().label;
                       });
    if (next != sent.end()) return {sent.begin(), next};
    if (std::chrono::steady_clock::now() > deadline) return {};
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// Before a fault is armed at a renewal of A's, its servers must know its scripts. Of a stage the
// kit loads them, but not those of a learner's lock or a foreign one.
void prepare(const Run& run, World& world) {
  const bool renews = run.scenario.sweep && run.scenario.sweep->operation == "renew";
  if (renews && (run.lock.facts || run.lock.only_tries)) world.clients.renew_first("A");
}

UndisturbedOperation undisturbed_renewal(World& world) {
  world.clients.set_default_lease(world.timing.medium_lease());
  auto& a = world.client("A");
  const auto before = a.lock_link().commands_seen().size();
  world.steps.must_acquire(a);
  const auto acquiring = commands_since(a, before);
  return {.commands = one_renewal(world, a, before + acquiring.size()), .before = acquiring};
}

UndisturbedOperation undisturbed_call(World& world, const Sweep& sweep) {
  world.clients.set_default_lease(world.timing.long_lease());  // or it may renew meanwhile
  auto& a = world.client("A");
  const auto& operation = sweep.operation;
  const bool is_acquire = operation == "acquire";
  const auto request =
      sweep.default_lease ? AcquireRequest{} : AcquireRequest{.lease = world.timing.long_lease()};
  if (!is_acquire) world.steps.must_acquire(a, request);
  const auto before = a.lock_link().commands_seen().size();
  if (is_acquire) world.steps.must_acquire(a, request);
  if (operation == "release") (void)a.release();
  if (operation == "extend") (void)a.extend();
  world.wait_for.commands_at_all_nodes(a);
  return {.commands = commands_since(a, before)};
}

// Runs the operation once without a fault, and says which commands it sent.
UndisturbedOperation undisturbed(const Run& run, int slowdown) {
  const auto directory = run.directory / kept::undisturbed_directory;
  make_directory(directory);
  History history(directory / kept::history_file);
  write_setting(history, run, {.name = run.scenario.sweep->name() + ", without a fault"}, slowdown);
  World world(run.lock, run.plan.redis, run.reaper, history, directory,
              options_of(run, {}, slowdown));
  prepare(run, world);
  const auto& sweep = *run.scenario.sweep;
  auto commands =
      sweep.operation == "renew" ? undisturbed_renewal(world) : undisturbed_call(world, sweep);
  world.end();
  return commands;
}

void give_up_after(int reruns, const Run& run, const char* why) {
  if (reruns < max_reruns) return;
  throw ClientFailed(
      fmt::format("{} does not even work undisturbed: {}", run.scenario.sweep->name(), why));
}

// How many times as long leases last once the machine did not keep up so often.
int slowdown_after(int stalls) {
  return std::min(1 + stalls, Timing::max_slowdown);
}

// The same, again if the machine did not keep up.
UndisturbedOperation undisturbed_at_last(const Run& run) {
  for (int reruns = 0;; ++reruns) {
    try {
      return undisturbed(run, slowdown_after(reruns));
    } catch (const NotExercised& reason) {
      give_up_after(reruns, run, reason.what());
    } catch (const Stalled& reason) {
      give_up_after(reruns, run, reason.what());
    }
  }
}

void note_death(History& history, const ProgramDied& death) {
  history.add(death.client(), Kind::misbehaved, {{"why", death.what()}, {"died", true}});
}

// Writes down why the scenario ended early: a program that died is the reason for whatever else.
void note_end(World& world, History& history, Kind kind, const char* why) {
  try {
    world.clients.must_not_have_died();
    history.add("", kind, {{"why", why}});
  } catch (const ProgramDied& death) {
    note_death(history, death);
  }
}

// Runs the scenario once. The reason why it shows nothing, if there is one, goes into the history.
void execute(const Run& run, const SweepBoundary& boundary, int slowdown, const fs::path& directory,
             History& history) {
  write_setting(history, run, boundary, slowdown);
  World world(run.lock, run.plan.redis, run.reaper, history, directory,
              options_of(run, boundary, slowdown));
  try {
    prepare(run, world);
    run.scenario.run(world);
    world.end();
  } catch (const NotExercised& reason) {
    note_end(world, history, Kind::not_exercised, reason.what());
  } catch (const Stalled& reason) {
    note_end(world, history, Kind::stalled, reason.what());
  } catch (const ProgramDied& death) {
    note_death(history, death);
  } catch (const Misbehaved& reason) {
    history.add("", Kind::misbehaved, {{"why", reason.what()}});
  }
}

Execution execute_until_conclusive(const Run& run, const SweepBoundary& boundary,
                                   const fs::path& directory) {
  // An operation without commands has nothing to stop, however often it is run.
  int tries_left = run.scenario.depends_on_time && !boundary.name.ends_with(sent_no_command)
                       ? max_reruns_after_not_exercised
                       : 0;
  int stalls = 0;
  for (int reruns = 0;; ++reruns) {
    fs::remove_all(directory);
    make_directory(directory);
    Execution execution{.boundary = boundary.name,
                        .judgement = {},
                        .history = directory / kept::history_file,
                        .reruns = reruns};
    History history(execution.history);
    execute(run, boundary, slowdown_after(stalls), directory, history);
    execution.judgement = judge(history.record());
    const auto verdict = execution.judgement.verdict;
    const bool stalled = verdict == Verdict::inconclusive;
    if (stalled) ++stalls;
    const bool did_not_come = verdict == Verdict::not_exercised && tries_left-- > 0;
    if (reruns == max_reruns || !(stalled || did_not_come)) return execution;
  }
}

// Takes out the boundaries at which other servers are dead, if the lock may wait for a dead one
// longer than the lab waits for it: at each of them it would fail for that reason alone, which
// minority_down is about. Returns why; empty: it does not.
std::string leave_out_dead_servers(const TestedLock& lock, std::vector<SweepBoundary>& boundaries) {
  const auto dead = static_cast<std::size_t>(lock.nodes - 1) / 2;
  if (!lock.facts || lock.facts->tries_end(Timing::usual_long_lease, dead)) return {};
  std::erase_if(boundaries, [](const auto& boundary) { return boundary.role == Role::deciding; });
  return "left out: the boundaries at which other servers are dead; a try may wait for those "
         "longer "
         "than the lab waits for it, and minority_down is about that";
}

// The boundaries for the fault: all of the operation's, if it is a sweep.
std::vector<SweepBoundary> boundaries_for(const Run& run, Result& result) {
  if (!run.scenario.sweep) return {SweepBoundary{}};
  const auto& sweep = *run.scenario.sweep;
  const auto operation = undisturbed_at_last(run);
  result.commands = static_cast<int>(operation.commands.size());
  auto boundaries = boundaries_of(sweep, operation, script_files_of(run.lock));
  if (run.lock.nodes > 1) {
    boundaries = on_several(boundaries, run.lock.nodes, run.plan.every_node);
    if (run.lock.nodes > 2) result.left_out = leave_out_dead_servers(run.lock, boundaries);
  }
  if (boundaries.empty()) {  // run all the same, to show that there is nothing to put a fault at
    boundaries.push_back({.direction = sweep.directions.front(),
                          .nth = 1,
                          .command = sweep.name(),  // no command is called that
                          .place = 1,
                          .name = sweep.name() + std::string(sent_no_command)});
  }
  return boundaries;
}

// One after the other, so that each has the servers of the one before; several sweeps at a time,
// where each server has its own.
std::vector<Execution> execute_at(const std::vector<SweepBoundary>& boundaries, const Run& run) {
  std::vector<Execution> executions(boundaries.size());
  const auto sweep = [&](std::size_t node) {
    for (std::size_t i = 0; i < boundaries.size(); ++i) {
      if (boundaries[i].node != node) continue;
      executions[i] =
          execute_until_conclusive(run, boundaries[i], run.directory / std::to_string(i + 1));
    }
  };
  const auto sweeps = boundaries.back().node + 1;
  if (run.plan.time_waits) {
    for (std::size_t node = 0; node < sweeps; ++node) sweep(node);
  } else {
    run_in_parallel(sweeps, static_cast<int>(sweeps), sweep);
  }
  return executions;
}

// The choices of a run, while it is under way.
json description_of(const Run& run, const Result& result) {
  json chosen{{"stage", run.lock.name},
              {"scenario", run.scenario.name},
              {"again", result.again},
              {"client", run.lock.command},
              {"redis", run.plan.redis.program.native()},
              {"lease_ms", run.lock.pace().lease.count()},
              {kept::under_way, true}};
  if (run.lock.at_default_lease) chosen[kept::at_default_lease] = true;
  if (!run.plan.redis_version.empty()) chosen["redis_version"] = run.plan.redis_version;
  return chosen;
}

// Runs the scenario at every boundary, and adds the executions to `result`.
void execute_all(const Run& run, Result& result) {
  auto chosen = description_of(run, result);
  write_json(result.directory / kept::run_file, chosen);
  result.executions = execute_at(boundaries_for(run, result), run);
  if (!result.left_out.empty()) chosen[kept::left_out] = result.left_out;
  if (run.lock.facts) result.lock = lock_in(read_record(result.executions.front().history));
  chosen.erase(kept::under_way);
  write_json(result.directory / kept::run_file, chosen);
}

}  // namespace

fs::path make_run_directory(const fs::path& runs, std::string name) {
  std::replace(name.begin(), name.end(), '/', '-');  // a wrong turn's
  const auto stamp = fmt::format("{:%Y%m%d-%H%M%S}", fmt::localtime(std::time(nullptr)));
  std::error_code error;
  fs::create_directories(runs, error);
  for (int i = 1; !error && i < 10'000; ++i) {
    const auto directory =
        runs / fmt::format("{}-{}{}", stamp, name, i == 1 ? "" : fmt::format("-{}", i));
    if (fs::create_directory(directory, error)) return directory;
  }
  throw CannotRun(fmt::format("cannot make a directory in {}: {}; choose another with --runs",
                              runs.native(), error.message()));
}

Result run_scenario(const TestedLock& lock, const Scenario& scenario, const RunPlan& plan,
                    Reaper& reaper) {
  must_suit(plan.redis, lock, reaper);
  Result result{.stage = lock.name,
                .scenario = scenario.name,
                .directory = make_run_directory(plan.runs, lock.name + "-" + scenario.name),
                .executions = {},
                .again = plan.redis.chosen_in(
                    plan.again.empty() ? fmt::format("./lab run {} {}", lock.name, scenario.name)
                                       : plan.again),
                .at_default_lease = lock.at_default_lease};
  auto on_its_servers = lock;
  if (scenario.nodes > 0 && lock.nodes > 1) on_its_servers.nodes = scenario.nodes;
  try {
    RedisPool pool(reaper);
    execute_all({on_its_servers, scenario, plan, reaper, result.directory, pool}, result);
  } catch (const CannotWrite&) {
    // Half a directory cannot be judged, and takes the room that is left.
    std::error_code ignored;
    if (result.executions.empty()) fs::remove_all(result.directory, ignored);
    throw;
  }
  return result;
}

}  // namespace faults

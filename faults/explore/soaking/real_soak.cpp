#include "faults/explore/soaking/real_soak.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "faults/explore/search/kept_search.h"
#include "faults/explore/search/shorten.h"
#include "faults/explore/soaking/history_steps.h"
#include "faults/kit/errors.h"
#include "faults/running/run.h"

namespace explore {
namespace {

using Clock = std::chrono::steady_clock;

// Each pass of a client is a client's whole program there.
WorldPlan world_for(const WorldPlan& real, const HistorySteps& steps) {
  auto world = real;
  world.clients = std::max(1, steps.clients);
  if (world.program.name == "again") world.program = usual_program();
  world.sentence = "what happened in real time, step by step in virtual time";
  return world;
}

// The same property in virtual time; sets why there is none.
std::optional<CounterExample> find_in_virtual_time(RealFinding& found, faults::Reaper& reaper) {
  const auto& finding = found.round.judgement.findings.front();
  Controller controller(found.world, reaper);
  const auto steps = steps_around(finding, found.round.record);
  auto run = follow(controller, steps);
  const auto* same = finding_of(run, finding.property);
  if (same == nullptr) {
    found.why_not = "the same steps do not break it in virtual time";
    return std::nullopt;
  }
  CounterExample example{.finding = *same, .steps = run.steps_until(*same), .run = {}};
  example.run = std::move(run);
  auto shortest = shorten(controller, std::move(example));
  (void)confirm(controller, shortest);
  return shortest;
}

void try_in_virtual_time(RealFinding& found, const WorldPlan& world, faults::Reaper& reaper) {
  const auto& findings = found.round.judgement.findings;
  if (findings.empty()) return;
  try {
    found.world = world_for(world, steps_around(findings.front(), found.round.record));
    found.example = find_in_virtual_time(found, reaper);
  } catch (const Diverged& reason) {
    found.why_not = reason.what();
  } catch (const faults::Stalled& reason) {
    found.why_not = reason.what();
  } catch (const faults::CannotRun& reason) {  // it may not live in virtual time at all
    found.why_not = reason.what();
  }
}

void count(RealSoakResult& result, const Round& round) {
  ++result.rounds;
  result.passes += round.passes;
  result.faults += round.faults;
  const auto verdict = round.judgement.verdict;
  if (verdict == faults::Verdict::holds || verdict == faults::Verdict::violated) return;
  ++result.shown_nothing;
  result.why_nothing = round.judgement.why;
}

}  // namespace

RealSoakResult soak_in_real_time(const WorldPlan& world, const SoakPlan& plan,
                                 faults::Reaper& reaper, const RealSoakProgress& progress) {
  const auto start = Clock::now();
  RealSoakResult result;
  while (plan.runs == 0 ? Clock::now() - start < plan.budget : result.rounds < plan.runs) {
    auto round = play_round(world,
                            {.seed = plan.seed,
                             .number = result.rounds,
                             .faults = plan.faults,
                             .at_most = plan.at_most},
                            reaper);
    count(result, round);
    result.time = Clock::now() - start;
    if (progress) progress(result);
    if (round.judgement.verdict != faults::Verdict::violated) continue;
    result.found.emplace(RealFinding{.round = std::move(round), .world = world});
    try_in_virtual_time(*result.found, world, reaper);
    break;
  }
  result.time = Clock::now() - start;
  return result;
}

std::filesystem::path keep(const RealFinding& found, const std::string& again,
                           const std::filesystem::path& runs) {
  const auto directory = faults::make_run_directory(runs, found.world.stage.name + "-soak");
  keep_history(found.round.record, directory / "1");
  if (found.example) {
    keep_schedule(*found.example, found.world, directory / "schedule");
    keep_history(found.example->run.record, directory / "2");
  }
  keep_choice(found.world, "soak", again, directory);
  return directory;
}

}  // namespace explore

#include "faults/explore/search/soak.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <random>
#include <utility>

#include "faults/explore/search/option_names.h"
#include "faults/explore/search/shorten.h"
#include "faults/kit/errors.h"

namespace explore {
namespace {

using Clock = std::chrono::steady_clock;

// One step in so many is a fault, while there may be one.
constexpr std::uint64_t steps_for_a_fault = 12;

// The same numbers on every machine. (A distribution of the standard library may differ.)
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}

  // A number below `end`, which is not 0.
  [[nodiscard]] std::size_t below(std::size_t end) {
    return static_cast<std::size_t>(engine_() % end);
  }

 private:
  std::mt19937_64 engine_;
};

Event thrown(Dice& dice, const std::vector<Event>& events) {
  std::vector<Event> faults;
  std::vector<Event> others;
  for (const auto& event : events) (is_fault(event.kind) ? faults : others).push_back(event);
  const bool a_fault = !faults.empty() && dice.below(steps_for_a_fault) == 0;
  const auto& chosen = a_fault ? faults : others;
  return chosen[dice.below(chosen.size())];
}

Run random_run(Controller& controller, const SoakPlan& plan, long number) {
  Dice dice(plan.seed * 1'000'003ULL + static_cast<std::uint64_t>(number));
  RunRecorder recorder(controller);
  for (int used = 0;;) {
    const auto events =
        controller.events({.faults = used < plan.at_most ? plan.faults : 0, .reduced = true});
    if (events.empty()) return recorder.finish();
    const auto event = thrown(dice, events);
    if (is_fault(event.kind)) ++used;
    recorder.choose(event);
  }
}

}  // namespace

SoakResult soak(const WorldPlan& world, const SoakPlan& plan, faults::Reaper& reaper,
                const SoakProgress& progress) {
  const auto start = Clock::now();
  Controller controller(world, reaper);
  SoakResult result;
  while (plan.runs == 0 ? Clock::now() - start < plan.budget : result.runs < plan.runs) {
    auto run = random_run(controller, plan, result.runs++);
    result.steps += static_cast<long>(run.labels.size());
    result.time = Clock::now() - start;
    if (progress) progress(result);
    if (!run.is_violated()) continue;
    const auto finding = run.judgement.findings.front();
    result.steps_before = run.labels.size();
    const auto steps = run.steps_until(finding);
    result.found = shorten(controller, {.finding = finding, .steps = steps, .run = std::move(run)});
    confirm(controller, *result.found);
    break;
  }
  result.time = Clock::now() - start;
  return result;
}

std::string describe_dice(const WorldPlan& world, const SoakPlan& plan) {
  return fmt::format(
      "seed {}; {} client{}, {}; at most {} faults in a run, of: {}; lease {} ms; {}", plan.seed,
      world.clients, world.clients == 1 ? "" : "s", world.program.sentence, plan.at_most,
      to_words(plan.faults), world.lease.count(), world.redis.program.native());
}

}  // namespace explore

#include "explore/search/soak.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <random>
#include <utility>

#include "explore/search/words.h"
#include "faults/kit/errors.h"

namespace explore {
namespace {

using Clock = std::chrono::steady_clock;

// One step in so many is a fault, while there may be one.
constexpr std::uint64_t steps_for_a_fault = 12;

// A number below `end`. (A distribution of the standard library may differ from one to another.)
std::size_t below(std::mt19937_64& dice, std::size_t end) {
  return static_cast<std::size_t>(dice() % end);
}

Event thrown(std::mt19937_64& dice, const std::vector<Event>& events) {
  std::vector<Event> faults;
  std::vector<Event> others;
  for (const auto& event : events) (is_fault(event.deed) ? faults : others).push_back(event);
  const bool a_fault = !faults.empty() && dice() % steps_for_a_fault == 0;
  const auto& chosen = a_fault ? faults : others;
  return chosen[below(dice, chosen.size())];
}

// Does those of the steps that fit, then lets every client go on by itself.
Run do_what_fits(Controller& controller, const std::vector<std::string>& labels) {
  RunRecorder recorder(controller);
  for (const auto& label : labels) recorder.choose_labelled(label);
  return recorder.go_on_to_the_end();
}

class Dice {
 public:
  Dice(Controller& controller, const SoakPlan& plan) : controller_(controller), plan_(plan) {}

  [[nodiscard]] Run run(long number) {
    std::mt19937_64 dice(plan_.seed * 1'000'003ULL + static_cast<std::uint64_t>(number));
    RunRecorder recorder(controller_);
    for (int used = 0;;) {
      const auto events =
          controller_.events({.faults = used < plan_.at_most ? plan_.faults : 0, .reduced = true});
      if (events.empty()) return recorder.finish();
      const auto event = thrown(dice, events);
      if (is_fault(event.deed)) ++used;
      recorder.choose(event);
    }
  }

  // Leaves out steps, many at a time and then fewer, as long as the same property breaks sooner.
  [[nodiscard]] CounterExample shorten(CounterExample example) {
    auto size = example.steps / 2;
    while (size > 0) {
      bool shorter = false;
      for (std::size_t from = 0; from < example.steps; from += size) {
        shorter = leave_out(example, from, size) || shorter;
      }
      if (!shorter || size > example.steps) size /= 2;
    }
    return example;
  }

 private:
  bool leave_out(CounterExample& example, std::size_t from, std::size_t size) {
    auto labels = example.run.labels;
    labels.resize(example.steps);
    const auto first = labels.begin() + static_cast<std::ptrdiff_t>(from);
    const auto last =
        labels.begin() + static_cast<std::ptrdiff_t>(std::min(from + size, labels.size()));
    labels.erase(first, last);
    auto run = do_what_fits(controller_, labels);
    const auto* finding = finding_of(run, example.finding.property);
    if (finding == nullptr) return false;
    const auto steps = run.steps_until(*finding);
    if (steps >= example.steps) return false;
    example.finding = *finding;
    example.steps = steps;
    example.run = std::move(run);
    return true;
  }

  Controller& controller_;
  const SoakPlan& plan_;
};

}  // namespace

SoakResult soak(const WorldPlan& world, const SoakPlan& plan, faults::Reaper& reaper,
                const SoakProgress& progress) {
  const auto start = Clock::now();
  Controller controller(world, reaper);
  Dice dice(controller, plan);
  SoakResult result;
  while (plan.runs == 0 ? Clock::now() - start < plan.budget : result.runs < plan.runs) {
    auto run = dice.run(result.runs++);
    result.steps += static_cast<long>(run.labels.size());
    result.time = Clock::now() - start;
    if (progress) progress(result);
    if (!run.is_violated()) continue;
    const auto finding = run.judgement.findings.front();
    result.steps_before = run.labels.size();
    const auto steps = run.steps_until(finding);
    result.found = dice.shorten({.finding = finding, .steps = steps, .run = std::move(run)});
    confirm(controller, *result.found);
    break;
  }
  result.time = Clock::now() - start;
  return result;
}

std::string describe_dice(const WorldPlan& world, const SoakPlan& plan) {
  return fmt::format("seed {}; {} clients, {}; at most {} faults in a run, of: {}; lease {} ms; {}",
                     plan.seed, world.clients, world.program.sentence, plan.at_most,
                     to_words(plan.faults), world.lease.count(), world.redis.program.native());
}

}  // namespace explore

#include "tools/learning/counter_example.h"

#include <algorithm>
#include <array>

#include "faults/explore/search/option_names.h"
#include "faults/explore/search/saved_search.h"
#include "faults/kit/errors.h"

namespace learning {
namespace {

// Within these a search looks: what each client does, and the kind of fault that may happen once.
struct Bounds {
  const char* program;
  const char* fault;
};

// The simplest first.
constexpr std::array all_bounds{Bounds{"once", "kill"},   Bounds{"once", "lose"},
                                Bounds{"once", "slow"},   Bounds{"once", "freeze"},
                                Bounds{"nested", "kill"}, Bounds{"nested", "lose"},
                                Bounds{"again", "kill"},  Bounds{"again", "lose"}};

explore::WorldPlan world_of(const faults::TestedLock& lock, const Bounds& bounds,
                            const faults::RunPlan& plan) {
  return {.stage = lock,
          .redis = plan.redis,
          .program = explore::program_named(bounds.program),
          .judged = explore::properties_from("")};
}

explore::SearchResult search_for(const char* kind, const explore::WorldPlan& world,
                                 std::chrono::milliseconds budget, faults::Reaper& reaper) {
  const explore::SearchPlan plan{
      .faults = explore::faults_from(kind), .budget = budget, .workers = explore::OneCpu::count()};
  return explore::search(world, plan, reaper);
}

// Leaves out the properties that our lock breaks as well; all that take more faults than ours was
// searched with, to the end.
void leave_out_what_ours_breaks(explore::SearchResult& yours, const explore::SearchResult& ours) {
  const int searched = ours.is_exhausted() ? ours.levels.back().faults : -1;
  std::erase_if(yours.found, [&](const explore::CounterExample& example) {
    return example.faults > searched ||
           std::any_of(ours.found.begin(), ours.found.end(), [&](const auto& known) {
             return known.finding.property == example.finding.property;
           });
  });
}

// "A: send SET" and "A: send acquire.lua" are the same event of two locks.
bool is_alike(const std::string& label, const std::string& other) {
  const auto kind = [](const std::string& text) {
    return text.substr(0, text.find(' ', text.find(": ") + 2));
  };
  return kind(label) == kind(other);
}

// Our lock under the same schedule as far as that fits.
faults::Record ours_under(const explore::Run& yours, explore::Controller& controller) {
  explore::RunRecorder recorder(controller);
  for (const auto& label : yours.labels) {
    if (recorder.choose_labelled(label)) continue;
    const auto events = controller.events({.faults = ~0U, .reduced = false});
    const auto alike = std::find_if(events.begin(), events.end(), [&](const auto& event) {
      return is_alike(event.label, label);
    });
    if (alike != events.end()) recorder.choose(*alike);
  }
  return recorder.run_to_end().record;
}

Trial trial_of(const Exercise& exercise, const explore::SearchResult& result,
               const explore::WorldPlan& world, const faults::RunPlan& plan) {
  const auto& example = result.found.front();
  Trial trial{.scenario = "the search",
              .verdict = faults::Verdict::violated,
              .broken = {example.finding.property},
              .sentence = example.finding.sentence,
              .schedule = explore::save(result, world, plan.runs)};
  trial.history = trial.schedule.parent_path() / "1" / "history.jsonl";
  trial.mistakes = mistakes_in(TraceQuery(example.run.record), exercise.number());
  return trial;
}

}  // namespace

Searched find_counter_example(const Exercise& exercise, const faults::TestedLock& lock,
                              const faults::RunPlan& plan, std::chrono::milliseconds budget,
                              faults::Reaper& reaper) {
  const auto ours = solution_of(exercise);
  Searched searched;
  if (ours.nodes > 1 || !std::filesystem::exists(ours.command.front())) return searched;
  const auto end = std::chrono::steady_clock::now() + budget;
  for (const auto& bounds : all_bounds) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    searched.is_complete = left.count() > 0;
    if (!searched.is_complete) break;
    const auto world = world_of(lock, bounds, plan);
    auto result = search_for(bounds.fault, world, left, reaper);
    searched.orders += result.orders();
    searched.is_complete = result.is_exhausted();
    if (result.found.empty()) continue;
    const auto our_world = world_of(ours, bounds, plan);
    leave_out_what_ours_breaks(result, search_for(bounds.fault, our_world, budget, reaper));
    if (result.found.empty()) continue;
    searched.found = trial_of(exercise, result, world, plan);
    explore::Controller controller(our_world, reaper);
    const auto under_the_same = ours_under(result.found.front().run, controller);
    searched.found->difference =
        first_difference(TraceQuery(result.found.front().run.record), TraceQuery(under_the_same));
    break;
  }
  return searched;
}

}  // namespace learning

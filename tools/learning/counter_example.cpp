#include "tools/learning/counter_example.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "faults/explore/search/last_chance.h"
#include "faults/explore/search/option_names.h"
#include "faults/explore/search/saved_search.h"
#include "faults/kit/errors.h"

namespace learning {
namespace {

using std::chrono::steady_clock;

// Within these a search looks: what each client does, and the kind of fault that may happen.
struct Bounds {
  const char* program;
  const char* fault;
  int at_most = 1;
};

// The simplest first.
constexpr std::array all_bounds{Bounds{"once", "kill"},   Bounds{"once", "lose"},
                                Bounds{"once", "slow"},   Bounds{"once", "freeze"},
                                Bounds{"nested", "kill"}, Bounds{"nested", "lose"},
                                Bounds{"nested", "slow"}, Bounds{"again", "kill"},
                                Bounds{"again", "lose"},  Bounds{"once", "lose", 2}};

// The machine is too slow for a search that takes longer.
constexpr std::chrono::seconds longest{600};
// Of our lock so many are run at most, to see whether it breaks as well.
constexpr long orders_of_ours = 5'000;

explore::WorldPlan world_of(const faults::TestedLock& lock, const Bounds& bounds,
                            const faults::RunPlan& plan) {
  return {.stage = lock,
          .redis = plan.redis,
          .program = explore::program_named(bounds.program),
          .judged = explore::properties_from("")};
}

explore::SearchResult search_for(const Bounds& bounds, const explore::WorldPlan& world, long orders,
                                 std::chrono::milliseconds budget, faults::Reaper& reaper) {
  return explore::search(world,
                         {.faults = explore::faults_from(bounds.fault),
                          .at_most = bounds.at_most,
                          .budget = budget,
                          .most_orders = orders,
                          .workers = explore::OneCpu::count()},
                         reaper);
}

// A lock that remembers something between two runs gets new processes for each; `world` says so
// then.
explore::SearchResult search_yours(const Bounds& bounds, explore::WorldPlan& world, long orders,
                                   std::chrono::milliseconds budget, faults::Reaper& reaper) {
  try {
    return search_for(bounds, world, orders, budget, reaper);
  } catch (const explore::Diverged&) {
    world.fresh_clients = true;
    return search_for(bounds, world, orders, budget, reaper);
  }
}

// Up to how many faults every order of it was run; -1: not even those without a fault.
int searched_to(const explore::SearchResult& result) {
  int faults = -1;
  for (const auto& level : result.levels) {
    if (level.exhausted) faults = level.faults;
  }
  return faults;
}

// Leaves out the properties that our lock breaks as well, and what takes more faults than ours was
// searched with. True if that was all of the latter kind.
bool leave_out_what_ours_breaks(explore::SearchResult& yours, const explore::SearchResult& ours) {
  std::erase_if(yours.found, [&](const explore::CounterExample& example) {
    return std::any_of(ours.found.begin(), ours.found.end(), [&](const auto& known) {
      return known.finding.property == example.finding.property;
    });
  });
  const bool found = !yours.found.empty();
  std::erase_if(yours.found, [&](const explore::CounterExample& example) {
    return example.faults > searched_to(ours);
  });
  return found && yours.found.empty();
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
  trial.mistakes =
      mistakes_in(TraceQuery(example.run.record), exercise.number(), exercise.is_python());
  return trial;
}

// One search after the other, as long as nothing is found.
class CounterExampleSearch {
 public:
  CounterExampleSearch(const Exercise& exercise, const faults::TestedLock& lock,
                       const faults::RunPlan& plan, faults::Reaper& reaper)
      : exercise_(exercise),
        ours_(solution_of(exercise)),
        lock_(lock),
        plan_(plan),
        reaper_(reaper) {}

  [[nodiscard]] bool is_possible() const {
    return ours_.nodes == 1 && std::filesystem::exists(ours_.command.front());
  }

  // At most so many orders, of each kind a part.
  void run(long orders) {
    auto kinds = static_cast<long>(all_bounds.size());
    for (const auto& bounds : all_bounds) {
      const auto part = (orders - searched_.orders) / kinds--;
      if (!search(bounds, std::max(1L, part))) return;
    }
  }
  void fail(const std::string& why) { searched_.trouble = why; }
  [[nodiscard]] Searched take() { return std::move(searched_); }

 private:
  [[nodiscard]] std::chrono::milliseconds time_left() const {
    const auto left = end_ - steady_clock::now();
    return std::max(std::chrono::milliseconds(1),
                    std::chrono::duration_cast<std::chrono::milliseconds>(left));
  }

  // False: nothing more is to be searched.
  bool search(const Bounds& bounds, long orders) {
    auto world = world_of(lock_, bounds, plan_);
    auto result = search_yours(bounds, world, orders, time_left(), reaper_);
    searched_.orders += result.orders();
    searched_.is_complete = searched_.is_complete && result.is_exhausted();
    if (!result.found.empty()) {
      const auto our_world = world_of(ours_, bounds, plan_);
      const auto ours = search_for(bounds, our_world, orders_of_ours, time_left(), reaper_);
      if (leave_out_what_ours_breaks(result, ours)) {
        fail("an order breaks it, and whether that breaks ours was not found out");
      }
      if (!result.found.empty()) tell(result, world, our_world);
    } else if (!result.is_exhausted() && result.orders() < orders) {
      fail(fmt::format("it ran {} orders in {} s, and was to run more: the machine is too slow",
                       searched_.orders, longest.count()));
    }
    return !searched_.found && searched_.trouble.empty();
  }

  void tell(explore::SearchResult& result, const explore::WorldPlan& world,
            const explore::WorldPlan& our_world) {
    searched_.found = trial_of(exercise_, result, world, plan_);
    explore::Controller controller(our_world, reaper_);
    const auto& run = result.found.front().run;
    explore::Controller yours(world, reaper_);
    searched_.found->last_chance = explore::line_of(explore::last_chance_of(yours, run));
    const auto under_the_same = ours_under(run, controller);
    searched_.found->difference =
        first_difference(TraceQuery(run.record), TraceQuery(under_the_same));
  }

  const Exercise& exercise_;
  const faults::TestedLock ours_;
  const faults::TestedLock& lock_;
  const faults::RunPlan& plan_;
  faults::Reaper& reaper_;
  const steady_clock::time_point end_ = steady_clock::now() + longest;
  Searched searched_;
};

}  // namespace

Searched find_counter_example(const Exercise& exercise, const faults::TestedLock& lock,
                              const faults::RunPlan& plan, long orders, faults::Reaper& reaper) {
  CounterExampleSearch search(exercise, lock, plan, reaper);
  if (!search.is_possible()) return {};
  try {
    search.run(orders);
  } catch (const explore::Diverged&) {
    search.fail("the same steps of your lock did not lead to the same events twice");
  } catch (const faults::ClientFailed& error) {
    const std::string why = error.what();
    search.fail(why.substr(0, why.find('\n')));
  }
  return search.take();
}

}  // namespace learning

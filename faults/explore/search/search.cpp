#include "faults/explore/search/search.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "faults/explore/search/last_chance.h"
#include "faults/explore/search/search_worker.h"
#include "faults/explore/search/shared_orders.h"
#include "faults/kit/errors.h"

namespace explore {
namespace {

void work(const WorldPlan& world, const SearchPlan& plan, faults::Reaper& reaper,
          SharedOrders& orders, int number) {
  try {
    Controller controller(world, reaper, plan.workers == 1 ? std::nullopt : std::optional(number));
    SearchWorker(controller, plan, orders).work();
  } catch (...) {
    orders.stop(std::current_exception());
  }
}

// A way through the graph of states is put together from several runs: it must fit.
Run replay_of(Controller& controller, const Schedule& schedule) {
  try {
    return replay(controller, schedule);
  } catch (const faults::CannotRun& misfit) {
    throw Diverged(fmt::format("two orders were taken for one, and differ: {}", misfit.what()));
  }
}

void confirm_all(SearchResult& result, const SearchPlan& plan, const WorldPlan& world,
                 faults::Reaper& reaper) {
  if (result.found.empty()) return;
  Controller controller(world, reaper);
  for (auto& example : result.found) result.runs += confirm(controller, example);
  if (!plan.looks_back) return;
  auto& shown = result.found.front();
  shown.last_chance = line_of(last_chance_of(controller, shown.run));
}

}  // namespace

int confirm(Controller& controller, CounterExample& example) {
  constexpr int times = 2;
  const auto labels = example.labels();
  const Schedule schedule{.lock = controller.plan().stage.name, .steps = steps_from(labels)};
  for (int i = 0; i < times; ++i) {
    auto again = replay_of(controller, schedule);
    const auto* finding = finding_of(again, example.finding.property);
    if (finding == nullptr) {
      throw Diverged(
          fmt::format("\"{}\" was seen once, and not when it was replayed\n  its steps: {}",
                      example.finding.sentence, fmt::join(labels, ", ")));
    }
    example.finding = *finding;
    example.run = std::move(again);
  }
  return times;
}

Rules SearchPlan::rules(const std::vector<FaultKind>& used, int most, std::size_t step) const {
  unsigned kinds = used.size() < static_cast<std::size_t>(most) ? faults : 0;
  if (once_each) {
    for (const unsigned kind : used) kinds &= ~kind;
  }
  return {.faults = kinds, .during = during, .reduced = reduced, .first = step == used.size()};
}

std::string SearchPlan::left(const std::vector<FaultKind>& used, int most) const {
  const auto more = most - static_cast<int>(used.size());
  return fmt::format("{} of {}", more, rules(used, most, 0).faults);
}

long SearchResult::orders() const {
  long sum = 0;
  for (const auto& level : levels) sum += level.orders;
  return sum;
}

bool SearchResult::is_exhausted() const {
  return std::all_of(levels.begin(), levels.end(),
                     [](const Level& level) { return level.exhausted; });
}

SearchResult search(const WorldPlan& world, const SearchPlan& plan, faults::Reaper& reaper,
                    const Progress& progress) {
  SharedOrders orders(plan, progress);
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < plan.workers; ++i) {
      workers.emplace_back([&, i] { work(world, plan, reaper, orders, i); });
    }
  }
  auto result = orders.result();
  confirm_all(result, plan, world, reaper);
  return result;
}

SearchResult search_with_new_processes_if_need_be(
    WorldPlan& world, const std::function<SearchResult()>& attempt,
    const std::function<void(const Diverged&)>& notice) {
  try {
    return attempt();
  } catch (const Diverged& difference) {
    if (!world.stage.facts || world.fresh_clients) throw;
    if (notice) notice(difference);
  }
  world.fresh_clients = true;
  if (world.script_calls) world.script_calls = std::make_shared<ScriptCalls>();
  return attempt();
}

}  // namespace explore

#include "faults/explore/search/last_chance.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "faults/explore/search/search_worker.h"
#include "faults/explore/search/shared_orders.h"

namespace explore {
namespace {

using Steps = std::vector<std::string>;

class ChanceSearch {
 public:
  ChanceSearch(Controller& controller, faults::Property property, std::chrono::milliseconds budget)
      : controller_(controller),
        property_(property),
        end_(std::chrono::steady_clock::now() + budget) {}

  // True if some way on after `steps` holds. Nothing: there was no time to find that out.
  [[nodiscard]] std::optional<bool> can_hold(const Steps& steps) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end_ - std::chrono::steady_clock::now());
    const SearchPlan plan{.budget = std::max(left, std::chrono::milliseconds(0)),
                          .merges = true,
                          .until_holds = property_,
                          .after = steps};
    const Progress no_progress;
    SharedOrders orders(plan, no_progress);
    SearchWorker(controller_, plan, orders).work();
    const auto result = orders.result();
    if (!result.one_that_holds.empty()) {
      one_that_holds_ = result.one_that_holds;
      return true;
    }
    return result.is_exhausted() ? std::optional(false) : std::nullopt;
  }

  // The way on that the last `can_hold` found, with the steps before it.
  [[nodiscard]] const Steps& one_that_holds() const { return one_that_holds_; }

  // The events after `steps`, but for `chosen`, after which some way on holds.
  [[nodiscard]] std::optional<Steps> instead_of(const std::string& chosen, const Steps& steps) {
    Steps instead;
    for (const auto& label : events_after(steps)) {
      if (label == chosen) continue;
      auto other = steps;
      other.push_back(label);
      const auto holds = can_hold(other);
      if (!holds) return std::nullopt;
      if (*holds) instead.push_back(label);
    }
    return instead;
  }

 private:
  [[nodiscard]] Steps events_after(const Steps& steps) {
    RunRecorder recorder(controller_);
    recorder.follow({.lock = controller_.plan().stage.name, .steps = steps_from(steps)});
    Steps labels;
    for (const auto& event : controller_.events({.faults = 0, .reduced = false})) {
      labels.push_back(event.label);
    }
    controller_.end();
    return labels;
  }

  Controller& controller_;
  const faults::Property property_;
  const std::chrono::steady_clock::time_point end_;
  Steps one_that_holds_;
};

}  // namespace

std::optional<LastChance> last_chance(Controller& controller, const std::vector<std::string>& steps,
                                      faults::Property property, std::chrono::milliseconds budget) {
  ChanceSearch search(controller, property, budget);
  for (auto before = steps; !before.empty();) {
    const auto chosen = before.back();
    before.pop_back();
    const auto holds = search.can_hold(before);
    if (!holds) return std::nullopt;
    if (!*holds) continue;
    auto neighbour = search.one_that_holds();
    const auto instead = search.instead_of(chosen, before);
    if (!instead) return std::nullopt;
    return LastChance{.step = before.size() + 1,
                      .chosen = chosen,
                      .instead = *instead,
                      .neighbour = std::move(neighbour)};
  }
  return LastChance{};
}

std::optional<LastChance> last_chance_in_time(Controller& controller,
                                              const std::vector<std::string>& steps,
                                              faults::Property property) {
  constexpr std::chrono::seconds budget{20};
  try {
    return last_chance(controller, steps, property, budget);
  } catch (const Diverged&) {  // what was found before counts all the same
    return {};
  }
}

std::optional<LastChance> last_chance_of(Controller& controller, const Run& run) {
  if (!run.is_violated()) return {};
  const auto& finding = run.judgement.findings.front();
  const auto steps = static_cast<std::ptrdiff_t>(run.steps_until(finding));
  return last_chance_in_time(controller, {run.labels.begin(), run.labels.begin() + steps},
                             finding.property);
}

std::string line_of(const std::optional<LastChance>& chance) {
  return chance ? describe(*chance) + "\n" : "";
}

std::string describe(const LastChance& chance) {
  if (chance.step == 0) return "nothing could save it: every order breaks it";
  const auto after =
      fmt::format("after step {} ({}) nothing could save it", chance.step, chance.chosen);
  if (chance.instead.empty()) return after + "; without that step, some order holds";
  return fmt::format("{}; in its place {} could", after, fmt::join(chance.instead, ", or "));
}

}  // namespace explore

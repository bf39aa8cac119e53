#include "faults/explore/search/prefixes.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "faults/explore/search/choice_point.h"
#include "faults/explore/search/switch_limit.h"
#include "faults/kit/errors.h"

namespace explore {
namespace {

// Walks the tree of choices, depth first, as deep as the prefixes are long.
class Splitter {
 public:
  Splitter(Controller& controller, const SearchPlan& plan, std::size_t steps)
      : controller_(controller), plan_(plan), steps_(steps) {}

  [[nodiscard]] std::vector<Prefix> split() {
    std::vector<Prefix> prefixes;
    do {
      if (auto prefix = next()) prefixes.push_back(std::move(*prefix));
    } while (backtrack(path_));
    return prefixes;
  }

 private:
  // Nothing: all that could follow sleeps.
  [[nodiscard]] std::optional<Prefix> next() {
    RunRecorder recorder(controller_);
    SwitchLimit limit(plan_.switches, plan_.in_order);
    recorder.follow({.lock = controller_.plan().stage.name, .steps = steps_from(plan_.after)});
    std::vector<FaultKind> used;
    for (std::size_t step = 0; step < steps_; ++step) {
      const auto events = limit.allowed(controller_.events(plan_.rules(used, plan_.at_most, step)));
      if (events.empty()) break;
      if (step == path_.size()) path_.push_back(choice_point_after(path_, events, plan_));
      if (path_[step].chosen == path_[step].end) {
        controller_.end();
        return std::nullopt;
      }
      const auto& event = events.at(path_[step].chosen);
      if (const auto kind = fault_kind_of(event.kind)) used.push_back(*kind);
      limit.chosen(event);
      recorder.choose(event);
    }
    controller_.end();
    const auto& labels = recorder.labels();
    return Prefix{labels.begin() + static_cast<std::ptrdiff_t>(plan_.after.size()), labels.end()};
  }

  Controller& controller_;
  const SearchPlan& plan_;
  const std::size_t steps_;
  std::vector<ChoicePoint> path_;
};

}  // namespace

std::vector<Prefix> prefixes_of(const WorldPlan& world, const SearchPlan& plan, std::size_t steps,
                                faults::Reaper& reaper) {
  Controller controller(world, reaper);
  return Splitter(controller, plan, steps).split();
}

std::string to_line(const Prefix& prefix) {
  return nlohmann::json(prefix).dump() + "\n";
}

std::vector<Prefix> read_prefixes(const std::filesystem::path& file) {
  std::ifstream input(file);
  if (!input) throw faults::CannotRun(fmt::format("cannot read {}", file.native()));
  std::vector<Prefix> prefixes;
  int number = 0;
  for (std::string line; std::getline(input, line);) {
    ++number;
    if (line.empty()) continue;
    try {
      prefixes.push_back(nlohmann::json::parse(line).get<Prefix>());
    } catch (const nlohmann::json::exception&) {
      throw faults::CannotRun(
          fmt::format("{}, line {}: not a JSON array of steps", file.native(), number));
    }
  }
  if (prefixes.empty()) throw faults::CannotRun(fmt::format("{} has no prefix", file.native()));
  return prefixes;
}

}  // namespace explore

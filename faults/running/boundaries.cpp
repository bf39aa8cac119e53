#include "faults/running/boundaries.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "faults/kit/command_names.h"

namespace faults {
namespace {

// A command of an operation: what distinguishes it from the others.
struct Step {
  std::string label;
  std::string name;  // for people
  int nth = 0;       // of those with its label, from when the fault is armed
  bool follows_an_answer = true;
};

std::vector<Step> steps_of(const UndisturbedOperation& operation, const ScriptFiles& files) {
  std::vector<Step> steps;
  std::map<std::string, int> armed;  // how many there were, by label
  std::map<std::string, int> own;    // of the operation
  const auto is_done = [](const SeenCommand& command) { return !command.script_was_unknown; };
  for (const auto& command : operation.before) armed[command.label] += is_done(command) ? 1 : 0;
  for (const auto& command : operation.commands) {
    if (!is_done(command)) continue;
    const auto file = files.find(command.label);
    auto name = file == files.end() ? command.label : file->second;
    if (++own[command.label] > 1) name += fmt::format(" ({})", own[command.label]);
    steps.push_back({.label = command.label,
                     .name = name,
                     .nth = ++armed[command.label],
                     .follows_an_answer = command.follows_an_answer});
  }
  return steps;
}

// Does the client wait for the answer to step `i` before it sends the next one?
bool waits_after(const std::vector<Step>& steps, std::size_t i) {
  return i + 1 < steps.size() && steps[i + 1].follows_an_answer;
}

std::string name_of(const std::string& operation, const std::vector<Step>& steps,
                    Direction direction, std::size_t i) {
  const auto after = fmt::format("{}, after {}", operation, steps[i].name);
  if (direction == Direction::command) return fmt::format("{}{}", after, before_it_was_applied);
  if (!waits_after(steps, i)) return fmt::format("{}{}", after, before_its_answer);
  return fmt::format("{}{}{} was sent", after, between_two_commands, steps[i + 1].name);
}

bool has(const Sweep& sweep, Direction direction) {
  return std::find(sweep.directions.begin(), sweep.directions.end(), direction) !=
         sweep.directions.end();
}

}  // namespace

ScriptFiles script_files_of(const TestedLock& lock) {
  ScriptFiles files;
  for (const auto& script : scripts_of(lock))
    files[script_label(script_digest(script.text))] = script.name;
  return files;
}

std::vector<SweepBoundary> boundaries_of(const Sweep& sweep, const UndisturbedOperation& operation,
                                         const ScriptFiles& files) {
  const auto steps = steps_of(operation, files);
  std::vector<SweepBoundary> boundaries;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    for (const auto direction : {Direction::command, Direction::reply}) {
      if (!has(sweep, direction)) continue;
      boundaries.push_back({.direction = direction,
                            .nth = steps[i].nth,
                            .command = steps[i].label,
                            .place = static_cast<int>(i) + 1,
                            .more_follows = direction == Direction::reply && waits_after(steps, i),
                            .name = name_of(sweep.name(), steps, direction, i)});
    }
  }
  return boundaries;
}

std::vector<SweepBoundary> on_several(const std::vector<SweepBoundary>& of_one, int nodes,
                                      bool every_node) {
  std::vector<SweepBoundary> boundaries;
  for (std::size_t node = 0; node < (every_node ? static_cast<std::size_t>(nodes) : 1U); ++node) {
    for (const auto role : {Role::one_of_all, Role::deciding}) {
      // With two nodes, both are needed.
      if (nodes == 2 && role == Role::one_of_all) continue;
      for (auto boundary : of_one) {
        const auto where = every_node ? fmt::format("at node{}, ", node + 1) : std::string("at ");
        const auto what = role == Role::deciding ? std::string("a node that decides")
                                                 : fmt::format("one node of {}", nodes);
        boundary.name.insert(boundary.name.find(','), " " + where + what);
        boundary.role = role;
        boundary.node = node;
        boundaries.push_back(std::move(boundary));
      }
    }
  }
  return boundaries;
}

}  // namespace faults

#include "faults/running/boundaries.h"

#include <fmt/format.h>

#include <algorithm>

namespace faults {
namespace {

std::string name_of(const std::string& operation, const std::vector<std::string>& commands,
                    Direction direction, std::size_t i) {
  if (direction == Direction::command) {
    return fmt::format("{}, after {}{}", operation, commands[i], before_it_was_applied);
  }
  return i + 1 < commands.size()
             ? fmt::format("{}, after {}{}{} was sent", operation, commands[i],
                           between_two_commands, commands[i + 1])
             : fmt::format("{}, after {}{}", operation, commands[i], before_its_answer);
}

bool has(const Sweep& sweep, Direction direction) {
  return std::find(sweep.directions.begin(), sweep.directions.end(), direction) !=
         sweep.directions.end();
}

}  // namespace

std::vector<SweepBoundary> boundaries_of(const Sweep& sweep,
                                         const UndisturbedOperation& operation) {
  const auto& commands = operation.commands;
  std::vector<SweepBoundary> boundaries;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    for (const auto direction : {Direction::command, Direction::reply}) {
      if (!has(sweep, direction)) continue;
      boundaries.push_back(
          {.direction = direction,
           .nth = operation.before + static_cast<int>(i) + 1,
           .more_follows = direction == Direction::reply && i + 1 < commands.size(),
           .name = name_of(sweep.name(), commands, direction, i)});
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

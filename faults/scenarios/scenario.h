// A scenario: a name, a sentence, a story over the kit, and the properties it judges.
//
// It knows no stage: it speaks to clients, and any lock can stand behind a client.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "faults/judging/verdict.h"
#include "faults/kit/link.h"

namespace faults {

class World;

// Which messages of an operation a sweep puts its fault at.
struct Sweep {
  std::string operation;              // "acquire", "release" or "renew"
  std::vector<Direction> directions;  // commands: before they are applied; replies: after

  // What boundaries are named after: "acquire", "release" or "renewal".
  [[nodiscard]] std::string name() const { return operation == "renew" ? "renewal" : operation; }
};

struct Scenario {
  std::string name;
  std::string sentence;  // what happens, for people
  std::vector<Property> judged;
  // What must be in the history, or nothing was shown: words of `fault`, or `needs_contention`.
  std::vector<std::string_view> needs;
  // Can a machine that stands still break it, since somebody has to renew a lease in time?
  bool depends_on_time = false;
  std::optional<Sweep> sweep;  // if set: the story is told once for each boundary
  std::function<void(World&)> run;
  // On how many servers, if the lock is one on several. 0: on as many as it is declared for.
  int nodes = 0;
};

// Every scenario, in the order in which the lesson meets them.
[[nodiscard]] const std::vector<Scenario>& all_scenarios();

// The scenario of that name, or null.
[[nodiscard]] const Scenario* find_scenario(std::string_view name);

}  // namespace faults

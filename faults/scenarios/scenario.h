// A scenario: a name, a sentence, a function over a world, and the properties it judges.
//
// It knows no stage: it speaks to clients, and a client can contain any lock.
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
struct TestedLock;

// Which messages of an operation a sweep puts its fault at.
struct Sweep {
  std::string operation;              // "acquire", "release", "extend" or "renew"
  std::vector<Direction> directions;  // commands: before they are applied; replies: after
  bool default_lease = false;         // its acquire names no lease, and so sends other commands

  // The first word of its boundaries' names: "acquire", "release", "extend" or "renewal".
  [[nodiscard]] std::string name() const { return operation == "renew" ? "renewal" : operation; }
};

struct Scenario {
  std::string name;
  std::string sentence;  // what happens, for people
  std::vector<Property> judged;
  // Words of `fault`, or `needs_contention`, that must be in the history, or nothing was shown.
  std::vector<std::string_view> needs;
  // True if a stall of the machine can break it, since a client has to renew a lease in time.
  bool depends_on_time = false;
  // Its subject, if no stage has it: "queue", "fallback", "extend", "interrupt". Only a lock that
  // has that capability plays it.
  std::string_view beyond_stages = {};
  // Does it leave the lock's server alone, or only kill it? Then it needs no Redis.
  bool on_any_server = false;
  // Is it about a client that gives up on a reply? Then only a lock plays it that does.
  bool needs_timeout = false;
  // On so many servers at least, where they elect a leader: one goes, and the others go on.
  int fewest_that_elect = 1;
  // On fewer servers there is nothing to vote about, or not enough of them.
  int fewest_servers = 1;
  // No stage has what it is about: it is not in the table of the stages.
  [[nodiscard]] bool is_beside_the_stages() const { return !beyond_stages.empty(); }
  // Capabilities, in the words of docs/client-protocol.md, or "freed" for a lease or a session: a
  // lock that does not promise each of them need not survive it. Only asked of locks that are no
  // stages.
  std::vector<std::string_view> promises = {};
  std::optional<Sweep> sweep = {};  // if set: one execution for each boundary
  std::function<void(World&)> run;
  // On how many servers, if the lock is one on several. 0: on as many as it is declared for.
  int nodes = 0;
};

// Why `scenario` does not apply to another person's lock, such as "not promised: ...", or why its
// verdict would prove nothing: then it begins with `cannot_be_judged`. Empty if it applies, and for
// a stage, whose declaration says that.
inline constexpr std::string_view cannot_be_judged = "could not be judged";
[[nodiscard]] std::string why_not_applicable(const Scenario& scenario, const TestedLock& lock);

// Every scenario, in the order in which the lesson meets them.
[[nodiscard]] const std::vector<Scenario>& all_scenarios();

// The scenario of that name, or null.
[[nodiscard]] const Scenario* find_scenario(std::string_view name);

}  // namespace faults

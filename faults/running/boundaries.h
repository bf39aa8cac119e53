// The boundaries of a sweep: where an operation can be hit by a fault, with their names for people.
//
// Thread-safety: values.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "faults/kit/link.h"
#include "faults/scenarios/scenario.h"
#include "faults/world/sweep_fault.h"
#include "faults/world/tested_lock.h"

namespace faults {

// How the name of a boundary ends ("release, after DEL was sent, before it was applied"), or a part
// of it.
inline constexpr std::string_view before_it_was_applied = " was sent, before it was applied";
inline constexpr std::string_view between_two_commands = " was answered, before ";
inline constexpr std::string_view before_its_answer = " was applied, before its answer arrived";

// An operation as it goes without a fault.
struct UndisturbedOperation {
  std::vector<SeenCommand> commands;
  std::vector<SeenCommand> before = {};  // they come before, once a fault is armed
};

// The names of scripts' files, by their labels.
using ScriptFiles = std::map<std::string, std::string>;
[[nodiscard]] ScriptFiles script_files_of(const TestedLock& lock);

// Every boundary of the operation, in the order in which it passes them, each by a name of its own.
// A command of a script that the server did not know is none: it is sent again.
[[nodiscard]] std::vector<SweepBoundary> boundaries_of(const Sweep& sweep,
                                                       const UndisturbedOperation& operation,
                                                       const ScriptFiles& files = {});

// The boundaries of a sweep on several servers: at the first one, in each role that it can have;
// or, if `every_node`, at every one.
[[nodiscard]] std::vector<SweepBoundary> on_several(const std::vector<SweepBoundary>& of_one,
                                                    int nodes, bool every_node);

}  // namespace faults

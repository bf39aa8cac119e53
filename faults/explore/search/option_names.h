// The names of faults, operations and properties on the command line of a search.
//
// Thread-safety: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "faults/judging/verdict.h"

namespace explore {

// "freeze,kill" as kinds of faults (FaultKind). Throws CannotRun, with the names that there are.
[[nodiscard]] unsigned faults_from(std::string_view words);
[[nodiscard]] std::string to_words(unsigned faults, std::string_view separator = ", ");

// "work,release" as operations. Throws CannotRun.
[[nodiscard]] std::vector<std::string> operations_from(std::string_view words);

// "mutual exclusion,liveness" as properties; empty: all that a search judges. Throws CannotRun.
[[nodiscard]] std::vector<faults::Property> properties_from(std::string_view words);

}  // namespace explore

// The words of a search on the command line: faults, operations, properties.
//
// Thread-safety: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "faults/judging/verdict.h"

namespace explore {

// "freeze,kill" as kinds of faults. Throws CannotRun, with the words that there are.
[[nodiscard]] unsigned faults_from(std::string_view words);
[[nodiscard]] std::string to_words(unsigned faults, std::string_view separator = ", ");

// "work,release" as operations. Throws CannotRun.
[[nodiscard]] std::vector<std::string> operations_from(std::string_view words);

// "mutual exclusion,liveness" as properties; empty: all that a search judges. Throws CannotRun.
[[nodiscard]] std::vector<faults::Property> properties_from(std::string_view words);

}  // namespace explore

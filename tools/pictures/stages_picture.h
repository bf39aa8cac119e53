// The eight stages in one picture: the idea of each, its commands, and the fault that breaks it and
// leads to the next.
//
// The words are in stages.LANGUAGE.json; how many scenarios hold is counted in the declarations.
// Thread-safety: pure function.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "faults/world/tested_lock.h"

namespace pictures {

// An SVG file. `words` is such a JSON; throws CannotRun if it has not as many stages, or names a
// scenario that is not declared to break its stage.
[[nodiscard]] std::string picture_of_stages(const std::vector<faults::TestedLock>& stages,
                                            std::string_view words);

}  // namespace pictures

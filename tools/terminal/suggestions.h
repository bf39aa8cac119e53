// Suggests corrections for mistyped names.
//
// Thread-safety: pure functions.
#pragma once

#include <string>
#include <vector>

namespace terminal {

// " did you mean a, b?" with the candidates that `name` may be a misspelling of: the closest first,
// at most three, and of several that are equally near all or none. Empty if there are none.
[[nodiscard]] std::string did_you_mean(const std::string& name,
                                       const std::vector<std::string>& candidates);

}  // namespace terminal

// Two orders side by side: one that breaks a property, and its nearest neighbour that holds
// (last_chance.h). The first difference is marked.
//
// Thread-safety: a pure function.
#pragma once

#include <functional>
#include <string>

#include "faults/explore/search/run_recorder.h"
#include "faults/judging/timeline.h"

namespace explore {

// The timeline of `holds`, and the steps of both, as `say` puts them. Of those that both begin with
// it has a few.
[[nodiscard]] std::string describe_side_by_side(
    const Run& broken, const Run& holds, const faults::Paint& paint,
    const std::function<std::string(const std::string& label)>& say = std::identity());

}  // namespace explore

// Every picture of docs/pictures/, made from what it shows.
//
// `lab record` rewrites them, also with --keep; a test compares them. To have a picture of one more
// run, make an empty docs/pictures/stageN_SCENARIO.svg, and call `lab record`: it keeps the run.
#pragma once

#include <vector>

#include "faults/world/tested_lock.h"
#include "tools/book/documents.h"

namespace pictures {

// Throws CannotRun if the run of a picture was not recorded.
[[nodiscard]] std::vector<book::Document> all_pictures(
    const std::vector<faults::TestedLock>& stages);

}  // namespace pictures

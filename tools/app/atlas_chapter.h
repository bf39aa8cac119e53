// The blocks of docs/atlas.md that are made of the recorded atlas.
#pragma once

#include <vector>

#include "faults/explore/atlas/findings.h"

namespace app {

// Rewrites the blocks. Throws CannotRun.
void write_atlas_chapter(const std::vector<atlas::Finding>& all);

}  // namespace app

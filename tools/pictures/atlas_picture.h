// The atlas of small locks in one picture: a row for each of the smallest, a column for each kind
// of fault, a cell green or red.
//
// Thread-safety: pure function.
#pragma once

#include <string>
#include <vector>

#include "faults/explore/atlas/findings.h"

namespace pictures {

// An SVG file.
[[nodiscard]] std::string picture_of_atlas(const std::vector<atlas::Finding>& all);

}  // namespace pictures

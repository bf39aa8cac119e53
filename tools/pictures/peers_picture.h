// What other people's locks do in a second, beside the stages: a bar for each row of the table of
// peers in docs/benchmarks.md.
//
// Thread-safety: pure function.
#pragma once

#include <string>

namespace pictures {

// An SVG file. `chapter` is the whole of docs/benchmarks.md. Throws CannotRun if its table of peers
// is not there, or has other rows than `| SERVERS/CLIENTS/LOCK | PAIRS A SECOND | … |`.
[[nodiscard]] std::string picture_of_peers(const std::string& chapter);

}  // namespace pictures

// A recorded run as a picture: what the terminal's timeline and the report's page show, for a page
// that cannot run anything.
//
// Bars where a client believes that it has the lock, and where a server has it and for whom; faults
// across the lanes; the verdict at the foot. Thread-safety: pure function.
#pragma once

#include <string>

#include "faults/kit/history.h"
#include "tools/terminal/language.h"

namespace pictures {

// An SVG file.
[[nodiscard]] std::string picture_of_run(const faults::Record& record,
                                         const terminal::Language& language = {});

}  // namespace pictures

// A terminal in which a recorded run appears line by line, as `./lab run` prints it: an SVG that
// moves by CSS alone, and begins anew at its end.
//
// Where nothing moves (a PDF, or a person who asked for less motion) it shows the end: the verdict.
// Thread-safety: pure function.
#pragma once

#include <string>

#include "faults/kit/history.h"
#include "tools/terminal/language.h"

namespace pictures {

// An SVG file. `command` is what is typed first.
[[nodiscard]] std::string picture_of_terminal(const faults::Record& record,
                                              const std::string& command,
                                              const terminal::Language& language = {});

}  // namespace pictures

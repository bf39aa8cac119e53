// A long text for a person: a screen at a time on a terminal, straight on elsewhere.
#pragma once

#include <string>

namespace terminal {

// Writes `text` to standard output. On a terminal by way of $PAGER, or of less(1) if that is not
// set, and returns when the reader has seen enough; Ctrl-C is the pager's as long as it runs.
// Without a pager in between if PAGER is empty, if the terminal is a dumb one (TERM), or if the
// pager cannot be run: nothing is lost.
void show_paged(const std::string& text);

}  // namespace terminal

// For tests: what is to be said of a program that was called as a person calls it.
#pragma once

#include <cstddef>
#include <string>

#include "terminal/testing/child.h"

namespace terminal {

// It could not do its work and said so in one sentence, with `part` in it: exit code 2, nothing on
// standard output, nothing left behind.
void expect_one_sentence(const Playground& playground, const Ended& ended, const std::string& part);

// What was started in `playground` is gone, and so is what it made in `temporary()`; within 5 s.
void expect_nothing_left(const Playground& playground);

// Waits until `count` processes that were started in `playground` live. Throws std::runtime_error
// after 30 s.
void await_processes(const Playground& playground, std::size_t count);

}  // namespace terminal

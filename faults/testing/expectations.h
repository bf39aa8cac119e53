// For tests: checks of a program that was called as a person calls it.
#pragma once

#include <cstddef>
#include <string>

#include "faults/testing/called_program.h"

namespace faults {

// Expects that the program failed with one sentence that contains `part`: exit code 2, nothing on
// standard output, nothing left behind.
void expect_one_sentence(const Playground& playground, const ProgramResult& ended,
                         const std::string& part);

// Expects that all processes of `playground` and all files in `temporary()` are gone within 5 s.
void expect_nothing_left(const Playground& playground);

// Waits until `count` processes of `playground` live. Throws std::runtime_error after 30 s.
void await_processes(const Playground& playground, std::size_t count);

}  // namespace faults

// Says what is wrong with a command line, in one sentence.
//
// Thread-safety: pure functions.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace terminal {

// Throws CannotRun, with the nearest names, unless `word` is a command of `app`, or an option.
// `called` is how `app` is called, such as "./lab".
void must_know(const CLI::App& app, const std::string& called, const std::string& word);

// A sentence about the words that `app` did not accept, with what to do. `called` as above.
[[nodiscard]] std::string what_is_wrong(const CLI::App& app, std::string called,
                                        const CLI::ParseError& error);

}  // namespace terminal

// Says what is wrong with a command line, in one sentence, and in which language.
//
// Thread-safety: pure functions.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "tools/terminal/language.h"

namespace terminal {

// Throws CannotRun, with the nearest names, unless `word` is a command of `app`, or an option.
// `called` is how `app` is called, such as "./lab".
void must_know(const CLI::App& app, const std::string& called, const std::string& word);

// A sentence about the words that `app` did not accept, with what to do. `called` as above.
[[nodiscard]] std::string what_is_wrong(const CLI::App& app, std::string called,
                                        const CLI::ParseError& error);

// The language that `words` ask for, whatever else is wrong with them; English for an unknown one.
[[nodiscard]] Language language_of(const std::vector<std::string>& words);

}  // namespace terminal

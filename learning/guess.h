// Predict, then run: one keystroke before a scenario runs, kept beside what came.
//
// Only on a terminal, both ways: never in a pipe, where nobody could answer.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "faults/judging/verdict.h"
#include "learning/progress.h"
#include "workshop/commands.h"

namespace learning {

// What one can guess, and what can come: "holds", "two inside", "stuck", "something else".
[[nodiscard]] std::string what_came(faults::Verdict verdict,
                                    const std::vector<faults::Property>& broken);

// Asks for one key. Nothing if nobody can be asked, or he has no idea.
[[nodiscard]] std::optional<std::string> ask_for_guess(std::string_view question);

// The guess for a key: h, t, s or o. Nothing for any other.
[[nodiscard]] std::optional<std::string> guess_for(char key);

// For the tour: asks before each run, and keeps guess and outcome in the learner's progress below
// `directory`. Asks nobody unless `wanted`.
[[nodiscard]] workshop::Guess guessing(std::filesystem::path directory, bool wanted);

// Keeps one, and says both on standard output.
void keep_guess(Progress& progress, const Guess& guess);

}  // namespace learning

// `lab learn score`: what was guessed before runs, and what came.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "tools/learning/learn.h"
#include "tools/learning/progress.h"
#include "tools/terminal/exit_codes.h"

namespace learning {

namespace {

nlohmann::json json_of(const std::vector<Guess>& guesses, std::ptrdiff_t right) {
  auto array = nlohmann::json::array();
  for (const auto& guess : guesses) {
    array.push_back({{"lock", guess.lock},
                     {"scenario", guess.scenario},
                     {"guessed", guess.guessed},
                     {"happened", guess.happened},
                     {"guessed_at", guess.guessed_at},
                     {"happened_at", guess.happened_at},
                     {"right", guess.was_right()}});
  }
  return {{"right", right}, {"of", guesses.size()}, {"guesses", array}};
}

void show(const Guess& guess, const terminal::Options& options) {
  const auto& paint = options.paint;
  const auto& language = options.language;
  const bool surprise = !guess.was_right();
  std::cout << (surprise ? paint.red("  ✗ ") : paint.green("  ✓ "))
            << fmt::format("{:<22} {:<22} {}\n", guess.lock, guess.scenario,
                           language(surprise ? fmt::format("you said: {}; it was: {} (a surprise)",
                                                           guess.said(), guess.came())
                                             : guess.came()));
}

}  // namespace

int score(const Options& options) {
  const auto guesses = read_progress(options.directory).guesses;
  const auto right = std::count_if(guesses.begin(), guesses.end(),
                                   [](const Guess& guess) { return guess.was_right(); });
  if (options.common.json) {
    std::cout << json_of(guesses, right).dump(2) << '\n';
  } else if (guesses.empty()) {
    std::cout << options.common.language(fmt::format(
        "nothing was guessed so far; you are asked before a run by {}, and by the tour (./lab)\n",
        options.command("check")));
  } else {
    const auto heading = fmt::format("{} of {} guesses were right", right, guesses.size());
    std::cout << options.common.paint.bold(options.common.language(heading)) << '\n';
    for (const auto& guess : guesses) show(guess, options.common);
  }
  return terminal::exit_holds;
}

}  // namespace learning

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

void show(const Guess& guess, const faults::Paint& paint) {
  const bool surprise = !guess.was_right();
  std::cout << (surprise ? paint.red("  ✗ ") : paint.green("  ✓ "))
            << fmt::format("{:<22} {:<22} {}\n", guess.lock, guess.scenario,
                           surprise ? fmt::format("you said: {}; it was: {} (a surprise)",
                                                  guess.said(), guess.came())
                                    : guess.came());
}

}  // namespace

int score(const Options& options) {
  const auto guesses = read_progress(options.directory).guesses;
  const auto right = std::count_if(guesses.begin(), guesses.end(),
                                   [](const Guess& guess) { return guess.was_right(); });
  if (options.common.json) {
    std::cout << json_of(guesses, right).dump(2) << '\n';
  } else if (guesses.empty()) {
    std::cout << fmt::format(
        "nothing was guessed so far; you are asked before a run by {}, and by the tour (./lab)\n",
        options.command("check"));
  } else {
    const auto& paint = options.common.paint;
    std::cout << paint.bold(fmt::format("{} of {} guesses were right", right, guesses.size()))
              << '\n';
    for (const auto& guess : guesses) show(guess, paint);
  }
  return terminal::exit_holds;
}

}  // namespace learning

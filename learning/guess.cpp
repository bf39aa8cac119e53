#include "learning/guess.h"

#include <fmt/format.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <iostream>
#include <utility>

#include "workshop/console.h"

namespace learning {
namespace {

using faults::Property;
using faults::Verdict;

constexpr char ctrl_c = '\x03';

// While it lives, a key is read as soon as it is pressed, and not shown. Ctrl-C is a key as well,
// so that the terminal is put right before the program ends of it.
class OneKey {
 public:
  OneKey() {
    tcgetattr(STDIN_FILENO, &before_);
    auto raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG);
    // What was typed before the question is no answer to it.
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw);
  }
  ~OneKey() { put_right(); }
  OneKey(const OneKey&) = delete;
  OneKey& operator=(const OneKey&) = delete;

  void put_right() const { tcsetattr(STDIN_FILENO, TCSADRAIN, &before_); }
  [[nodiscard]] static char read_it() {
    char key = '\n';
    return ::read(STDIN_FILENO, &key, 1) == 1 ? key : '\n';
  }

 private:
  termios before_{};
};

}  // namespace

std::string what_came(Verdict verdict, const std::vector<Property>& broken) {
  if (verdict == Verdict::holds) return "holds";
  const auto has = [&](Property property) {
    return std::find(broken.begin(), broken.end(), property) != broken.end();
  };
  if (has(Property::mutual_exclusion)) return "two inside";
  return has(Property::liveness) ? "stuck" : "something else";
}

std::optional<std::string> guess_for(char key) {
  switch (key) {
    case 'h': return "holds";
    case 't': return "two inside";
    case 's': return "stuck";
    case 'o': return "something else";
    default: return std::nullopt;
  }
}

std::optional<std::string> ask_for_guess(std::string_view question) {
  if (!workshop::output_is_terminal() || isatty(STDIN_FILENO) != 1) return std::nullopt;
  const OneKey terminal;
  std::cout << question
            << "\nWhat will happen?  [h] it holds   [t] two inside, a write is lost   [s] stuck, "
               "nobody gets in\n                   [o] something else breaks   [Enter] no idea  "
            << std::flush;
  const char key = OneKey::read_it();
  if (key == ctrl_c) {
    terminal.put_right();
    (void)std::raise(SIGINT);
  }
  const auto guess = guess_for(key);
  std::cout << guess.value_or("no idea") << "\n\n" << std::flush;
  return guess;
}

void keep_guess(Progress& progress, const Guess& guess) {
  progress.guesses.push_back(guess);
  std::cout << fmt::format("you said: {}; it came: {}\n", guess.guessed, guess.happened)
            << std::flush;
}

workshop::Guess guessing(std::filesystem::path directory, bool wanted) {
  return [directory = std::move(directory), wanted](const faults::Stage& stage,
                                                    const faults::Scenario& scenario) {
    const auto guessed =
        wanted ? ask_for_guess(fmt::format("{}: {}.", scenario.name, scenario.sentence))
               : std::nullopt;
    return [directory, guessed, lock = stage.name](const faults::Result& result) {
      if (!guessed) return;
      auto progress = read_progress(directory);
      keep_guess(progress, {.lock = lock,
                            .scenario = result.scenario,
                            .guessed = *guessed,
                            .happened = what_came(result.verdict(), result.broken())});
      write_progress(directory, progress);
    };
  };
}

}  // namespace learning

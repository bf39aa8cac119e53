#include "learning/guess.h"

#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "workshop/console.h"

namespace learning {
namespace {

using faults::Property;
using faults::Verdict;

// While it lives, a key is read as soon as it is pressed, and not shown.
class OneKey {
 public:
  OneKey() {
    tcgetattr(STDIN_FILENO, &before_);
    auto raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
  }
  ~OneKey() { tcsetattr(STDIN_FILENO, TCSADRAIN, &before_); }
  OneKey(const OneKey&) = delete;
  OneKey& operator=(const OneKey&) = delete;

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
  std::cout << question
            << "\nWhat will happen?  [h] it holds   [t] two inside, a write is lost   [s] stuck, "
               "nobody gets in\n                   [o] something else breaks   [Enter] no idea  "
            << std::flush;
  const OneKey terminal;
  const auto guess = guess_for(OneKey::read_it());
  std::cout << guess.value_or("no idea") << "\n\n" << std::flush;
  return guess;
}

}  // namespace learning

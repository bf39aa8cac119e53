#include "tools/learning/guess.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <iostream>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/terminal/console.h"
#include "tools/terminal/raw_keyboard.h"
#include "tools/terminal/text.h"

namespace learning {
namespace {

constexpr char leave_key = 'q';

// A key, the word that it stands for, and what one reads beside it.
struct Choice {
  char key;
  std::string word;
  std::string text;
};

// What is asked, and in which language.
struct Question {
  std::string text;
  std::vector<Choice> choices;
  bool may_leave = false;
  const terminal::Language& language;
};

void show(const Question& question) {
  std::cout << terminal::wrapped(question.language(question.text));
  for (const auto& choice : question.choices) {
    std::cout << fmt::format("  [{}] {}\n", choice.key, question.language(choice.text));
  }
  const auto* others = question.may_leave ? "[Enter] no idea, [q] leaves" : "[Enter] no idea";
  std::cout << fmt::format("  {}  ", question.language(others)) << std::flush;
}

// Ends the program if the key was Ctrl-C.
void heed_ctrl_c(const terminal::RawKeyboard& keyboard, bool was_ctrl_c) {
  if (!was_ctrl_c) return;
  keyboard.restore();
  terminal::end_as_of_ctrl_c();
}

// The word for the key that is pressed; empty for Enter. Others are no answer, and neither is an
// Enter directly after one. The first brings a hint, and each such Enter.
std::string ask(const Question& question) {
  const auto& choices = question.choices;
  const terminal::RawKeyboard keyboard;
  show(question);
  std::string word;
  for (bool told = false, was_wrong = false;;) {
    const char key = terminal::RawKeyboard::read_key();
    if (key == terminal::ctrl_d || (key == '\n' && !was_wrong)) break;
    heed_ctrl_c(keyboard, key == terminal::ctrl_c);
    if (question.may_leave && key == leave_key) {
      std::cout << '\n';
      throw terminal::Leave();
    }
    const auto chosen = std::find_if(choices.begin(), choices.end(),
                                     [key](const Choice& choice) { return choice.key == key; });
    if (chosen != choices.end()) {
      word = chosen->word;
      break;
    }
    was_wrong = key != '\n';
    if (key == '\n') std::cout << '\n';
    if (!std::exchange(told, true) || key == '\n') {
      std::cout << question.language("one of the keys in brackets, please") << "  " << std::flush;
    }
  }
  heed_ctrl_c(keyboard, keyboard.ends_in_ctrl_c());
  std::cout << question.language(word.empty() ? "no idea" : word) << "\n\n" << std::flush;
  return word;
}

// The clients of which the scenario's sentence speaks.
std::vector<std::string> clients_in(const std::string& sentence) {
  const auto in_word = [&](std::size_t at) {
    return at < sentence.size() && std::isalnum(static_cast<unsigned char>(sentence[at])) != 0;
  };
  std::set<std::string> names;
  for (std::size_t i = 0; i < sentence.size(); ++i) {
    if (sentence[i] < 'A' || sentence[i] > 'D') continue;
    if ((i > 0 && in_word(i - 1)) || in_word(i + 1)) continue;
    names.insert(sentence.substr(i, 1));
  }
  return {names.begin(), names.end()};
}

// Each pair of three clients that may both be inside has a key of its own.
std::vector<Choice> what_can_come(const faults::Scenario& scenario) {
  std::vector<Choice> choices{
      {'h', "holds", "all is well: no write is lost, and nobody waits in vain"}};
  auto clients = clients_in(scenario.sentence);
  if (clients.size() < 2) clients = {"A", "B"};
  char key = clients.size() == 2 ? 't' : '1';
  for (auto one = clients.begin(); one != clients.end(); ++one) {
    for (auto other = one + 1; other != clients.end(); ++other) {
      const auto word = two_inside(*one, *other);
      choices.push_back({key++, word, word + "; a write is lost"});
    }
  }
  choices.push_back({'s', "stuck", "stuck: nobody gets in"});
  choices.push_back({'o', "something else", "something else breaks"});
  return choices;
}

std::vector<Choice> where_it_can_break(const faults::Sweep& sweep) {
  std::vector<Choice> choices{
      {'b', "between two commands", "between two commands: one was answered, the next is not sent"},
      {'a', "before the answer", "before the answer: all was done, and it has not heard of it"}};
  const auto& directions = sweep.directions;
  const bool commands = std::find(directions.begin(), directions.end(),
                                  faults::Direction::command) != directions.end();
  if (commands) {
    choices.insert(choices.begin(),
                   {'w', "on the way", "on the way: a command was sent, and is not yet applied"});
  }
  return choices;
}

}  // namespace

std::optional<Guessed> ask_for_guess(const faults::Scenario& scenario,
                                     const terminal::Language& language, bool may_leave) {
  if (!terminal::output_is_terminal() || isatty(STDIN_FILENO) != 1) return std::nullopt;
  const auto ask_one = [&](const std::string& text, const std::vector<Choice>& choices) {
    return ask({.text = text, .choices = choices, .may_leave = may_leave, .language = language});
  };
  const auto what = fmt::format("{}: {}. What will happen?", scenario.name, scenario.sentence);
  Guessed guessed{.what = ask_one(what, what_can_come(scenario)), .where = {}};
  if (guessed.what.empty()) return std::nullopt;
  if (guessed.what != "holds" && scenario.sweep) {
    const auto& sweep = *scenario.sweep;
    guessed.where =
        ask_one(fmt::format("Where in the {}?", sweep.name()), where_it_can_break(sweep));
  }
  return guessed;
}

void keep_guess(const std::filesystem::path& directory, const std::string& lock,
                const std::string& scenario, const Guessed& guessed, const Outcome& outcome,
                const terminal::Language& language) {
  const Guess guess{.lock = lock,
                    .scenario = scenario,
                    .guessed = guessed.what,
                    .happened = outcome.what,
                    .guessed_at = guessed.where,
                    .happened_at = outcome.where};
  std::cout << language(fmt::format("you said: {}; it was: {}\n", guess.said(), guess.came()))
            << std::flush;
  change_progress(directory, [&](Progress& progress) { progress.guesses.push_back(guess); });
}

Predictor make_predictor(std::filesystem::path directory, bool wanted,
                         terminal::Language language) {
  return [directory = std::move(directory), wanted, language = std::move(language)](
             const faults::TestedLock& stage, const faults::Scenario& scenario) {
    const auto guessed = wanted ? ask_for_guess(scenario, language, true) : std::nullopt;
    return [directory, guessed, language, lock = stage.name](const faults::Result& result) {
      // A run that showed nothing says nothing about a guess either.
      const auto verdict = result.verdict();
      const bool showed = verdict == faults::Verdict::holds || verdict == faults::Verdict::violated;
      if (!guessed || !showed) return;
      keep_guess(directory, lock, result.scenario, *guessed, outcome_of(result), language);
    };
  };
}

}  // namespace learning

// What a check says to a person.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <set>
#include <utility>

#include "faults/running/describe.h"
#include "learning/check.h"
#include "terminal/text.h"

namespace learning {
namespace {

using faults::Paint;
using terminal::wrapped;

void show_build_error(const Built& built, const WorkingCopy& copy, const Paint& paint) {
  std::cout << paint.red("it does not compile yet") << "\n\n"
            << built.error << '\n'
            << paint.dim(built.excerpt) << '\n';
  if (built.more > 0) {
    std::cout << fmt::format("{} more error{} after that; the first is often the cause of all\n",
                             built.more, built.more == 1 ? "" : "s");
  }
  std::cout << fmt::format("everything that was said: {}\n",
                           copy.shown(built.log.filename().native()));
}

void show_story(const Trial& trial, const Paint& paint) {
  if (trial.history.empty()) return;
  auto record = faults::read_record(trial.history);
  if (trial.broken_off && !record.empty()) {
    record.push_back({.number = record.size(),
                      .at = record.back().at,
                      .process = {},
                      .kind = faults::Kind::not_exercised,
                      .data = {{"why", trial.sentence}}});
  }
  std::cout << faults::describe_record(record, paint) << '\n';
}

// What else is red: each mistake once, the most specific first, and in which other stories it
// shows. Before the first of them comes `heading`.
void show_other_reds(const Checked& checked, const Trial& red, std::string_view heading,
                     const Paint& paint) {
  std::vector<const Trial*> others;
  for (const auto& trial : checked.trials) {
    if (!trial.holds() && &trial != &red && trial.diagnosis) others.push_back(&trial);
  }
  const auto rank = [](const Trial* trial) {
    return std::pair(!trial->is_explained(), trial->diagnosis->place);
  };
  std::stable_sort(others.begin(), others.end(),
                   [&](const Trial* a, const Trial* b) { return rank(a) < rank(b); });
  std::set<std::string> said;
  std::vector<std::string> the_same;
  if (red.diagnosis) said.insert(red.diagnosis->key);
  for (const auto* trial : others) {
    // What could not be told is no second mistake.
    const bool is_told = trial->verdict == faults::Verdict::violated || trial->is_explained();
    if (!said.insert(trial->diagnosis->key).second) {
      if (is_told) the_same.push_back(trial->scenario);
      continue;
    }
    std::cout << std::exchange(heading, "");
    std::cout << (is_told ? paint.red("✗ ") : paint.dim("– "))
              << wrapped(trial->scenario + ": " + trial->diagnosis->sentence, "  ").substr(2);
  }
  if (the_same.empty()) return;
  constexpr std::size_t enough = 6;
  const auto more = the_same.size() - std::min(the_same.size(), enough);
  the_same.resize(std::min(the_same.size(), enough));
  std::cout << paint.red("✗ ")
            << wrapped(fmt::format("also red: {}{}", fmt::join(the_same, ", "),
                                   more > 0 ? fmt::format(", and {} more", more) : ""),
                       "  ")
                   .substr(2);
}

void say_how_alone(const Trial& trial, const Paint& paint) {
  std::cout << paint.dim("this story alone: ./lab learn check " + trial.scenario) << '\n';
}

void show_red(const Checked& checked, const Desk& desk, const Paint& paint) {
  const auto& red = *checked.red();
  const bool story = &red == &checked.trials.front();
  show_story(red, paint);
  if (!story) {
    std::cout << paint.green("its story holds now")
              << ", and another promise does not: " << paint.bold(red.scenario) << '\n';
  }
  std::cout << paint.red("✗ ")
            << wrapped(red.diagnosis ? red.diagnosis->sentence : red.sentence, "  ").substr(2);
  const bool others_may = !red.is_explained() && checked.trials.size() > 1;
  show_other_reds(checked, red, others_may ? "what may be why:\n" : "", paint);
  const auto& exercise = desk.here();
  std::cout << "\nopen:";
  for (const auto& file : exercise.open) std::cout << "  " << desk.copy(exercise).shown(file);
  std::cout << '\n' << what_one_can_do << '\n';
  if (!story) say_how_alone(red, paint);
  if (!red.history.empty()) {
    std::cout << paint.dim("this run: ./lab judge " +
                           red.history.parent_path().parent_path().native())
              << '\n';
  }
}

void show_nothing(const Trial& trial, const Paint& paint) {
  const auto& why = trial.diagnosis ? trial.diagnosis->sentence : trial.sentence;
  std::cout << paint.yellow("? ") << wrapped(trial.scenario + ": " + why, "  ").substr(2);
}

void show_green(const Checked& checked, const Desk& desk, const std::string& only,
                const Paint& paint) {
  const auto count = checked.trials.size();
  if (const auto* remarked = checked.remarked()) {
    std::cout << paint.yellow("! ")
              << wrapped((only.empty() ? "every story" : only) +
                             " holds, and yet: " + remarked->remark->sentence,
                         "  ")
                     .substr(2)
              << "  Here it broke no promise; in production it may.\n";
    if (only.empty()) say_how_alone(*remarked, paint);
    return;
  }
  if (!only.empty()) {
    std::cout << paint.green(fmt::format("✓ {} holds", only))
              << "; all the others: ./lab learn check\n";
    return;
  }
  std::cout << paint.green(fmt::format("✓ {} holds, and so do all {} promises",
                                       desk.here().scenario, count))
            << "\n\nwhy it is done so: ./lab learn hint · ours: solution";
  if (const auto* next = desk.next()) {
    std::cout << fmt::format(" · next: ./lab learn start {}", next->name);
  } else {
    std::cout << '\n' << after_the_last;
  }
  std::cout << '\n';
}

}  // namespace

void show(const Options& options, const Desk& desk, const Checked& checked) {
  const auto& paint = options.common.paint;
  std::cout << paint.bold(headline(desk.here())) << "\n\n";
  if (!checked.built.succeeded()) {
    show_build_error(checked.built, desk.copy(desk.here()), paint);
  } else if (checked.shows_nothing()) {
    show_nothing(*checked.red(), paint);
  } else if (checked.red() != nullptr) {
    show_red(checked, desk, paint);
  } else {
    show_green(checked, desk, options.only, paint);
  }
  std::cout << std::flush;
}

}  // namespace learning

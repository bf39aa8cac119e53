// The report of a check to a person.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <set>
#include <utility>

#include "faults/kit/shell_word.h"
#include "faults/running/result_text.h"
#include "tools/learning/check.h"
#include "tools/terminal/text.h"

namespace learning {
namespace {

using faults::Paint;
using terminal::Language;
using terminal::wrapped;

struct Look {
  const Paint& paint;
  const Language& language;
};

Look look_of(const Options& options) {
  return {.paint = options.common.paint, .language = options.common.language};
}

// `sign`, and a sentence whose other lines begin after it.
void show_after_sign(const std::string& sign, const std::string& sentence) {
  std::cout << sign << wrapped(sentence, "  ").substr(2);
}

void show_build_error(const Options& options, const Built& built, const Workspace& copy) {
  const auto& [paint, language] = look_of(options);
  std::cout << paint.red(language("it does not compile yet")) << "\n\n"
            << language(built.error) << '\n'
            << paint.dim(built.excerpt) << '\n';
  if (built.more > 0) {
    std::cout << language(terminal::counted(built.more, "more error") +
                          " after that; the first is often the cause of all\n");
  }
  std::cout << language(
      fmt::format("everything that was said: {}\n", copy.shown(built.log.filename().native())));
}

void show_story(const Options& options, const Trial& trial) {
  if (trial.history.empty()) return;
  auto record = faults::read_record(trial.history);
  if (trial.broken_off && !record.empty()) {
    record.push_back({.number = record.size(),
                      .at = record.back().at,
                      .process = {},
                      .kind = faults::Kind::not_exercised,
                      .data = {{"why", trial.sentence}}});
  }
  const auto& [paint, language] = look_of(options);
  std::cout << language(faults::describe_record(record, paint)) << '\n';
}

// A mistake: what happened, the evidence, what to do.
void show_mistake(const Options& options, const Diagnosis& mistake) {
  const auto& [paint, language] = look_of(options);
  show_after_sign(paint.red("✗ "), language(mistake.sentence));
  std::cout << wrapped(language("seen: " + mistake.where), "  ")
            << wrapped(language("look at: " + mistake.look_at), "  ");
}

// How ours differs; what ours does is shown from the first hint on.
void show_difference(const Trial& trial, const Options& options, bool ours_is_shown) {
  if (!trial.difference) return;
  const auto& difference = *trial.difference;
  const auto& language = options.common.language;
  const auto what = ours_is_shown ? difference.sentence() : difference.without_ours();
  std::cout << wrapped(language("the first difference to ours: " + what), "  ");
  if (!ours_is_shown) {
    std::cout << language(
        fmt::format("  (what ours does there: after {})\n", options.command("hint")));
  }
}

// The other red scenarios, a line each.
void show_other_reds(const Options& options, const CheckReport& checked, const Trial& red) {
  const auto& [paint, language] = look_of(options);
  for (const auto& trial : checked.trials) {
    if (trial.holds() || &trial == &red) continue;
    show_after_sign(paint.red("✗ "), trial.scenario + language(": " + trial.says()));
  }
}

void say_how_alone(const Trial& trial, const Options& options) {
  const auto& [paint, language] = look_of(options);
  std::cout << paint.dim(
                   language("this scenario alone: " + options.command("check " + trial.scenario)))
            << '\n';
}

// The commands that show the same again.
void say_how_again(const Trial& red, const Options& options, bool old_promise) {
  const auto& [paint, language] = look_of(options);
  if (!red.schedule.empty()) {
    std::cout << language(red.last_chance);
    const auto schedule = faults::shell_word(red.schedule.native());
    std::cout << paint.dim(language("step through it: " + options.command("step " + schedule)))
              << '\n';
  } else if (old_promise) {
    say_how_alone(red, options);
  }
  if (!red.history.empty()) {
    const auto run = faults::shell_word(red.history.parent_path().parent_path().native());
    std::cout << paint.dim(language("this run: ./lab judge " + run)) << '\n';
  }
}

void show_red(const Options& options, const CheckReport& checked, const LearnerSession& session) {
  const auto& [paint, language] = look_of(options);
  const auto& red = *checked.red();
  const bool old_promise = !session.part().has(red.scenario);
  show_story(options, red);
  if (!red.schedule.empty()) {
    std::cout << paint.green(language("every scenario holds"))
              << language(", and there is an order that breaks it\n");
  } else if (old_promise) {
    std::cout << paint.green(language("its own scenario holds now"))
              << language(", and another promise does not: ") << paint.bold(red.scenario) << '\n';
  }
  if (red.is_explained()) {
    show_mistake(options, red.mistakes.front());
  } else {
    show_after_sign(paint.red("✗ "), language(red.sentence));
  }
  show_difference(red, options, session.attempt().hints > 0);
  show_other_reds(options, checked, red);
  std::cout << "\n" << files_to_open(options, session) << what_one_can_do(options) << '\n';
  say_how_again(red, options, old_promise);
}

// The scenarios hold, and the search ran less than it must.
void show_trouble(const Options& options, const Searched& searched) {
  const auto& [paint, language] = look_of(options);
  const auto what = "every scenario holds, and the search says nothing of your lock: ";
  show_after_sign(paint.yellow("? "), language(what + searched.trouble));
  std::cout << language(fmt::format("  seen: {} orders of two clients\n", searched.orders))
            << language(fmt::format("  again: {} · with the scenarios alone: {}\n",
                                    options.command("check"), "check --search 0"));
}

void show_nothing(const Options& options, const Trial& trial) {
  const auto& [paint, language] = look_of(options);
  const auto why =
      ": the machine did not keep up, so this says nothing of your lock: " + trial.sentence +
      "; check again";
  show_after_sign(paint.yellow("? "), trial.scenario + language(why));
}

// The outcome of the search for another order.
std::string say_search(const Options& options, const Searched& searched) {
  if (searched.orders == 0 && searched.is_complete) return {};
  auto text = fmt::format("  the search ran {} orders of two clients; none breaks what ours keeps",
                          searched.orders);
  text += searched.is_complete ? "\n"
                               : fmt::format("; there are more\n  to search longer: {}\n",
                                             options.command("check --search 100000"));
  return options.common.language(text);
}

// Every scenario holds, and a mistake was seen all the same.
void show_remark(const Options& options, const Trial& remarked) {
  const auto& [paint, language] = look_of(options);
  const auto& only = options.only;
  const auto what = (only.empty() ? "every scenario" : only) + " holds, and yet: ";
  const auto& mistake = remarked.mistakes.front();
  show_after_sign(paint.yellow("! "), language(what + remarked.says()));
  std::cout << wrapped(language("seen: " + mistake.where), "  ")
            << wrapped(language("look at: " + mistake.look_at), "  ")
            << language("  Here it broke no promise; in production it may.\n");
  if (only.empty()) say_how_alone(remarked, options);
}

void show_green(const Options& options, const CheckReport& checked, const LearnerSession& session) {
  if (const auto* remarked = checked.remarked()) return show_remark(options, *remarked);
  const auto& [paint, language] = look_of(options);
  if (!options.only.empty()) {
    std::cout << paint.green(language(fmt::format("✓ {} holds", options.only)))
              << language("; all the others: ") << options.command("check") << '\n';
    return;
  }
  std::cout
      << paint.green(language(fmt::format("✓ {} holds, and so do all {} promises",
                                          session.part().scenarios.front(), checked.trials.size())))
      << '\n'
      << say_search(options, checked.searched) << '\n'
      << language(fmt::format("why it is done so: {} · ours: solution", options.command("hint")));
  if (const auto* next = session.next()) {
    std::cout << language(" · quiz · next: " + options.command("start " + next->name));
  } else {
    std::cout << '\n' << after_the_last(options, session);
  }
  std::cout << '\n';
}

// A part is done, and the next one begins.
void show_next_part(const Options& options, const CheckReport& checked,
                    const LearnerSession& session) {
  const auto& [paint, language] = look_of(options);
  const auto& parts = session.here().parts;
  for (auto i = checked.part; i < checked.solved; ++i) {
    const auto done = fmt::format("✓ part {} of {}: {}", i + 1, parts.size(), parts[i].title);
    std::cout << paint.green(language(done)) << '\n';
  }
  const auto& next = parts[checked.solved];
  const auto heading =
      fmt::format("part {} of {}: {}", checked.solved + 1, parts.size(), next.title);
  std::cout << '\n'
            << paint.bold(language(heading)) << '\n'
            << wrapped(language(next.task)) << files_to_open(options, session)
            << what_one_can_do(options) << '\n';
}

}  // namespace

void show(const Options& options, const LearnerSession& session, const CheckReport& checked) {
  std::cout << options.common.paint.bold(headline(options, session)) << "\n\n";
  if (!checked.built.succeeded()) {
    show_build_error(options, checked.built, session.copy(session.here()));
  } else if (checked.shows_nothing() && checked.red() == nullptr) {
    show_trouble(options, checked.searched);
  } else if (checked.shows_nothing()) {
    show_nothing(options, *checked.red());
  } else if (checked.red() != nullptr) {
    show_red(options, checked, session);
  } else if (checked.goes_on()) {
    show_next_part(options, checked, session);
  } else {
    show_green(options, checked, session);
  }
  std::cout << std::flush;
}

}  // namespace learning

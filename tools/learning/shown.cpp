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
using terminal::wrapped;

void show_build_error(const Built& built, const Workspace& copy, const Paint& paint) {
  std::cout << paint.red("it does not compile yet") << "\n\n"
            << built.error << '\n'
            << paint.dim(built.excerpt) << '\n';
  if (built.more > 0) {
    std::cout << terminal::counted(built.more, "more error")
              << " after that; the first is often the cause of all\n";
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

// A mistake: what happened, the evidence, what to do.
void show_mistake(const Diagnosis& mistake, const Paint& paint) {
  std::cout << paint.red("✗ ") << wrapped(mistake.sentence, "  ").substr(2)
            << wrapped("seen: " + mistake.where, "  ")
            << wrapped("look at: " + mistake.look_at, "  ");
}

// How ours differs; what ours does is shown from the first hint on.
void show_difference(const Trial& trial, const Options& options, bool ours_is_shown) {
  if (!trial.difference) return;
  const auto& difference = *trial.difference;
  std::cout << wrapped("the first difference to ours: " +
                           (ours_is_shown ? difference.sentence() : difference.without_ours()),
                       "  ");
  if (!ours_is_shown) {
    std::cout << fmt::format("  (what ours does there: after {})\n", options.command("hint"));
  }
}

// The other red scenarios, a line each.
void show_other_reds(const CheckReport& checked, const Trial& red, const Paint& paint) {
  for (const auto& trial : checked.trials) {
    if (trial.holds() || &trial == &red) continue;
    std::cout << paint.red("✗ ") << wrapped(trial.scenario + ": " + trial.says(), "  ").substr(2);
  }
}

void say_how_alone(const Trial& trial, const Options& options) {
  std::cout << options.common.paint.dim("this scenario alone: " +
                                        options.command("check " + trial.scenario))
            << '\n';
}

// The commands that show the same again.
void say_how_again(const Trial& red, const Options& options, bool old_promise) {
  const auto& paint = options.common.paint;
  if (!red.schedule.empty()) {
    const auto schedule = faults::shell_word(red.schedule.native());
    std::cout << paint.dim("step through it: " + options.command("step " + schedule)) << '\n';
  } else if (old_promise) {
    say_how_alone(red, options);
  }
  if (!red.history.empty()) {
    const auto run = faults::shell_word(red.history.parent_path().parent_path().native());
    std::cout << paint.dim("this run: ./lab judge " + run) << '\n';
  }
}

void show_red(const Options& options, const CheckReport& checked, const LearnerSession& session) {
  const auto& paint = options.common.paint;
  const auto& red = *checked.red();
  const bool old_promise = !session.part().has(red.scenario);
  show_story(red, paint);
  if (!red.schedule.empty()) {
    std::cout << paint.green("every scenario holds") << ", and there is an order that breaks it\n";
  } else if (old_promise) {
    std::cout << paint.green("its own scenario holds now")
              << ", and another promise does not: " << paint.bold(red.scenario) << '\n';
  }
  if (red.is_explained()) {
    show_mistake(red.mistakes.front(), paint);
  } else {
    std::cout << paint.red("✗ ") << wrapped(red.sentence, "  ").substr(2);
  }
  show_difference(red, options, session.attempt().hints > 0);
  show_other_reds(checked, red, paint);
  std::cout << "\n" << files_to_open(session) << what_one_can_do(options) << '\n';
  say_how_again(red, options, old_promise);
}

// The scenarios hold, and the search ran less than it must.
void show_trouble(const Options& options, const Searched& searched, const Paint& paint) {
  std::cout << paint.yellow("? ")
            << wrapped("every scenario holds, and the search says nothing of your lock: " +
                           searched.trouble,
                       "  ")
                   .substr(2)
            << fmt::format("  seen: {} orders of two clients\n", searched.orders)
            << fmt::format("  again: {} · with the scenarios alone: {}\n", options.command("check"),
                           "check --search 0");
}

void show_nothing(const Trial& trial, const Paint& paint) {
  const auto why =
      "the machine did not keep up, so this says nothing of your lock: " + trial.sentence +
      "; check again";
  std::cout << paint.yellow("? ") << wrapped(trial.scenario + ": " + why, "  ").substr(2);
}

// The outcome of the search for another order.
std::string say_search(const Options& options, const Searched& searched) {
  if (searched.orders == 0 && searched.is_complete) return {};
  auto text = fmt::format("  the search ran {} orders of two clients; none breaks what ours keeps",
                          searched.orders);
  if (searched.is_complete) return text + "\n";
  return text + fmt::format("; there are more\n  to search longer: {}\n",
                            options.command("check --search 100000"));
}

// Every scenario holds, and a mistake was seen all the same.
void show_remark(const Options& options, const Trial& remarked) {
  const auto& only = options.only;
  std::cout << options.common.paint.yellow("! ")
            << wrapped(
                   (only.empty() ? "every scenario" : only) + " holds, and yet: " + remarked.says(),
                   "  ")
                   .substr(2)
            << wrapped("seen: " + remarked.mistakes.front().where, "  ")
            << wrapped("look at: " + remarked.mistakes.front().look_at, "  ")
            << "  Here it broke no promise; in production it may.\n";
  if (only.empty()) say_how_alone(remarked, options);
}

void show_green(const Options& options, const CheckReport& checked, const LearnerSession& session) {
  if (const auto* remarked = checked.remarked()) return show_remark(options, *remarked);
  const auto& paint = options.common.paint;
  if (!options.only.empty()) {
    std::cout << paint.green(fmt::format("✓ {} holds", options.only))
              << "; all the others: " << options.command("check") << '\n';
    return;
  }
  std::cout << paint.green(fmt::format("✓ {} holds, and so do all {} promises",
                                       session.part().scenarios.front(), checked.trials.size()))
            << '\n'
            << say_search(options, checked.searched)
            << "\nwhy it is done so: " << options.command("hint") << " · ours: solution";
  if (const auto* next = session.next()) {
    std::cout << " · quiz · next: " << options.command("start " + next->name);
  } else {
    std::cout << '\n' << after_the_last(options);
  }
  std::cout << '\n';
}

// A part is done, and the next one begins.
void show_next_part(const Options& options, const CheckReport& checked,
                    const LearnerSession& session) {
  const auto& paint = options.common.paint;
  const auto& parts = session.here().parts;
  for (auto i = checked.part; i < checked.solved; ++i) {
    std::cout << paint.green(
                     fmt::format("✓ part {} of {}: {}", i + 1, parts.size(), parts[i].title))
              << '\n';
  }
  const auto& next = parts[checked.solved];
  std::cout << '\n'
            << paint.bold(
                   fmt::format("part {} of {}: {}", checked.solved + 1, parts.size(), next.title))
            << '\n'
            << wrapped(next.task) << files_to_open(session) << what_one_can_do(options) << '\n';
}

}  // namespace

void show(const Options& options, const LearnerSession& session, const CheckReport& checked) {
  const auto& paint = options.common.paint;
  std::cout << paint.bold(headline(session)) << "\n\n";
  if (!checked.built.succeeded()) {
    show_build_error(checked.built, session.copy(session.here()), paint);
  } else if (checked.shows_nothing() && checked.red() == nullptr) {
    show_trouble(options, checked.searched, paint);
  } else if (checked.shows_nothing()) {
    show_nothing(*checked.red(), paint);
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

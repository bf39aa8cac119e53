#include "tools/learning/check.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "faults/kit/client.h"
#include "faults/kit/errors.h"
#include "tools/learning/guess.h"
#include "tools/learning/learners_scenarios.h"
#include "tools/learning/workspace/script_errors.h"
#include "tools/terminal/console.h"
#include "tools/terminal/exit_codes.h"
#include "tools/terminal/shown_run.h"
#include "tools/terminal/suggestions.h"

namespace learning {
namespace {

using nlohmann::json;

faults::RunPlan plan_of(const Options& options, faults::Reaper& reaper) {
  auto plan = terminal::plan_for(options.common, reaper);
  const auto stamp = fmt::format("{:%Y%m%d-%H%M%S}", fmt::localtime(std::time(nullptr)));
  plan.runs /= fmt::format("{}-learn-{}", stamp, getpid());
  plan.again = options.command("check");
  return plan;
}

json as_json(const Trial& trial) {
  json object{{"scenario", trial.scenario},
              {"verdict", faults::to_string(trial.verdict)},
              {"sentence", trial.sentence},
              {"history", trial.history.native()}};
  if (!trial.schedule.empty()) object["schedule"] = trial.schedule.native();
  if (!trial.holds()) {
    object["diagnosis"] = {{"key", trial.key()}, {"sentence", trial.says()}};
    if (trial.is_explained()) object["diagnosis"]["where"] = trial.mistakes.front().where;
  }
  return object;
}

json as_json(const LearnerSession& session, const CheckReport& checked, const std::string& only) {
  auto trials = json::array();
  for (const auto& trial : checked.trials) trials.push_back(as_json(trial));
  json object{{"exercise", session.here().name},
              {"green", checked.is_green()},
              {"built", checked.built.succeeded()},
              {"promises", checked.promises},
              {"part", checked.part + 1},
              {"parts_solved", checked.solved},
              {"parts", session.here().parts.size()},
              {"trials", trials}};
  if (!only.empty()) object["only"] = only;
  if (const auto& searched = checked.searched; searched.orders > 0 || !searched.is_complete) {
    object["search"] = {{"orders", searched.orders}, {"complete", searched.is_complete}};
    if (!searched.trouble.empty()) object["search"]["trouble"] = searched.trouble;
  }
  if (!checked.built.succeeded()) object["error"] = checked.built.error;
  if (const auto* remarked = checked.remarked()) {
    object["remark"] = {{"key", remarked->key()}, {"sentence", remarked->says()}};
  }
  return object;
}

// The scenarios to run: all, or the one that was named.
std::vector<const faults::Scenario*> wanted(const Exercise& exercise, const Options& options) {
  const auto promises = promises_of(exercise);
  const auto& only = options.only;
  if (only.empty()) return promises;
  std::vector<std::string> names;
  for (const auto* promise : promises) {
    if (promise->name == only) return {promise};
    names.push_back(promise->name);
  }
  throw faults::CannotRun(fmt::format(
      "exercise {} is not checked under \"{}\";{} {} runs all of its scenarios", exercise.name,
      only, terminal::did_you_mean(only, names), options.command("check")));
}

// The guess comes before the story, and what came beside it.
class Prediction {
 public:
  Prediction(const Options& options, const LearnerSession& session)
      : options_(options), session_(session) {}

  void ask() {
    if (!options_.predict || options_.common.json || !options_.only.empty()) return;
    guess_ = ask_for_guess(*scenarios_of(session_.part()).front(), options_.common.language);
  }

  void compare(const Trial& story) {
    if (!guess_) return;
    // A story that showed nothing says nothing about a guess either.
    const bool showed = story.verdict == faults::Verdict::holds ||
                        story.verdict == faults::Verdict::violated || story.outcome.is_two_inside();
    if (!showed) {
      std::cout << options_.common.language(
          fmt::format("you said: {}; this run shows nothing of it, so your guess does not count\n",
                      guess_->what));
      return;
    }
    keep_guess(options_.directory, session_.here().lock_name(), story.scenario, *guess_,
               story.outcome, options_.common.language);
  }

 private:
  const Options& options_;
  const LearnerSession& session_;
  std::optional<Guessed> guess_;
};

// Its lease never ran out, so that the scenario did not come about: whether it is renewed well is
// another question.
bool is_renewed_only(const Trial& trial) {
  return trial.verdict == faults::Verdict::not_exercised && trial.key() == "renews_a_given_lease";
}

// How much a red trial says of the lock: a scenario that did not come about says little.
int weight(const Trial& trial) {
  if (trial.shows_nothing()) return 0;
  const bool violated = trial.verdict == faults::Verdict::violated;
  const bool is_explained = trial.is_explained() && !is_renewed_only(trial);
  return violated || trial.broken_off || is_explained ? 2 : 1;
}

}  // namespace

const Trial* CheckReport::red() const {
  const Trial* first = nullptr;
  for (const auto& trial : trials) {
    if (trial.holds()) continue;
    const bool says_more =
        first == nullptr || weight(trial) > weight(*first) ||
        (!first->is_explained() && trial.is_explained() && first != &trials.front());
    if (says_more) first = &trial;
  }
  return first;
}

const Trial* CheckReport::remarked() const {
  if (red() != nullptr) return nullptr;
  const auto found = std::find_if(trials.begin(), trials.end(),
                                  [](const Trial& trial) { return trial.is_explained(); });
  return found == trials.end() ? nullptr : &*found;
}

bool CheckReport::is_green() const {
  const bool complete = yet_to_come || trials.size() == promises;
  if (!searched.trouble.empty()) return false;
  return built.succeeded() && complete && red() == nullptr && remarked() == nullptr;
}

namespace {

// Runs a lock under scenarios, one group after the other, as long as all hold.
class Check {
 public:
  Check(const Options& options, const Exercise& exercise, faults::TestedLock lock,
        faults::RunPlan plan, faults::Reaper& reaper, CheckReport& checked)
      : options_(options),
        exercise_(exercise),
        lock_(std::move(lock)),
        plan_(std::move(plan)),
        reaper_(reaper),
        checked_(checked) {}

  // Those of `scenarios` that did not run yet, side by side. True if they hold.
  bool run(const std::vector<const faults::Scenario*>& scenarios, const std::string& what) {
    auto trials = of(scenarios, language()(what));
    checked_.trials.insert(checked_.trials.end(), trials.begin(), trials.end());
    return checked_.red() == nullptr;
  }
  // The same; what does not hold is forgotten, since nobody has worked on it yet.
  bool holds_already(const ExercisePart& part) {
    auto trials = of(scenarios_of(part), language()("looking at the next part"));
    const bool all =
        std::all_of(trials.begin(), trials.end(), [](const Trial& trial) { return trial.holds(); });
    if (all) checked_.trials.insert(checked_.trials.end(), trials.begin(), trials.end());
    return all;
  }
  // How ours differs from what is red.
  void compare(bool ours_is_shown) {
    const auto* red = checked_.red();
    const bool is_told = red == nullptr || red->broken_off || !red->schedule.empty();
    if (is_told || red->shows_nothing()) return;
    if (red->is_explained() && !ours_is_shown) return;
    const terminal::Progress progress(language()("comparing with ours"));
    checked_.trials[static_cast<std::size_t>(red - checked_.trials.data())].difference =
        difference_to_ours(exercise_, *red, plan_, reaper_);
  }
  // Looks for a counter-example that no scenario shows.
  void search() {
    const auto orders = options_.search.value_or(exercise_.is_python() ? 200 : 4'000);
    if (orders == 0) return;
    terminal::Progress progress(language()("searching every order of two clients"));
    auto plan = plan_;
    plan.say = [&progress](const std::string& sentence) { progress.say(sentence); };
    auto& searched = checked_.searched;
    try {
      searched = find_counter_example(exercise_, lock_, plan, orders, reaper_);
    } catch (const std::runtime_error& error) {
      searched = {.is_complete = false, .trouble = error.what()};
    }
    if (searched.found) checked_.trials.push_back(*searched.found);
  }
  // A lock that renews although its exercise does not ask for that must renew its own holds only.
  bool renews_well() {
    const auto* late = faults::find_scenario("late_renewal");
    const auto promises = promises_of(exercise_);
    const bool was_run = std::find(promises.begin(), promises.end(), late) != promises.end();
    if (was_run || !may_be_renewed_only() || !renews()) return checked_.red() == nullptr;
    for (const auto* scenario : {late, &frozen_renewal()}) {
      auto trial = try_lock(exercise_, lock_, *scenario, plan_, reaper_);
      if (trial.verdict != faults::Verdict::violated) continue;
      checked_.trials.push_back(std::move(trial));
      break;
    }
    return checked_.red() == nullptr;
  }

 private:
  [[nodiscard]] const terminal::Language& language() const { return options_.common.language; }
  // True if it was seen to renew a hold.
  [[nodiscard]] bool renews() {
    const auto outlived = try_lock(exercise_, lock_, outlived_lease(), plan_, reaper_);
    if (outlived.history.empty()) return false;
    return TraceQuery(faults::read_record(outlived.history)).renewals().any();
  }
  // True if nothing else keeps it from being solved.
  [[nodiscard]] bool may_be_renewed_only() const {
    return std::all_of(checked_.trials.begin(), checked_.trials.end(),
                       [](const Trial& trial) { return trial.holds() || is_renewed_only(trial); });
  }

  std::vector<Trial> of(std::vector<const faults::Scenario*> scenarios, const std::string& what) {
    std::erase_if(scenarios, [&](const faults::Scenario* scenario) {
      return std::any_of(checked_.trials.begin(), checked_.trials.end(),
                         [&](const Trial& trial) { return trial.scenario == scenario->name; });
    });
    if (scenarios.empty()) return {};
    const auto on_silence = language()(
        fmt::format("an answer is waited for {} s at most", faults::answer_limit.count()));
    terminal::Progress progress(what, on_silence);
    plan_.say = [&progress](const std::string& sentence) { progress.say(sentence); };
    std::size_t done = 0;
    auto trials = try_all(exercise_, lock_, scenarios, plan_, reaper_, [&](const Trial&) {
      if (scenarios.size() > 1) {
        progress.change(fmt::format(
            "{}{}", what, language()(fmt::format(" ({} of {})", ++done, scenarios.size()))));
      }
    });
    plan_.say = {};
    return trials;
  }

  const Options& options_;
  const Exercise& exercise_;
  const faults::TestedLock lock_;
  faults::RunPlan plan_;
  faults::Reaper& reaper_;
  CheckReport& checked_;
};

// The scenarios of the parts up to that one.
std::vector<const faults::Scenario*> scenarios_up_to(const Exercise& exercise, std::size_t part) {
  std::vector<const faults::Scenario*> scenarios;
  for (std::size_t i = 0; i <= part; ++i) {
    for (const auto* scenario : scenarios_of(exercise.parts[i])) scenarios.push_back(scenario);
  }
  return scenarios;
}

void run_parts(Check& check, const Exercise& exercise, bool all,
               const std::vector<const faults::Scenario*>& promises, CheckReport& checked) {
  const auto own = scenarios_of(exercise.parts[checked.part]);
  if (!check.run({own.front()}, "running " + own.front()->name) && !all) return;
  if (!check.run(scenarios_up_to(exercise, checked.part), "running this part") && !all) return;
  if (checked.remarked() != nullptr) return check.search();
  checked.solved = checked.part + 1;
  for (; checked.solved < exercise.parts.size() && !all; ++checked.solved) {
    if (check.holds_already(exercise.parts[checked.solved])) continue;
    checked.yet_to_come = true;
    return;
  }
  check.run(promises, "looking at the old promises");
  if (check.renews_well()) check.search();
}

Built build_copy(const Options& options, const Exercise& exercise, const Workspace& copy,
                 const faults::RunPlan& plan, faults::Reaper& reaper) {
  const std::string needed = exercise.open.front();
  if (!copy.has(needed)) {
    throw faults::CannotRun(fmt::format("{} is not there; {} puts it back", copy.shown(needed),
                                        options.command("start " + exercise.name)));
  }
  const terminal::Progress progress(options.common.language("building " + copy.shown()));
  const auto wrong_script = first_error_in_scripts(copy.path(), plan.redis, reaper);
  if (wrong_script) return *wrong_script;
  return build(exercise, copy.path(), options.directory / "made" / copy.path().filename());
}

}  // namespace

CheckReport check_copy(const Options& options, const LearnerSession& session,
                       faults::Reaper& reaper, const std::function<void()>& before_the_story) {
  const auto& exercise = session.here();
  const auto copy = session.copy(exercise);
  auto plan = plan_of(options, reaper);
  const auto promises = wanted(exercise, options);
  CheckReport checked{.built = build_copy(options, exercise, copy, plan, reaper),
                      .promises = promises.size(),
                      .part = session.part_number()};
  if (!checked.built.succeeded()) return checked;
  before_the_story();
  Check check(options, exercise, lock_under_test(exercise, checked.built.client, copy.path()),
              std::move(plan), reaper, checked);
  if (options.only.empty()) {
    run_parts(check, exercise, options.all, promises, checked);
  } else {
    check.run(promises, "running " + options.only);
  }
  check.compare(session.attempt().hints > 0);
  return checked;
}

faults::TestedLock lock_at_hand(const Options& options, faults::Reaper& reaper) {
  const LearnerSession session(options);
  const auto& exercise = session.here();
  const auto copy = session.copy(exercise);
  const auto built = build_copy(options, exercise, copy, plan_of(options, reaper), reaper);
  if (built.succeeded()) return lock_under_test(exercise, built.client, copy.path());
  throw faults::CannotRun(fmt::format("{} does not compile: {}\n  see {}", copy.shown(),
                                      built.error, options.command("check")));
}

void keep(LearnerSession& session, const CheckReport& checked) {
  if (checked.shows_nothing()) return;
  session.change_attempt([&](Attempt& attempt) {
    ++attempt.checks;
    const auto* red = checked.red() != nullptr ? checked.red() : checked.remarked();
    const auto& part = session.part();
    const bool was_red = attempt.state == "red" && attempt.scenario != the_build;
    if (was_red && red != nullptr && part.has(attempt.scenario) != part.has(red->scenario)) {
      attempt.hints = 0;  // those of another part
    }
    if (checked.yet_to_come && red == nullptr) {
      attempt.part = checked.solved;
      attempt.hints = 0;
    }
    if (checked.is_green() && !checked.yet_to_come) {
      attempt.state = "green";
      attempt.solve();
    } else {
      attempt.state = checked.is_green() ? "begun" : "red";
    }
    attempt.scenario = red == nullptr ? "" : red->scenario;
    attempt.sentence = red == nullptr ? "" : red->says();
    if (checked.built.succeeded()) return;
    attempt.scenario = the_build;
    attempt.sentence = "it does not compile: " + checked.built.error;
  });
}

int exit_code(const CheckReport& checked) {
  if (checked.shows_nothing()) return terminal::exit_not_shown;
  return checked.is_green() ? terminal::exit_holds : terminal::exit_violated;
}

int check(const Options& options, faults::Reaper& reaper) {
  LearnerSession session(options);
  Prediction guessing(options, session);
  const auto checked = check_copy(options, session, reaper, [&] { guessing.ask(); });
  if (!checked.trials.empty()) guessing.compare(checked.trials.front());
  if (options.only.empty()) keep(session, checked);
  if (options.common.json) {
    std::cout << as_json(session, checked, options.only).dump(2) << '\n';
  } else {
    show(options, session, checked);
  }
  return exit_code(checked);
}

}  // namespace learning

#include "learning/check.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "faults/kit/client.h"
#include "faults/kit/errors.h"
#include "learning/copies/script_errors.h"
#include "learning/guess.h"
#include "table/results.h"
#include "terminal/console.h"
#include "terminal/suggestions.h"

namespace learning {
namespace {

using nlohmann::json;

faults::RunPlan plan_of(const Options& options, faults::Reaper& reaper) {
  auto plan = table::plan_for(options.common, reaper);
  const auto stamp = fmt::format("{:%Y%m%d-%H%M%S}", fmt::localtime(std::time(nullptr)));
  plan.runs /= fmt::format("{}-learn-{}", stamp, getpid());
  plan.again = "./lab learn check";
  return plan;
}

json as_json(const Trial& trial) {
  json object{{"scenario", trial.scenario},
              {"verdict", faults::to_string(trial.verdict)},
              {"sentence", trial.sentence},
              {"history", trial.history.native()}};
  if (trial.diagnosis) {
    object["diagnosis"] = {{"key", trial.diagnosis->key}, {"sentence", trial.diagnosis->sentence}};
  }
  return object;
}

json as_json(const Desk& desk, const Checked& checked, const std::string& only) {
  auto trials = json::array();
  for (const auto& trial : checked.trials) trials.push_back(as_json(trial));
  json object{{"exercise", desk.here().name},
              {"green", checked.is_green()},
              {"built", checked.built.succeeded()},
              {"promises", checked.promises},
              {"trials", trials}};
  if (!only.empty()) object["only"] = only;
  if (!checked.built.succeeded()) object["error"] = checked.built.error;
  if (const auto* remarked = checked.remarked()) {
    object["remark"] = {{"key", remarked->remark->key}, {"sentence", remarked->remark->sentence}};
  }
  return object;
}

// What is to be told: all, or the one that was named.
std::vector<const faults::Scenario*> wanted(const Exercise& exercise, const std::string& only) {
  const auto promises = promises_of(exercise);
  if (only.empty()) return promises;
  std::vector<std::string> names;
  for (const auto* promise : promises) {
    if (promise->name == only) return {promise};
    names.push_back(promise->name);
  }
  throw faults::CannotRun(
      fmt::format("exercise {} is not told \"{}\";{} ./lab learn check tells all of its stories",
                  exercise.name, only, terminal::did_you_mean(only, names)));
}

// The guess comes before the story, and what came beside it.
class Guessing {
 public:
  Guessing(const Options& options, const Desk& desk) : options_(options), desk_(desk) {}

  void ask() {
    if (!options_.predict || options_.common.json || !options_.only.empty()) return;
    guess_ = ask_for_guess(*promises_of(desk_.here()).front());
  }

  void compare(const Trial& story) {
    if (!guess_) return;
    // A story that showed nothing says nothing about a guess either.
    const bool showed =
        story.verdict == faults::Verdict::holds || story.verdict == faults::Verdict::violated;
    if (!showed) {
      std::cout << fmt::format(
          "you said: {}; this run shows nothing of it, so your guess does not count\n",
          guess_->what);
      return;
    }
    keep_guess(options_.directory, desk_.here().lock_name(), story.scenario, *guess_,
               story.outcome);
  }

 private:
  const Options& options_;
  const Desk& desk_;
  std::optional<Guessed> guess_;
};

}  // namespace

const Trial* Checked::red() const {
  const bool own_story =
      !trials.empty() && !trials.front().holds() && !trials.front().shows_nothing();
  if (own_story) return &trials.front();
  const Trial* first = nullptr;
  const Trial* best = nullptr;
  for (const auto& trial : trials) {
    if (trial.holds()) continue;
    const bool says_more = trial.is_explained() &&
                           (best == nullptr || trial.diagnosis->place < best->diagnosis->place);
    if (says_more) best = &trial;
    if (first == nullptr || (first->shows_nothing() && !trial.shows_nothing())) first = &trial;
  }
  return best != nullptr ? best : first;
}

const Trial* Checked::remarked() const {
  if (red() != nullptr) return nullptr;
  const auto found = std::find_if(trials.begin(), trials.end(),
                                  [](const Trial& trial) { return trial.remark.has_value(); });
  return found == trials.end() ? nullptr : &*found;
}

bool Checked::is_green() const {
  return built.succeeded() && trials.size() == promises && red() == nullptr &&
         remarked() == nullptr;
}

Checked check_copy(const Options& options, const Desk& desk, faults::Reaper& reaper,
                   const std::function<void()>& before_the_story) {
  const auto& exercise = desk.here();
  const auto copy = desk.copy(exercise);
  if (!copy.has("lock.cpp")) {
    throw faults::CannotRun(fmt::format("{} is not there; ./lab learn start {} puts it back",
                                        copy.shown("lock.cpp"), exercise.name));
  }
  auto plan = plan_of(options, reaper);
  auto promises = wanted(exercise, options.only);
  Checked checked{.promises = promises.size()};
  {
    const terminal::Progress progress("building " + copy.shown());
    const auto wrong_script = first_error_in_scripts(copy.path(), plan.redis, reaper);
    checked.built = wrong_script
                        ? *wrong_script
                        : build(copy.path(), options.directory / "made" / copy.path().filename());
  }
  if (!checked.built.succeeded()) return checked;
  before_the_story();
  const auto on_silence =
      fmt::format("an answer is waited for {} s at most", faults::answer_limit.count());
  const auto lock = lock_under_test(exercise, {checked.built.client}, copy.path());
  {
    terminal::Progress progress("telling " + promises.front()->name, on_silence);
    plan.say = [&progress](const std::string& sentence) { progress.say(sentence); };
    checked.trials.push_back(try_lock(lock, *promises.front(), plan, reaper));
  }
  // Another story may show why.
  const auto& own = checked.trials.front();
  const bool enough = !own.holds() && (own.is_explained() || own.shows_nothing());
  if (enough && !options.all) return checked;
  promises.erase(promises.begin());
  if (promises.empty()) return checked;
  terminal::Progress progress("looking at the old promises", on_silence);
  plan.say = [&progress](const std::string& sentence) { progress.say(sentence); };
  std::size_t done = 0;
  const auto others = try_all(lock, promises, plan, reaper, [&](const Trial&) {
    progress.change(fmt::format("{} of {} promises", ++done + 1, checked.promises));
  });
  checked.trials.insert(checked.trials.end(), others.begin(), others.end());
  return checked;
}

void keep(Desk& desk, const Checked& checked) {
  if (checked.shows_nothing()) return;
  desk.change_attempt([&](Attempt& attempt) {
    ++attempt.checks;
    const auto* red = checked.red() != nullptr ? checked.red() : checked.remarked();
    attempt.state = checked.is_green() ? "green" : "red";
    attempt.scenario = red == nullptr ? "" : red->scenario;
    attempt.sentence =
        checked.built.succeeded() ? "" : "it does not compile: " + checked.built.error;
    if (!checked.built.succeeded()) attempt.scenario = "the build";
    if (red != nullptr) {
      const auto& said = red->holds() ? red->remark : red->diagnosis;
      attempt.sentence = said ? said->sentence : red->sentence;
    }
  });
}

int exit_code(const Checked& checked) {
  if (checked.shows_nothing()) return table::exit_not_shown;
  return checked.is_green() ? table::exit_holds : table::exit_violated;
}

int check(const Options& options, faults::Reaper& reaper) {
  Desk desk(options);
  Guessing guessing(options, desk);
  const auto checked = check_copy(options, desk, reaper, [&] { guessing.ask(); });
  if (!checked.trials.empty()) guessing.compare(checked.trials.front());
  if (options.only.empty()) keep(desk, checked);
  if (options.common.json) {
    std::cout << as_json(desk, checked, options.only).dump(2) << '\n';
  } else {
    show(options, desk, checked);
  }
  return exit_code(checked);
}

}  // namespace learning

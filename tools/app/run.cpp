// `lab run`: one stage against scenarios.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include "faults/explore/shim/shim_command.h"
#include "faults/explore/virtual_time/keeper.h"
#include "faults/kit/errors.h"
#include "faults/kit/shell_word.h"
#include "faults/running/result_json.h"
#include "faults/running/run_scenario.h"
#include "tools/app/commands.h"
#include "tools/field/foreign_client.h"
#include "tools/field/locks.h"
#include "tools/table/stages.h"
#include "tools/terminal/console.h"
#include "tools/terminal/exit_codes.h"
#include "tools/terminal/options.h"
#include "tools/terminal/shown_run.h"

namespace app {
namespace {

constexpr const char* run_examples =
    "Examples:\n"
    "  ./lab run 3 frozen_mid_release             one scenario, with its timeline\n"
    "  ./lab run 5 late_renewal hung_holder       two of them\n"
    "  ./lab run 5 reply_lost                     all of that family\n"
    "  ./lab run 4                                every scenario\n"
    "  ./lab run counts_up                        a wrong turn: the scenarios that show it\n"
    "  ./lab run redis-py frozen_mid_release      a lock in field/; ./lab field shows them\n"
    "  ./lab run --client 'python3 mine.py' all   a lock of your own, in any language\n"
    "  ./lab run 4 --time virtual                 in seconds, however busy this machine is\n"
    "  ./lab run 4 --redis redis-6.2              on another server: ./lab servers shows them\n"
    "\n"
    "Exit codes: 0 holds, 1 violated, 2 could not run, 3 nothing was shown.\n"
    "./lab list names the stages, the wrong turns and the scenarios.";

// Violated outweighs what was not shown, which outweighs what holds.
int worse_of(int a, int b) {
  if (a == terminal::exit_violated || b == terminal::exit_violated) return terminal::exit_violated;
  return std::max(a, b);
}

std::vector<const faults::Scenario*> all_scenarios_of(const faults::TestedLock& stage) {
  std::vector<const faults::Scenario*> scenarios;
  // A wrong turn declares only the scenarios that show its fault.
  const bool plays_all = stage.turned_from.empty() && !stage.is_variant;
  for (const auto& scenario : faults::all_scenarios()) {
    const bool shown = stage.declared.contains(scenario.name) ||
                       (plays_all && !scenario.is_beside_the_stages()) || stage.facts.has_value();
    if (shown) scenarios.push_back(&scenario);
  }
  return scenarios;
}

std::vector<const faults::Scenario*> chosen_scenarios(const faults::TestedLock& stage,
                                                      const std::vector<std::string>& names) {
  if (names.empty() || names == std::vector<std::string>{"all"}) return all_scenarios_of(stage);
  std::vector<const faults::Scenario*> scenarios;
  for (const auto& name : names) {
    for (const auto* scenario : table::scenarios_named(name)) scenarios.push_back(scenario);
  }
  return scenarios;
}

// Why `scenario` does not apply to `stage`; empty if it does.
std::string why_not(const faults::TestedLock& stage, const faults::Scenario& scenario) {
  if (stage.facts) return faults::why_not_applicable(scenario, stage);
  const auto declared = stage.declared.find(scenario.name);
  if (declared != stage.declared.end()) return declared->second.does_not_apply;
  static const std::map<std::string_view, std::string> reasons{
      {"queue", "it keeps no queue of its waiters, as fair_queue does"},
      {"fallback",
       "it has no plan for the time without a server, as stage6_reentrant/degrading has"},
      {"extend", "its holder cannot extend the lease, as that of field/redis-py can"},
      {"interrupt", "its waiter cannot be interrupted, as that of field/redsync can"}};
  const auto reason = reasons.find(scenario.beyond_stages);
  return reason == reasons.end() ? std::string() : reason->second;
}

// Runs one scenario after another, prints each result, and keeps what the end needs.
class Series {
 public:
  Series(const terminal::Options& options, const faults::TestedLock& stage)
      : options_(options), stage_(stage) {}

  void skip(const faults::Scenario& scenario, const std::string& reason) {
    // A foreign lock's reason begins with that word where it is one.
    const bool says_it =
        reason.starts_with("not promised") || reason.starts_with(faults::cannot_be_judged);
    const auto what = says_it ? reason : "does not apply: " + reason;
    std::cerr << stage_.name << " · " << scenario.name << "   " << options_.language(what) << '\n';
    summary_ += fmt::format("  {:<20} {}\n", scenario.name,
                            options_.language(stage_.facts ? what : "does not apply"));
    results_.push_back(
        {{"stage", stage_.name}, {"scenario", scenario.name}, {"does_not_apply", reason}});
  }

  void run(const faults::Scenario& scenario, const faults::RunPlan& plan, faults::Reaper& reaper) {
    const auto result =
        terminal::run_showing_progress(stage_, scenario, plan, options_.language, reaper);
    const auto verdict = result.verdict();
    code_ = code_ ? worse_of(*code_, terminal::exit_code(verdict)) : terminal::exit_code(verdict);
    summary_ +=
        fmt::format("  {:<20} {}\n", scenario.name, options_.language(faults::to_string(verdict)));
    if (!options_.json) {
      std::cout << (results_.empty() ? "" : "\n") << terminal::told(result, options_) << std::flush;
    }
    results_.push_back(faults::as_json(result, faults::difference_from_declared(stage_, result)));
  }

  void note_failure(const faults::Scenario& scenario, const std::string& why) {
    std::cerr << "lab: " << options_.language(why) << '\n';
    code_ = code_ ? worse_of(*code_, terminal::exit_cannot_run) : terminal::exit_cannot_run;
    summary_ += fmt::format("  {:<20} {}\n", scenario.name, options_.language("could not run"));
    results_.push_back(
        {{"stage", stage_.name}, {"scenario", scenario.name}, {"could_not_run", why}});
  }

  // Prints the summary, or the JSON; returns the exit code.
  [[nodiscard]] int finish() const {
    if (options_.json) std::cout << results_.dump(2) << '\n';
    if (!options_.json && results_.size() > 1) std::cout << '\n' << summary_;
    return code_.value_or(terminal::exit_not_shown);
  }

 private:
  const terminal::Options& options_;
  const faults::TestedLock& stage_;
  nlohmann::json results_ = nlohmann::json::array();
  std::string summary_;
  std::optional<int> code_;  // none before the first run
};

// The command line names a stage, a lock of field/, or a client program.
struct RunLine {
  std::vector<std::string> names;  // the stage or the lock, unless a client is given; scenarios
  field::ForeignClient client{.nodes = 0};
  int lease_ms = 0;
  int retry_ms = 0;
  bool default_lease = false;
  std::string time = "real";

  [[nodiscard]] bool is_client() const { return !client.command.empty(); }
  [[nodiscard]] bool in_virtual_time() const { return time == "virtual"; }
};

// Throws CannotRun if it has no default lease.
faults::TestedLock at_default_lease(faults::TestedLock lock) {
  lock = faults::with_default_lease(std::move(lock));
  if (lock.at_default_lease) return lock;
  throw faults::CannotRun(lock.name + " has no default lease: leave out --default-lease");
}

// Throws CannotRun if an option of --client's stands without it.
faults::TestedLock chosen_stage(RunLine& chosen, const faults::RunPlan& plan,
                                faults::Reaper& reaper) {
  const bool is_of_field = !chosen.is_client() && field::names_lock(chosen.names.front());
  if (chosen.default_lease && !is_of_field) {
    throw faults::CannotRun("--default-lease is for locks in field/, whose lock.json names it");
  }
  if (chosen.is_client()) {
    chosen.client.lease = std::chrono::milliseconds(chosen.lease_ms);
    chosen.client.retry = std::chrono::milliseconds(chosen.retry_ms);
    chosen.client.nodes = std::max(1, chosen.client.nodes);
    return field::lock_of_client(chosen.client, plan, reaper);
  }
  const auto name = chosen.names.front();
  chosen.names.erase(chosen.names.begin());
  const auto& client = chosen.client;
  if (!client.key.empty() || !client.facts.empty() || chosen.lease_ms > 0 || chosen.retry_ms > 0) {
    throw faults::CannotRun(fmt::format(
        "--facts, --key, --lease and --retry say what is not known of a --client; of {} "
        "it is known",
        name));
  }
  if (is_of_field) {
    auto lock = field::lock_named(name, chosen.client.nodes);
    return chosen.default_lease ? at_default_lease(std::move(lock)) : lock;
  }
  if (chosen.client.nodes > 0) {
    throw faults::CannotRun("--nodes is for locks in field/, and for a --client");
  }
  return table::stage_named(name);
}

// Throws CannotRun if the servers of that lock keep real time, whatever is preloaded.
void must_keep_virtual_time(const faults::TestedLock& stage) {
  if (stage.stands_on_redis()) return;
  throw faults::CannotRun(
      fmt::format("{} stands on {}, whose servers keep real time: run it without --time virtual",
                  stage.name, stage.facts->server));
}

// The command line that starts that run again, as a person would type it.
std::string again(const RunLine& chosen, const faults::TestedLock& stage,
                  const std::string& scenario) {
  std::string line = "./lab run";
  if (chosen.is_client()) {
    const char quote = chosen.client.command.find('\'') == std::string::npos ? '\'' : '"';
    line += fmt::format(" --client {0}{1}{0}", quote, chosen.client.command);
  } else {
    line += " " + stage.name;
  }
  if (stage.facts && chosen.client.nodes > 1) line += fmt::format(" --nodes {}", stage.nodes);
  if (!chosen.client.facts.empty()) {
    line += fmt::format(" --facts {}", faults::shell_word(chosen.client.facts.native()));
  }
  if (!chosen.client.key.empty()) line += fmt::format(" --key '{}'", chosen.client.key);
  if (chosen.lease_ms > 0) line += fmt::format(" --lease {}", chosen.lease_ms);
  if (chosen.retry_ms > 0) line += fmt::format(" --retry {}", chosen.retry_ms);
  if (stage.at_default_lease) line += " --default-lease";
  if (chosen.in_virtual_time()) line += " --time virtual";
  return line + " " + scenario;
}

int run_scenarios(const terminal::Options& options, RunLine chosen, faults::Reaper& reaper) {
  for (const auto& name : chosen.names) {  // before a client is started for nothing
    if (chosen.is_client() && name != "all") (void)table::scenarios_named(name);
  }
  auto plan = terminal::plan_for(options, reaper);
  plan.time_waits = chosen.in_virtual_time();
  if (plan.time_waits) plan.started_as = explore::through_shim;
  const auto stage = chosen_stage(chosen, plan, reaper);
  if (chosen.in_virtual_time()) must_keep_virtual_time(stage);
  const auto scenarios = chosen_scenarios(stage, chosen.names);
  Series series(options, stage);
  for (const auto* scenario : scenarios) {
    const auto reason = why_not(stage, *scenario);
    if (!reason.empty()) {
      series.skip(*scenario, reason);
      continue;
    }
    if (stage.facts || chosen.in_virtual_time()) plan.again = again(chosen, stage, scenario->name);
    try {
      series.run(*scenario, plan, reaper);
      if (!terminal::flush_output()) break;
    } catch (const faults::CannotWrite&) {
      throw;
    } catch (const faults::CannotRun& error) {
      series.note_failure(*scenario, error.what());
      if (!stage.facts) break;  // what keeps a stage from running keeps it from all
    }
  }
  return series.finish();
}

void add_options(CLI::App& line, RunLine& chosen, Shared& shared) {
  line.add_option("name", chosen.names,
                  "a stage, such as stage3_set_nx_px, stage3 or 3, a wrong turn or a lock in "
                  "field/; then scenarios, such as frozen_mid_release: all if left out");
  line.add_option("--client", chosen.client.command,
                  "in its place: a program that speaks docs/client-protocol.md, with arguments");
  add_facts_option(line, chosen.client.facts);
  line.add_option("--nodes", chosen.client.nodes, "on how many servers")->check(CLI::Range(1, 15));
  line.add_option("--key", chosen.client.key,
                  "the client's key on the server for the lock %s; looked for if left out");
  line.add_option("--lease", chosen.lease_ms, "the client's shortest lease, in milliseconds")
      ->check(CLI::Range(1, 60'000));
  line.add_option("--retry", chosen.retry_ms,
                  "a waiting client asks again after at most that many milliseconds")
      ->check(CLI::Range(1, 20'000));
  line.add_flag("--default-lease", chosen.default_lease,
                "of a lock in field/: the lease that its user gets who names none");
  add_time_option(line, chosen.time);
  add_json_flag(line, shared);
}

}  // namespace

Command run_command(CLI::App& lab, Shared& shared) {
  const auto chosen = std::make_shared<RunLine>();
  auto* line =
      lab.add_subcommand("run", "one stage, or any lock, against one, some or all scenarios");
  line->footer(run_examples);
  add_options(*line, *chosen, shared);
  const std::string question = "which stage? such as ./lab run 3 frozen_mid_release";
  return {.line = line, .question = question, .run = [chosen, question, &shared] {
            if (chosen->names.empty() && !chosen->is_client()) {
              throw faults::CannotRun(question + "; see ./lab --help");
            }
            if (chosen->in_virtual_time() && !explore::has_keeper()) {
              return explore::run_in_virtual_time(explore::own_command_line());
            }
            return with_reaper(shared.options.language, [&](faults::Reaper& reaper) {
              return run_scenarios(shared.options, *chosen, reaper);
            });
          }};
}

}  // namespace app

// `lab field`: the locks that other people wrote.
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <string>

#include "faults/kit/errors.h"
#include "faults/running/adapter_check.h"
#include "faults/running/introduction.h"
#include "tools/app/commands.h"
#include "tools/app/field_run.h"
#include "tools/field/foreign_client.h"
#include "tools/field/install.h"
#include "tools/field/locks.h"
#include "tools/field/new_lock.h"
#include "tools/terminal/exit_codes.h"
#include "tools/terminal/options.h"
#include "tools/terminal/shown_run.h"

namespace app {
namespace {

constexpr const char* field_examples =
    "Examples:\n"
    "  ./lab field                                what there is, and what is installed\n"
    "  ./lab field install redis-py               from Debian, or from a registry\n"
    "  ./lab field run redis-py                   against every scenario that applies to it\n"
    "  ./lab run redis-py frozen_mid_release      one scenario, with its timeline\n"
    "  ./lab field check redis-py                 is its adapter right?\n"
    "  ./lab field check --client 'python3 x.py'  the same of a program of your own\n"
    "  ./lab field new mine --language python     an adapter to fill in";

struct FieldLine {
  std::string name;
  std::vector<std::string> names;
  std::string language;
  field::ForeignClient client;
  FieldRun run;
};

nlohmann::json as_json(const faults::LockFile& lock) {
  return {{"name", lock.name},
          {"library", lock.library},
          {"version", lock.version},
          {"language", lock.language},
          {"nodes", lock.nodes},
          {"server", lock.facts.server},
          {"capabilities", lock.facts.capabilities},
          {"installed", lock.is_installed()}};
}

int list_locks(const terminal::Options& options) {
  const auto locks = field::all_locks();
  if (options.json) {
    auto all = nlohmann::json::array();
    for (const auto& lock : locks) all.push_back(as_json(lock));
    std::cout << all.dump(2) << '\n';
    return terminal::exit_holds;
  }
  for (const auto& lock : locks) {
    std::cout << fmt::format("  {:<24} {:<14} {:<7} {:<10} {}\n", lock.name, lock.version,
                             lock.language,
                             lock.facts.server == "redis" ? std::string() : lock.facts.server,
                             options.language(lock.is_installed() ? "installed" : "not installed"));
  }
  std::cout << options.language(
      "./lab field install NAME installs one; ./lab run NAME SCENARIO runs it\n");
  return terminal::exit_holds;
}

// Throws CannotRun if lock.json is about another version than the one that is there.
void must_be_installed_version(const faults::TestedLock& lock, const faults::RunPlan& plan,
                               faults::Reaper& reaper) {
  const auto& described = lock.facts->version;
  if (described.empty()) return;
  const auto installed = faults::introduce(lock, plan, reaper).version;
  if (installed.empty() || installed == described) return;
  throw faults::CannotRun(fmt::format(
      "{}/lock.json is about version {}, and {} is installed: look again what it says, then "
      "change \"version\"",
      lock.directory.native(), described, installed));
}

int check_lock(const terminal::Options& options, const FieldLine& chosen, faults::Reaper& reaper) {
  const auto plan = terminal::plan_for(options, reaper);
  if (chosen.name.empty() == chosen.client.command.empty()) {
    throw faults::CannotRun("which lock? a name, or --client 'COMMAND'; ./lab field shows all");
  }
  const auto stage = chosen.name.empty() ? field::lock_of_client(chosen.client, plan, reaper)
                                         : field::lock_named(chosen.name);
  must_be_installed_version(stage, plan, reaper);
  const auto checked = faults::check_adapter(stage, plan, reaper);
  bool right = true;
  for (const auto& [what, wrong] : checked) {
    const auto line = options.language((wrong.empty() ? "right  " : "wrong  ") + what);
    const auto mark = line.substr(0, line.find("  "));
    std::cout << (wrong.empty() ? options.paint.green(mark) : options.paint.red(mark))
              << line.substr(mark.size()) << '\n';
    if (!wrong.empty()) std::cout << "       " << options.language(wrong) << '\n';
    right = right && wrong.empty();
  }
  std::cout << options.language(right ? "the adapter speaks the protocol\n"
                                      : "what it should say: docs/client-protocol.md\n");
  return right ? terminal::exit_holds : terminal::exit_violated;
}

int make_lock(const FieldLine& chosen, const terminal::Language& language) {
  field::make_lock(chosen.name, chosen.language);
  const bool is_built = !field::lock_file_named(chosen.name).program.empty();
  const auto build = fmt::format("./lab field install {} && ", chosen.name);
  std::cout << language(fmt::format(
      "made field/{0}/: put your library into its adapter, and say in lock.json what it is\n"
      "then: {1}./lab field check {0}\n",
      chosen.name, is_built ? build : ""));
  return terminal::exit_holds;
}

int install_locks(const FieldLine& chosen, const terminal::Language& language) {
  for (const auto& lock : field::locks_named(chosen.names)) {
    const bool was_there = lock.is_installed() && !lock.is_outdated();
    field::install(lock);
    std::cout << language(lock.name + (was_there ? " is installed\n" : " is installed now\n"));
  }
  return terminal::exit_holds;
}

// The commands of the command.
struct Lines {
  CLI::App* list = nullptr;
  CLI::App* make = nullptr;
  CLI::App* check = nullptr;
  CLI::App* install = nullptr;
  CLI::App* run = nullptr;
};

Lines add_commands(CLI::App& line) {
  return {.list = line.add_subcommand("list", "what there is, and what is installed"),
          .make = line.add_subcommand("new", "an adapter to fill in"),
          .check = line.add_subcommand("check", "is an adapter right?"),
          .install = line.add_subcommand("install", "installs these locks, or all"),
          .run = line.add_subcommand("run", "runs the installed ones against every scenario")};
}

void add_options(const Lines& lines, FieldLine& chosen) {
  lines.make->add_option("name", chosen.name, "what it is to be called")->required();
  lines.make->add_option("--language", chosen.language, "of the adapter")
      ->required()
      ->check(CLI::IsMember(
          std::vector<std::string>(field::languages.begin(), field::languages.end())));
  lines.check->add_option("name", chosen.name, "a lock in field/");
  auto& client = chosen.client;
  lines.check->add_option("--client", client.command, "a program that speaks the client protocol");
  add_facts_option(*lines.check, client.facts);
  lines.check->add_option("--nodes", client.nodes, "on how many servers")->check(CLI::Range(1, 15));
  lines.check->add_option("--key", client.key, "its key on the server for the lock %s");
  lines.install->add_option("names", chosen.names, "locks in field/; all if left out");
  add_field_run_options(*lines.run, chosen.run);
}

}  // namespace

Command field_command(CLI::App& lab, Shared& shared) {
  const auto chosen = std::make_shared<FieldLine>();
  auto* line = lab.add_subcommand("field", "locks that other people wrote, in any language");
  line->require_subcommand(0, 1);
  add_json_flag(*line, shared);
  line->footer("");  // its commands inherit none
  const auto lines = add_commands(*line);
  line->footer(field_examples);
  add_json_flag(*lines.list, shared);
  add_json_flag(*lines.run, shared);
  add_options(lines, *chosen);
  return {.line = line,
          .question =
              "a new lock needs a name and a language, as in: ./lab field new mine "
              "--language python",
          .run = [chosen, lines, &shared] {
            if (lines.make->parsed()) return make_lock(*chosen, shared.options.language);
            if (lines.install->parsed()) return install_locks(*chosen, shared.options.language);
            if (!lines.check->parsed() && !lines.run->parsed()) return list_locks(shared.options);
            return with_reaper(shared.options.language, [&](faults::Reaper& reaper) {
              return lines.run->parsed() ? run_field(shared.options, chosen->run, reaper)
                                         : check_lock(shared.options, *chosen, reaper);
            });
          }};
}

}  // namespace app

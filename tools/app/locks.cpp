// `lab locks`: the locks that other people wrote.
#include "tools/table/locks.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>

#include "faults/kit/errors.h"
#include "faults/running/adapter_check.h"
#include "tools/app/commands.h"
#include "tools/app/install_locks.h"
#include "tools/table/options.h"
#include "tools/table/results.h"

namespace app {
namespace {

namespace fs = std::filesystem;

constexpr const char* locks_examples =
    "Examples:\n"
    "  ./lab locks                                what there is, and what is installed\n"
    "  ./lab locks install redis-py               from Debian, or from npm into its directory\n"
    "  ./lab locks check redis-py                 is its adapter right?\n"
    "  ./lab locks check --client 'python3 x.py'  the same of a program of your own\n"
    "  ./lab locks new mine --language python     an adapter to fill in\n"
    "  ./lab run redis-py frozen_mid_release      what it does under a fault";

// The lines of the command; which of its commands was called, if any was.
struct Lines {
  CLI::App* check = nullptr;
  CLI::App* make = nullptr;
  CLI::App* install = nullptr;
};

struct LocksLine {
  std::string name;
  std::vector<std::string> names;
  std::string language;
  table::ForeignClient client;
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

int list_locks(const table::Options& options) {
  const auto locks = table::all_locks();
  if (options.json) {
    auto all = nlohmann::json::array();
    for (const auto& lock : locks) all.push_back(as_json(lock));
    std::cout << all.dump(2) << '\n';
    return table::exit_holds;
  }
  for (const auto& lock : locks) {
    std::cout << fmt::format("  {:<24} {:<14} {:<7} {:<10} {}\n", lock.name, lock.version,
                             lock.language,
                             lock.facts.server == "redis" ? std::string() : lock.facts.server,
                             lock.is_installed() ? "installed" : "not installed");
  }
  std::cout << "./lab locks install NAME installs one; ./lab run NAME SCENARIO runs it\n";
  return table::exit_holds;
}

int check_lock(const table::Options& options, const LocksLine& chosen, faults::Reaper& reaper) {
  const auto plan = table::plan_for(options, reaper);
  if (chosen.name.empty() == chosen.client.command.empty()) {
    throw faults::CannotRun("which lock? a name, or --client 'COMMAND'; ./lab locks shows all");
  }
  const auto stage = chosen.name.empty() ? table::stage_of_client(chosen.client, plan, reaper)
                                         : table::lock_named(chosen.name);
  const auto checked = faults::check_adapter(stage, plan, reaper);
  bool right = true;
  for (const auto& [what, wrong] : checked) {
    const auto mark = wrong.empty() ? options.paint.green("right") : options.paint.red("wrong");
    std::cout << fmt::format("{}  {}\n", mark, what);
    if (!wrong.empty()) std::cout << "       " << wrong << '\n';
    right = right && wrong.empty();
  }
  std::cout << (right ? "the adapter speaks the protocol\n"
                      : "what it should say: docs/client-protocol.md\n");
  return right ? table::exit_holds : table::exit_violated;
}

std::string read(const fs::path& file) {
  std::ifstream input(file);
  return {std::istreambuf_iterator<char>(input), {}};
}

// A template's text with the lock's name in it.
std::string with_name(std::string text, const std::string& name) {
  constexpr std::string_view placeholder = "NAME";
  for (std::size_t at = 0; (at = text.find(placeholder, at)) != text.npos; at += name.size()) {
    text.replace(at, placeholder.size(), name);
  }
  return text;
}

// Copies the template of that language, with the lock's name in it.
int make_lock(const LocksLine& chosen) {
  const auto locks = fs::path(LAB_SOURCE_DIR) / "field";
  const auto from = locks / "templates" / chosen.language;
  const auto to = locks / chosen.name;
  const bool is_plain = std::all_of(chosen.name.begin(), chosen.name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_';
  });
  if (!is_plain || chosen.name.empty()) {
    throw faults::CannotRun("a lock's name has letters, digits, - and _ only");
  }
  if (fs::exists(to)) throw faults::CannotRun(fmt::format("{} is there already", to.native()));
  std::error_code error;
  fs::create_directory(to, error);
  if (error) {
    throw faults::CannotRun(fmt::format("cannot make {}: {}", to.native(), error.message()));
  }
  for (const auto& entry : fs::directory_iterator(from)) {
    std::ofstream(to / entry.path().filename()) << with_name(read(entry.path()), chosen.name);
  }
  std::cout << fmt::format(
      "made field/{0}/: put your library into its adapter, and say in lock.json what it is\n"
      "then: {1}./lab locks check {0}\n",
      chosen.name,
      chosen.language == "cpp" ? fmt::format("./lab locks install {} && ", chosen.name) : "");
  return table::exit_holds;
}

int install_locks(const LocksLine& chosen) {
  std::vector<faults::LockFile> locks;
  for (const auto& name : chosen.names) locks.push_back(table::lock_file_named(name));
  if (locks.empty()) locks = table::all_locks();
  for (const auto& lock : locks) {
    const bool was_there = lock.is_installed() && !lock.is_outdated();
    install_lock(lock);
    std::cout << lock.name << (was_there ? " is installed\n" : " is installed now\n");
  }
  return table::exit_holds;
}

void add_client_options(CLI::App& line, table::ForeignClient& client) {
  line.add_option("--client", client.command, "a program that speaks the client protocol");
  line.add_option("--nodes", client.nodes, "on how many servers")->check(CLI::Range(1, 15));
  line.add_option("--key", client.key, "its key on the server for the lock %s");
}

}  // namespace

Command locks_command(CLI::App& lab, Shared& shared) {
  const auto chosen = std::make_shared<LocksLine>();
  auto* line = lab.add_subcommand("locks", "locks that other people wrote, in any language");
  line->footer(locks_examples);
  line->require_subcommand(0, 1);
  add_json_flag(*line, shared);
  const Lines lines{.check = line->add_subcommand("check", "is an adapter right?"),
                    .make = line->add_subcommand("new", "an adapter to fill in"),
                    .install = line->add_subcommand("install", "installs these locks, or all")};
  lines.check->add_option("name", chosen->name, "a lock in field/");
  add_client_options(*lines.check, chosen->client);
  lines.make->add_option("name", chosen->name, "what it is to be called")->required();
  lines.make->add_option("--language", chosen->language, "python, node, php or cpp")
      ->required()
      ->check(CLI::IsMember({"python", "node", "php", "cpp"}));
  lines.install->add_option("names", chosen->names, "locks in field/; all if left out");
  return {.line = line,
          .question =
              "a new lock needs a name and a language, as in: ./lab locks new mine "
              "--language python",
          .run = [chosen, lines, &shared] {
            if (lines.make->parsed()) return make_lock(*chosen);
            if (lines.install->parsed()) return install_locks(*chosen);
            if (!lines.check->parsed()) return list_locks(shared.options);
            return with_reaper([&](faults::Reaper& reaper) {
              return check_lock(shared.options, *chosen, reaper);
            });
          }};
}

}  // namespace app
